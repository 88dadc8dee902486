// SPDX-License-Identifier: MPL-2.0
//
// ROUTER_MANDATORY: a message to an unknown or gone peer is EHOSTUNREACH; without it the message is dropped.
#include "support.h"

static void unreachable(void *context, const char *transport) {
    SECTION("unknown and gone peers over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    printf("events %s\n", events_text(events_of(router)));
    show_send("unknown", router, "nobody|x", 0);
    show_send("unknown", router, "nobody|x", ZMQ_DONTWAIT);
    SHOW(zmq_send(router, "nobody", 6, ZMQ_SNDMORE));
    SHOW(zmq_send(router, "nobody", 6, 0));
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    join(router, dealer, transport);
    MUST(send_text(dealer, "hello", 0));
    expect("router", router);
    show_send("known", router, "D|x", 0);
    expect("dealer", dealer);
    show_send("unknown again", router, "nobody|x", 0);
    show_send("known again", router, "D|y", 0);
    expect("dealer", dealer);
    zmq_close(dealer);
    WAIT_UNTIL(send_text(router, "D|x", ZMQ_DONTWAIT) == -1);
    show_send("gone", router, "D|x", ZMQ_DONTWAIT);
    zmq_close(router);
}

static void not_mandatory(void *context, const char *transport) {
    SECTION("without ROUTER_MANDATORY over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    join(router, dealer, transport);
    MUST(send_text(dealer, "hello", 0));
    expect("router", router);
    show_send("unknown", router, "nobody|x|y", 0);
    show_send("known", router, "D|x|y", 0);
    expect("dealer", dealer);
    SHOW(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    show_send("unknown, from now on", router, "nobody|x", 0);
    SHOW(set_int(router, ZMQ_ROUTER_MANDATORY, 0));
    show_send("unknown, no more", router, "nobody|x", 0);
    zmq_close(dealer);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        unreachable(context, transports[t]);
        not_mandatory(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
