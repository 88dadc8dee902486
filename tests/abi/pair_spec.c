// SPDX-License-Identifier: MPL-2.0
//
// PAIR: both directions, one peer only, blocking without a peer, what is left after the peer goes.
#include "support.h"

static void both_directions(void *context, const char *transport) {
    SECTION("both directions over %s", transport);
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    join(a, b, transport);
    show_send("b", b, "one|two|three", 0);
    expect("a", a);
    show_send("a", a, "||", 0);
    expect("b", b);
    for (int i = 0; i < 3; i++) {
        show_send("a", a, i == 0 ? "x" : i == 1 ? "y" : "z", 0);
    }
    for (int i = 0; i < 3; i++) {
        expect("b in order", b);
    }
    receive_now("nothing left", b);
    zmq_close(a);
    zmq_close(b);
}

static void alone(void *context) {
    SECTION("without a peer");
    void *a = open_socket(context, ZMQ_PAIR);
    printf("events %s\n", events_text(events_of(a)));
    show_send("a", a, "x", ZMQ_DONTWAIT);
    receive_now("a", a);
    set_int(a, ZMQ_SNDTIMEO, 20);
    set_int(a, ZMQ_RCVTIMEO, 20);
    show_send("with a timeout", a, "x", 0);
    char byte;
    SHOW(zmq_recv(a, &byte, 1, 0));
    zmq_close(a);
}

static void second_peer(void *context, const char *transport) {
    SECTION("a second peer over %s", transport);
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    void *c = open_socket(context, ZMQ_PAIR);
    char endpoint[ENDPOINT_SIZE];
    join_at(a, b, transport, endpoint);
    show_send("b", b, "from b", 0);
    expect("a", a);
    SHOW(zmq_connect(c, endpoint));
    show_send("c", c, "from c", ZMQ_DONTWAIT);
    expect_none("a hears of c", a);
    show_send("a", a, "for b", 0);
    expect("b", b);
    expect_none("c", c);
    zmq_close(a);
    zmq_close(b);
    zmq_close(c);
}

static void peer_gone(void *context) {
    SECTION("the peer goes, inproc");
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    join(a, b, "inproc");
    set_int(b, ZMQ_LINGER, -1);
    show_send("b", b, "left behind", 0);
    show_send("a", a, "lost", 0);
    MUST(zmq_close(b));
    expect("a", a);
    WAIT_UNTIL(!(events_of(a) & ZMQ_POLLOUT));
    printf("events %s\n", events_text(events_of(a)));
    show_send("a", a, "x", ZMQ_DONTWAIT);
    zmq_close(a);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        both_directions(context, transports[t]);
    }
    alone(context);
    second_peer(context, "inproc");
    peer_gone(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
