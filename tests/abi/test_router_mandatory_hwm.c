// SPDX-License-Identifier: MPL-2.0
//
// ROUTER_MANDATORY at the high-water mark: a message to a full peer blocks or is EAGAIN; without the option
// the message is dropped.
#include "support.h"

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

/* The peer behind `id` takes nothing. Returns whether sending ends with EAGAIN. */
static bool fills(void *router, const char *id) {
    static char body[65536];
    for (int count = 0; count < 10000; count++) {
        if (zmq_send(router, id, strlen(id), ZMQ_SNDMORE | ZMQ_DONTWAIT) == -1) {
            return zmq_errno() == EAGAIN;
        }
        MUST(zmq_send(router, body, sizeof body, ZMQ_DONTWAIT));
    }
    return false;
}

static void *small_dealer(void *context, const char *id, const char *endpoint) {
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, id);
    MUST(set_int(dealer, ZMQ_RCVHWM, 2));
    MUST(set_int(dealer, ZMQ_RCVBUF, 8192));
    MUST(zmq_connect(dealer, endpoint));
    MUST(send_text(dealer, "hello", 0));
    return dealer;
}

static void others_go_on(void *context, const char *transport) {
    SECTION("one of two peers is full over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    MUST(set_int(router, ZMQ_SNDHWM, 2));
    MUST(set_int(router, ZMQ_SNDBUF, 8192));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *full = small_dealer(context, "full", endpoint);
    expect("router", router);
    void *other = small_dealer(context, "other", endpoint);
    expect("router", router);
    printf("ends with EAGAIN: %d\n", fills(router, "full"));
    show_send("other", router, "other|hello", ZMQ_DONTWAIT);
    expect("other", other);
    show_send("unknown", router, "nobody|hello", ZMQ_DONTWAIT);
    printf("received something: %d\n", drain(full) > 0);
    WAIT_UNTIL(send_text(router, "full|again", ZMQ_DONTWAIT) != -1);
    expect("full", full);
    zmq_close(router);
    zmq_close(full);
    zmq_close(other);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    at_the_mark(context, true);
    at_the_mark(context, false);
    for (int t = 0; t < TRANSPORTS; t++) {
        others_go_on(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
