// SPDX-License-Identifier: MPL-2.0
//
// Multipart messages arrive whole or not at all; RCVMORE; unfinished ones at a timeout, a close, a
// disconnect.
#include "support.h"

static void more(void *context, const char *transport) {
    SECTION("RCVMORE over %s", transport);
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    join(to, from, transport);
    printf("before anything %d\n", get_int(to, ZMQ_RCVMORE));
    show_send("from", from, "a||c", 0);
    for (int i = 0; i < 3; i++) {
        char body[4];
        SHOW(zmq_recv(to, body, sizeof body, 0));
        printf("more %d\n", get_int(to, ZMQ_RCVMORE));
    }
    receive_now("to", to);
    printf("more after a failed receive %d\n", get_int(to, ZMQ_RCVMORE));
    zmq_msg_t message;
    zmq_msg_init_size(&message, 1);
    *(char *)zmq_msg_data(&message) = 'm';
    SHOW(zmq_msg_send(&message, from, ZMQ_SNDMORE));
    printf("sent message: more %d, size %zu\n", zmq_msg_more(&message), zmq_msg_size(&message));
    zmq_msg_close(&message);
    expect_none("unfinished", to);
    show_send("from", from, "end", 0);
    expect("to", to);
    zmq_msg_init(&message);
    show_send("from", from, "x|y", 0);
    SHOW(zmq_msg_recv(&message, to, 0));
    zmq_msg_t copy, moved;
    zmq_msg_init(&copy);
    zmq_msg_init(&moved);
    zmq_msg_copy(&copy, &message);
    zmq_msg_move(&moved, &message);
    printf("more of a copy %d, of a moved one %d, of the source %d\n", zmq_msg_more(&copy),
           zmq_msg_more(&moved), zmq_msg_more(&message));
    zmq_msg_close(&copy);
    zmq_msg_close(&moved);
    SHOW(zmq_msg_recv(&message, to, 0));
    /* A received message that had "more" is sent on without it. */
    show_send("from", from, "p|q", 0);
    SHOW(zmq_msg_recv(&message, to, 0));
    SHOW(zmq_msg_send(&message, from, 0));
    zmq_msg_close(&message);
    expect("to", to);
    expect("to", to);
    zmq_close(from);
    zmq_close(to);
}

static void closed_in_the_middle(void *context, const char *transport) {
    SECTION("sender closes in the middle over %s", transport);
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    set_int(from, ZMQ_LINGER, -1);
    char endpoint[ENDPOINT_SIZE];
    join_at(to, from, transport, endpoint);
    show_send("from", from, "whole|message", 0);
    SHOW(zmq_send(from, "half", 4, ZMQ_SNDMORE));
    SHOW(zmq_send(from, "of it", 5, ZMQ_SNDMORE));
    SHOW(zmq_close(from));
    expect("to", to);
    expect_none("to", to);
    from = open_socket(context, ZMQ_PUSH);
    MUST(zmq_connect(from, endpoint));
    show_send("from", from, "next|message", 0);
    expect("to", to);
    zmq_close(from);
    zmq_close(to);
}

static void receiver_in_the_middle(void *context, const char *transport) {
    SECTION("sender goes while its message is half read over %s", transport);
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    set_int(from, ZMQ_LINGER, -1);
    join(to, from, transport);
    show_send("from", from, "a|b|c", 0);
    char body[4];
    SHOW(zmq_recv(to, body, sizeof body, 0));
    MUST(zmq_close(from));
    settle();
    expect("to", to);
    expect_none("to", to);
    zmq_close(to);
}

static void full_in_the_middle(void *context) {
    SECTION("the mark is between messages, not frames");
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    MUST(set_int(from, ZMQ_SNDHWM, 1));
    MUST(set_int(to, ZMQ_RCVHWM, 1));
    join(to, from, "inproc");
    for (int i = 0; i < 3; i++) {
        SHOW(zmq_send(from, "a", 1, ZMQ_SNDMORE | ZMQ_DONTWAIT));
        SHOW(zmq_send(from, "b", 1, ZMQ_SNDMORE | ZMQ_DONTWAIT));
        SHOW(zmq_send(from, "c", 1, ZMQ_DONTWAIT));
    }
    printf("frames %d\n", drain_now(to));
    events_of(from);
    show_send("from", from, "x|y", ZMQ_DONTWAIT);
    expect("to", to);
    zmq_close(from);
    zmq_close(to);
}

static void peer_goes_while_sending(void *context) {
    SECTION("the peer goes between two frames");
    void *from = open_socket(context, ZMQ_PUSH);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(from, "inproc", endpoint));
    void *to = open_socket(context, ZMQ_PULL);
    MUST(zmq_connect(to, endpoint));
    SHOW(zmq_send(from, "a", 1, ZMQ_SNDMORE));
    MUST(zmq_close(to));
    settle();
    events_of(from);
    /* Whether the first of these fails depends on when the loss is noticed; none may be delivered. */
    zmq_send(from, "b", 1, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    zmq_send(from, "c", 1, ZMQ_DONTWAIT);
    SHOW(zmq_send(from, "d", 1, ZMQ_DONTWAIT));
    to = open_socket(context, ZMQ_PULL);
    MUST(zmq_connect(to, endpoint));
    events_of(from);
    show_send("from", from, "new|message", 0);
    expect("to", to);
    expect_none("to", to);
    zmq_close(from);
    zmq_close(to);
}

static void many_frames(void *context, const char *transport) {
    SECTION("a thousand frames over %s", transport);
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    MUST(set_int(from, ZMQ_SNDHWM, 1));
    MUST(set_int(to, ZMQ_RCVHWM, 1));
    join(to, from, transport);
    for (int i = 0; i < 1000; i++) {
        MUST(zmq_send(from, &i, sizeof i, i < 999 ? ZMQ_SNDMORE : 0));
    }
    int right = 0;
    for (int i = 0; i < 1000; i++) {
        int value = -1;
        MUST(zmq_recv(to, &value, sizeof value, 0));
        right += value == i && get_int(to, ZMQ_RCVMORE) == (i < 999);
    }
    printf("right %d\n", right);
    zmq_close(from);
    zmq_close(to);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        more(context, transports[t]);
        closed_in_the_middle(context, transports[t]);
        receiver_in_the_middle(context, transports[t]);
        many_frames(context, transports[t]);
    }
    full_in_the_middle(context);
    peer_goes_while_sending(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
