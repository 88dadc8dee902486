// SPDX-License-Identifier: MPL-2.0
// Unloads the library (dlclose) while one of its threads looks a name up, and lets that thread go on.
//
//     unload LIBRARY
//
// The library finds this program's getaddrinfo, in which a lookup waits until the library was unloaded.
#include <dirent.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sem_t asked;
static sem_t unloaded;

__attribute__((visibility("default"))) int
getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    (void)host;
    (void)service;
    (void)found;
    if (hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0)
        return EAI_NONAME;
    sem_post(&asked);
    sem_wait(&unloaded);
    return EAI_AGAIN;
}

// Puts the address of a function into a pointer to it.
static void find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(function, &found, sizeof found);
}

static int threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = -2; // "." and ".."
    while (tasks != NULL && readdir(tasks) != NULL)
        ++count;
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

// A context that asks for a name and ends. Null: it went well.
static void *use(void *library) {
    void *(*new_context)(void);
    void *(*open)(void *, int);
    int (*set)(void *, int, const void *, size_t);
    int (*connect)(void *, const char *);
    int (*close)(void *);
    int (*term)(void *);
    find(library, "zmq_ctx_new", &new_context);
    find(library, "zmq_socket", &open);
    find(library, "zmq_setsockopt", &set);
    find(library, "zmq_connect", &connect);
    find(library, "zmq_close", &close);
    find(library, "zmq_ctx_term", &term);
    const int linger = 0, push = 8;

    void *context = new_context();
    void *socket = open(context, push);
    if (set(socket, 17 /* ZMQ_LINGER */, &linger, sizeof linger) != 0 ||
        connect(socket, "tcp://nobody.invalid:5555") != 0)
        return library;
    sem_wait(&asked);
    return close(socket) != 0 || term(context) != 0 ? library : NULL;
}

int main(int count, char **words) {
    const struct timespec moment = {0, 1000000};
    void *library = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", count == 2 ? dlerror() : "unload LIBRARY");
        return 1;
    }
    sem_init(&asked, 0, 0);
    sem_init(&unloaded, 0, 0);
    // In a thread that ends: the C library keeps what has destructors to run at the end of a thread.
    pthread_t user;
    void *failed = NULL;
    pthread_create(&user, NULL, use, library);
    pthread_join(user, &failed);
    if (failed != NULL || dlclose(library) != 0)
        return 1;
    sem_post(&unloaded);
    while (threads() > 1)
        nanosleep(&moment, NULL);
    puts("the thread has ended, in code that is still there");
    return 0;
}
