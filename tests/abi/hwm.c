// SPDX-License-Identifier: MPL-2.0
//
// High-water marks over inproc: the number of messages that a pipe takes, for all combinations. 0 is no
// limit, and a multipart message counts once. Reading makes room; the library decides how much at once.
#include "support.h"

static const int marks[] = {0, 1, 2, 3, 10, 1000};
enum { MARKS = sizeof marks / sizeof *marks, LIMIT = 5000 };

static void combinations(void *context, int from_type, int to_type, bool sender_binds) {
    SECTION("%s to %s, %s binds", type_names[from_type], type_names[to_type],
            sender_binds ? "sender" : "receiver");
    for (int s = 0; s < MARKS; s++) {
        for (int r = 0; r < MARKS; r++) {
            void *from = open_socket(context, from_type);
            void *to = open_socket(context, to_type);
            MUST(set_int(from, ZMQ_SNDHWM, marks[s]));
            MUST(set_int(to, ZMQ_RCVHWM, marks[r]));
            if (sender_binds) {
                join(from, to, "inproc");
            } else {
                join(to, from, "inproc");
            }
            int taken = fill(from, LIMIT);
            printf("SNDHWM %d, RCVHWM %d: takes %d", marks[s], marks[r], taken);
            printf(", receives %d", drain_now(to));
            printf(", then takes at least half of it %d\n", fill(from, LIMIT) >= taken / 2);
            zmq_close(from);
            zmq_close(to);
        }
    }
}

static void multipart(void *context) {
    SECTION("multipart counts once");
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(push, ZMQ_SNDHWM, 2));
    MUST(set_int(pull, ZMQ_RCVHWM, 1));
    join(pull, push, "inproc");
    for (int i = 0; i < 5; i++) {
        show_send("push", push, "a|b|c|d|e", ZMQ_DONTWAIT);
    }
    printf("receives %d frames\n", drain_now(pull));
    zmq_close(push);
    zmq_close(pull);
}

static void several_peers(void *context) {
    SECTION("each peer has its own mark");
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_SNDHWM, 3));
    void *pulls[3];
    for (int i = 0; i < 3; i++) {
        pulls[i] = open_socket(context, ZMQ_PULL);
        MUST(set_int(pulls[i], ZMQ_RCVHWM, i + 1));
        join(pulls[i], push, "inproc");
    }
    printf("takes %d\n", fill(push, LIMIT));
    for (int i = 0; i < 3; i++) {
        printf("peer %d has %d\n", i, drain_now(pulls[i]));
        zmq_close(pulls[i]);
    }
    zmq_close(push);
}

static void before_bind(void *context) {
    SECTION("connected before the bind");
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_SNDHWM, 2));
    MUST(zmq_connect(push, "inproc://later"));
    printf("takes %d\n", fill(push, LIMIT));
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, ZMQ_RCVHWM, 3));
    MUST(zmq_bind(pull, "inproc://later"));
    printf("receives %d\n", drain_now(pull));
    printf("takes some again %d\n", fill(push, LIMIT) > 0);
    zmq_close(push);
    zmq_close(pull);
}

static void unconnected(void *context) {
    SECTION("no peer, tcp: connecting counts as a peer");
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_SNDHWM, 7));
    MUST(zmq_connect(push, "tcp://127.0.0.1:1"));
    printf("takes %d\n", fill(push, LIMIT));
    zmq_close(push);
    push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_SNDHWM, 7));
    MUST(set_int(push, ZMQ_IMMEDIATE, 1));
    MUST(zmq_connect(push, "tcp://127.0.0.1:1"));
    printf("with IMMEDIATE takes %d\n", fill(push, LIMIT));
    zmq_close(push);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    combinations(context, ZMQ_PUSH, ZMQ_PULL, false);
    combinations(context, ZMQ_DEALER, ZMQ_DEALER, true);
    combinations(context, ZMQ_PAIR, ZMQ_PAIR, false);
    multipart(context);
    several_peers(context);
    before_bind(context);
    unconnected(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
