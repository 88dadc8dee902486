// SPDX-License-Identifier: MPL-2.0
//
// Options of the context for its threads: the name, the processors, the policy and the priority of the I/O
// threads, as the system tells them. (libzmq has a thread more, which is not looked at, and ends the
// process when the system refuses.)
#include "support.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The thread of this process with that in its name; 0: there is none. */
static pid_t thread_named(const char *part) {
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char path[300], name[64] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file) {
            continue;
        }
        if (fgets(name, sizeof name, file) && strstr(name, part)) {
            found = (pid_t)atoi(entry->d_name);
        }
        fclose(file);
    }
    closedir(tasks);
    return found;
}

static void show_thread(pid_t thread) {
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)thread);
    FILE *file = fopen(path, "r");
    printf("thread %s", file && fgets(name, sizeof name, file) ? name : "gone\n");
    if (file) {
        fclose(file);
    }
    cpu_set_t processors;
    CPU_ZERO(&processors);
    struct sched_param parameters = {0};
    sched_getaffinity(thread, sizeof processors, &processors);
    sched_getparam(thread, &parameters);
    printf("processors %d, the first %d; policy %d, priority %d, nice %d\n", CPU_COUNT(&processors),
           CPU_ISSET(0, &processors) != 0, sched_getscheduler(thread), parameters.sched_priority,
           getpriority(PRIO_PROCESS, (id_t)thread));
}

/* Only who has the privilege gets to the end: tried in another process. */
static bool may_schedule(void) {
    pid_t child = fork();
    if (child == 0) {
        struct sched_param parameters = {.sched_priority = 9};
        _exit(setpriority(PRIO_PROCESS, 0, -20) == 0 && sched_setscheduler(0, SCHED_RR, &parameters) == 0
                  ? 0
                  : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

typedef struct {
    const char *name, *look_for;
    struct {
        int option, value;
    } set[4];
} run;

static void go(const run *one) {
    SECTION("%s", one->name);
    void *context = zmq_ctx_new();
    for (int i = 0; i < 4 && one->set[i].option != 0; i++) {
        printf("option %d -> %d\n", one->set[i].option,
               zmq_ctx_set(context, one->set[i].option, one->set[i].value));
    }
    void *socket = open_socket(context, ZMQ_PUSH); /* the threads begin with the first socket */
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(socket, "tcp", endpoint));
    pid_t thread = 0;
    WAIT_UNTIL((thread = thread_named(one->look_for)) != 0);
    settle(); /* it has its name first of all, or last */
    if (thread != 0) {
        show_thread(thread);
    } else {
        printf("no such thread\n");
    }
    zmq_close(socket);
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    static const run runs[] = {
        {"defaults", "ZMQbg/IO/0", {{0, 0}}},
        {"two threads", "ZMQbg/IO/1", {{ZMQ_IO_THREADS, 2}}},
        {"prefix", "42/ZMQbg/IO", {{ZMQ_THREAD_NAME_PREFIX, 42}}},
        {"one processor", "ZMQbg/IO/0", {{ZMQ_THREAD_AFFINITY_CPU_ADD, 0}}},
        {"one added and taken back",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_AFFINITY_CPU_ADD, 0},
          {ZMQ_THREAD_AFFINITY_CPU_ADD, 1},
          {ZMQ_THREAD_AFFINITY_CPU_REMOVE, 1}}},
        {"batch", "ZMQbg/IO/0", {{ZMQ_THREAD_SCHED_POLICY, SCHED_BATCH}}},
        {"batch, priority 0",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_SCHED_POLICY, SCHED_BATCH}, {ZMQ_THREAD_PRIORITY, 0}}},
        {"batch, priority 5",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_SCHED_POLICY, SCHED_BATCH}, {ZMQ_THREAD_PRIORITY, 5}}},
        {"priority 5", "ZMQbg/IO/0", {{ZMQ_THREAD_PRIORITY, 5}}},
        {"other, priority 5",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_SCHED_POLICY, SCHED_OTHER}, {ZMQ_THREAD_PRIORITY, 5}}},
        {"first in, first out, priority 5",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_SCHED_POLICY, SCHED_FIFO}, {ZMQ_THREAD_PRIORITY, 5}}},
        {"in turns, priority 9",
         "ZMQbg/IO/0",
         {{ZMQ_THREAD_SCHED_POLICY, SCHED_RR}, {ZMQ_THREAD_PRIORITY, 9}}},
    };
    const bool all = may_schedule();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        bool privileged = false;
        for (int k = 0; k < 4; k++) {
            privileged = privileged || runs[i].set[k].option == ZMQ_THREAD_PRIORITY;
        }
        if (all || !privileged) {
            go(&runs[i]);
        }
    }
    return 0;
}
