// SPDX-License-Identifier: MPL-2.0
//
// MAXMSGSIZE: a frame above it closes the connection, what came before stays, the next connection works.
#include "support.h"

static void run(void *context, const char *transport, int64_t limit, bool set_on_sender) {
    SECTION("%s, limit %lld on the %s", transport, (long long)limit, set_on_sender ? "sender" : "receiver");
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_RECONNECT_IVL, 10));
    MUST(zmq_setsockopt(set_on_sender ? push : pull, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    join(pull, push, transport);
    static char body[5000];
    static const size_t sizes[] = {0, 1, 99, 100, 101, 256, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        MUST(zmq_send(push, body, sizes[i], 0));
        int result = -1;
        if (wait_for(pull, ZMQ_POLLIN, 2 * QUIET_MS * time_factor())) {
            result = zmq_recv(pull, body, sizeof body, ZMQ_DONTWAIT);
        }
        printf("size %zu: received %d\n", sizes[i], result);
    }
    zmq_close(push);
    zmq_close(pull);
}

static void frames(void *context) {
    SECTION("the limit is for frames; the message with the large frame is dropped whole");
    int64_t limit = 100;
    char body[101];
    memset(body, 'f', sizeof body);
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_RECONNECT_IVL, 10));
    MUST(zmq_setsockopt(pull, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    join(pull, push, "tcp");
    for (int i = 0; i < 3; i++) {
        MUST(zmq_send(push, body, 100, i < 2 ? ZMQ_SNDMORE : 0));
    }
    expect("three frames at the limit", pull);
    MUST(zmq_send(push, "small", 5, ZMQ_SNDMORE));
    MUST(zmq_send(push, body, 101, ZMQ_SNDMORE));
    MUST(zmq_send(push, "small", 5, 0));
    expect_none("one above", pull);
    /* The connection comes again; a message may be lost with the old one. */
    bool through = false;
    for (int i = 0; i < 50 && !through; i++) {
        MUST(zmq_send(push, "again", 5, ZMQ_DONTWAIT));
        through = wait_for(pull, ZMQ_POLLIN, 100);
    }
    expect("next connection", pull);
    zmq_close(push);
    zmq_close(pull);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        run(context, transports[t], -1, false);
        run(context, transports[t], 100, false);
        run(context, transports[t], 100, true);
    }
    frames(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
