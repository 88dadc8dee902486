// SPDX-License-Identifier: MPL-2.0
//
// zmq_poll of a socket and a descriptor in a process that has no descriptor left: it waits, and each of the
// two ends the wait.
#include "support.h"

#include <fcntl.h>
#include <sys/resource.h>

enum { DESCRIPTORS = 256 };

struct act {
    void *push; // or
    int end;    // of a pipe
};

static void *write_later(void *argument) {
    const struct act *what = argument;
    pause_ms(QUIET_MS / 2); // the poll most likely waits by then
    if (what->push) {
        MUST(zmq_send(what->push, "news", 4, 0));
    } else {
        MUST(write(what->end, "x", 1));
    }
    return NULL;
}

static int use_up(int *held) {
    const struct rlimit low = {DESCRIPTORS, DESCRIPTORS};
    MUST(setrlimit(RLIMIT_NOFILE, &low));
    int count = 0;
    int descriptor;
    while (count < DESCRIPTORS && (descriptor = open("/dev/null", O_RDONLY)) != -1) {
        held[count++] = descriptor;
    }
    printf("no descriptor left: %s\n", errno_name(errno));
    return count;
}

static void wait_with(struct act *what, zmq_pollitem_t *items) {
    pthread_t writer;
    pthread_create(&writer, NULL, write_later, what);
    show_result("a wait", zmq_poll(items, 2, PATIENCE_MS * time_factor()));
    printf("socket %s, descriptor %s\n", events_text(items[0].revents), events_text(items[1].revents));
    pthread_join(writer, NULL);
}

static void without_descriptors(void *context, const char *transport) {
    SECTION("%s", transport);
    char endpoint[ENDPOINT_SIZE];
    int ends[2];
    char byte;
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(bind_any(pull, transport, endpoint));
    MUST(zmq_connect(push, endpoint));
    show_send("before", push, "hello", 0);
    expect("before", pull);
    MUST(pipe(ends));
    zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {NULL, ends[0], ZMQ_POLLIN, 0}};
    int held[DESCRIPTORS];
    int count = use_up(held);

    show_result("a look", zmq_poll(items, 2, 0));
    show_result("a wait for nothing", zmq_poll(items, 2, QUIET_MS));
    wait_with(&(struct act){push, 0}, items);
    expect("news", pull);
    wait_with(&(struct act){NULL, ends[1]}, items);
    MUST(read(ends[0], &byte, 1));

    while (count > 0) {
        close(held[--count]);
    }
    wait_with(&(struct act){push, 0}, items);
    close(ends[0]);
    close(ends[1]);
    zmq_close(push);
    zmq_close(pull);
}

/* A thread of its own has not waited before. */
static void *run(void *transport) {
    void *context = zmq_ctx_new();
    without_descriptors(context, *(const char *const *)transport);
    zmq_ctx_term(context);
    return NULL;
}

int main(void) {
    start();
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++) {
        pthread_t fresh;
        pthread_create(&fresh, NULL, run, (void *)&transports[i]);
        pthread_join(fresh, NULL);
    }
    return 0;
}
