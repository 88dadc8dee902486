// SPDX-License-Identifier: MPL-2.0
//
// RCVTIMEO and SNDTIMEO: EAGAIN at once or after the time, DONTWAIT regardless of them, waking before the
// time.
#include "support.h"

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *send_later(void *socket) {
    settle();
    MUST(zmq_send(socket, "late|", 5, 0));
    return NULL;
}

int main(void) {
    start();
    static const int times[] = {0, 1, 30, 200};
    void *context = zmq_ctx_new();
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        MUST(set_int(pull, ZMQ_RCVTIMEO, times[i]));
        MUST(set_int(push, ZMQ_SNDTIMEO, times[i]));
        char byte;
        long before = now_ms();
        SHOW(zmq_recv(pull, &byte, 1, 0));
        printf("RCVTIMEO %d: not early %d\n", times[i], now_ms() - before >= times[i] - 2);
        before = now_ms();
        SHOW(zmq_send(push, "x", 1, 0));
        printf("SNDTIMEO %d: not early %d\n", times[i], now_ms() - before >= times[i] - 2);
    }
    MUST(set_int(pull, ZMQ_RCVTIMEO, -1));
    MUST(set_int(push, ZMQ_SNDTIMEO, -1));
    char byte;
    SHOW(zmq_recv(pull, &byte, 1, ZMQ_DONTWAIT));
    SHOW(zmq_send(push, "x", 1, ZMQ_DONTWAIT));

    SECTION("a message that comes while receive waits");
    for (int t = 0; t < TRANSPORTS; t++) {
        void *from = open_socket(context, ZMQ_PAIR);
        void *to = open_socket(context, ZMQ_PAIR);
        join(to, from, transports[t]);
        pthread_t thread;
        pthread_create(&thread, NULL, send_later, from);
        char body[8];
        printf("%s: ", transports[t]);
        SHOW(zmq_recv(to, body, sizeof body, 0));
        pthread_join(thread, NULL);
        zmq_close(from);
        zmq_close(to);
    }
    zmq_close(push);
    zmq_close(pull);
    SHOW(zmq_ctx_term(context));
    return 0;
}
