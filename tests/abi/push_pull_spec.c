// SPDX-License-Identifier: MPL-2.0
//
// PUSH and PULL: round robin, fair queueing, blocking without peers, what a leaving peer leaves behind.
#include "support.h"

static void round_robin(void *context, const char *transport) {
    SECTION("round robin over %s", transport);
    void *push = open_socket(context, ZMQ_PUSH);
    void *pulls[3];
    char endpoint[ENDPOINT_SIZE];
    for (int i = 0; i < 3; i++) {
        pulls[i] = open_socket(context, ZMQ_PULL);
        MUST(bind_any(pulls[i], transport, endpoint));
        MUST(zmq_connect(push, endpoint));
    }
    for (int i = 0; i < 9; i++) {
        char text[] = {(char)('0' + i), '|', 'e', 0};
        MUST(send_text(push, text, 0));
    }
    for (int i = 0; i < 3; i++) {
        printf("pull %d\n", i);
        for (int k = 0; k < 3; k++) {
            expect("next", pulls[i]);
        }
        expect_none("next", pulls[i]);
    }
    MUST(zmq_close(pulls[1]));
    for (int i = 0; i < 3; i += 2) {
        zmq_close(pulls[i]);
    }
    zmq_close(push);
}

static void fair_queue(void *context) {
    SECTION("fair queueing, unequal senders");
    void *pull = open_socket(context, ZMQ_PULL);
    void *pushes[3];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(pull, "inproc", endpoint));
    for (int i = 0; i < 3; i++) {
        pushes[i] = open_socket(context, ZMQ_PUSH);
        MUST(zmq_connect(pushes[i], endpoint));
        for (int k = 0; k <= 2 * i; k++) {
            char text[] = {(char)('A' + i), (char)('0' + k), '|', 'e', 0};
            MUST(send_text(pushes[i], text, 0));
        }
    }
    for (int i = 0; i < 3; i++) {
        expect("one of each", pull);
    }
    /* The order among those that still have something is the library's; each one's own order is not. */
    int next[3] = {1, 1, 1};
    bool in_order = true;
    for (int i = 0; i < 6; i++) {
        char name[2];
        MUST(zmq_recv(pull, name, sizeof name, 0));
        in_order = in_order && name[1] == '0' + next[name[0] - 'A']++;
        MUST(zmq_recv(pull, name, sizeof name, 0));
    }
    printf("the rest in order %d: %d of A, %d of B, %d of C\n", in_order, next[0], next[1], next[2]);
    for (int i = 0; i < 3; i++) {
        zmq_close(pushes[i]);
    }
    zmq_close(pull);
}

static void new_peers(void *context) {
    SECTION("peers that come and go");
    void *push = open_socket(context, ZMQ_PUSH);
    char endpoint[ENDPOINT_SIZE];
    printf("events %s\n", events_text(events_of(push)));
    MUST(bind_any(push, "inproc", endpoint));
    show_send("nobody", push, "x", ZMQ_DONTWAIT);
    void *a = open_socket(context, ZMQ_PULL);
    printf("events of pull %s\n", events_text(events_of(a)));
    MUST(zmq_connect(a, endpoint));
    printf("events %s\n", events_text(events_of(push)));
    show_send("one peer", push, "1", 0);
    show_send("one peer", push, "2", 0);
    expect("a", a);
    MUST(zmq_close(a));
    WAIT_UNTIL(events_of(push) == 0);
    show_send("gone", push, "x", ZMQ_DONTWAIT);
    void *b = open_socket(context, ZMQ_PULL);
    MUST(zmq_connect(b, endpoint));
    show_send("new peer", push, "3", 0);
    expect("b", b);
    zmq_close(b);
    zmq_close(push);

    SECTION("what a sender that left has sent");
    void *pull = open_socket(context, ZMQ_PULL);
    push = open_socket(context, ZMQ_PUSH);
    set_int(push, ZMQ_LINGER, -1);
    join(pull, push, "tcp");
    for (int i = 0; i < 3; i++) {
        MUST(send_text(push, "kept|e", 0));
    }
    MUST(zmq_close(push));
    for (int i = 0; i < 3; i++) {
        expect("pull", pull);
    }
    zmq_close(pull);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        round_robin(context, transports[t]);
    }
    fair_queue(context);
    new_peers(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
