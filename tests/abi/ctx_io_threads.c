// SPDX-License-Identifier: MPL-2.0
//
// No I/O threads: inproc works, other transports have nobody to work for them. Several: AFFINITY picks among
// them.
#include "support.h"

static void without_threads(void) {
    SECTION("no I/O thread");
    void *context = zmq_ctx_new();
    SHOW(zmq_ctx_set(context, ZMQ_IO_THREADS, 0));
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    SHOW(zmq_bind(a, "inproc://a"));
    SHOW(zmq_connect(b, "inproc://a"));
    SHOW(zmq_send(b, "hello", 5, 0));
    expect("received", a);
    void *c = open_socket(context, ZMQ_PAIR);
    SHOW(zmq_bind(c, "tcp://127.0.0.1:*"));
    SHOW(zmq_connect(c, "tcp://127.0.0.1:5555"));
    SHOW(zmq_bind(c, "ipc://*"));
    SHOW(zmq_connect(c, "ipc:///tmp/nobody"));
    zmq_close(a);
    zmq_close(b);
    zmq_close(c);
    SHOW(zmq_ctx_term(context));

    context = zmq_init(0);
    SHOW(zmq_ctx_get(context, ZMQ_IO_THREADS));
    SHOW(zmq_term(context));
    SHOW_PTR(zmq_init(-1));
}

static void affinity(void) {
    SECTION("three I/O threads");
    void *context = zmq_ctx_new();
    SHOW(zmq_ctx_set(context, ZMQ_IO_THREADS, 3));
    static const uint64_t masks[] = {0, 1, 2, 4, 7, 8, 0xfff8, UINT64_MAX};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        void *a = open_socket(context, ZMQ_PULL);
        void *b = open_socket(context, ZMQ_PUSH);
        MUST(zmq_setsockopt(a, ZMQ_AFFINITY, &masks[i], sizeof masks[i]));
        MUST(zmq_setsockopt(b, ZMQ_AFFINITY, &masks[i], sizeof masks[i]));
        int bound = zmq_bind(a, "tcp://127.0.0.1:*");
        printf("affinity %llx: bind %s", (unsigned long long)masks[i],
               bound == 0 ? "ok" : errno_name(zmq_errno()));
        int connected = zmq_connect(b, "tcp://127.0.0.1:1");
        printf(", connect %s\n", connected == 0 ? "ok" : errno_name(zmq_errno()));
        if (bound == 0) {
            char endpoint[ENDPOINT_SIZE];
            size_t size = sizeof endpoint;
            MUST(zmq_getsockopt(a, ZMQ_LAST_ENDPOINT, endpoint, &size));
            MUST(zmq_disconnect(b, "tcp://127.0.0.1:1"));
            MUST(zmq_connect(b, endpoint));
            MUST(zmq_send(b, "hello", 5, 0));
            expect("received", a);
        }
        zmq_close(a);
        zmq_close(b);
    }
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    without_threads();
    affinity();
    return 0;
}
