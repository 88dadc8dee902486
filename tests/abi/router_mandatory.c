// SPDX-License-Identifier: MPL-2.0
//
// ROUTER_MANDATORY: unknown and gone peers are EHOSTUNREACH, full ones block or are EAGAIN; without it both
// are dropped.
#include "support.h"

static void unreachable(void *context) {
    SECTION("unknown and gone peers");
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    printf("events %s\n", events_text(events_of(router)));
    show_send("unknown", router, "nobody|x", 0);
    show_send("unknown", router, "nobody|x", ZMQ_DONTWAIT);
    SHOW(zmq_send(router, "nobody", 6, ZMQ_SNDMORE));
    SHOW(zmq_send(router, "nobody", 6, 0));
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    join(router, dealer, "tcp");
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

/* Both high-water marks are 2 and 3 and nobody receives; inproc holds their sum. */
static void *full(void *context, bool mandatory, void **dealer) {
    void *router = open_socket(context, ZMQ_ROUTER);
    *dealer = open_socket(context, ZMQ_DEALER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, mandatory));
    MUST(set_int(router, ZMQ_SNDHWM, 2));
    MUST(set_int(*dealer, ZMQ_RCVHWM, 3));
    set_text(*dealer, ZMQ_ROUTING_ID, "D");
    join(router, *dealer, "inproc");
    MUST(send_text(*dealer, "hello", 0));
    expect("router", router);
    return router;
}

static void at_the_mark(void *context, bool mandatory) {
    SECTION("full peer, %s", mandatory ? "mandatory" : "not mandatory");
    void *dealer;
    void *router = full(context, mandatory, &dealer);
    for (int i = 0; i < 8; i++) {
        char text[] = {'D', '|', (char)('0' + i), '|', 'e', 0};
        show_send("router", router, text, ZMQ_DONTWAIT);
    }
    set_int(router, ZMQ_SNDTIMEO, 20);
    show_send("with a timeout", router, "D|late", 0);
    printf("events %s\n", events_text(events_of(router)));
    while (wait_for(dealer, ZMQ_POLLIN, QUIET_MS * time_factor())) {
        receive_now("dealer", dealer);
    }
    show_send("after it was emptied", router, "D|again", 0);
    expect("dealer", dealer);
    zmq_close(router);
    zmq_close(dealer);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    unreachable(context);
    at_the_mark(context, true);
    at_the_mark(context, false);
    SHOW(zmq_ctx_term(context));
    return 0;
}
