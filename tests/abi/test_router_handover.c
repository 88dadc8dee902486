// SPDX-License-Identifier: MPL-2.0
//
// Peers with the same routing id, with and without ROUTER_HANDOVER.
#include "support.h"

static void *dealer_as(void *context, const char *id, const char *endpoint) {
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, id);
    set_int(dealer, ZMQ_RECONNECT_IVL, -1);
    MUST(zmq_connect(dealer, endpoint));
    return dealer;
}

static void duplicates(void *context, const char *transport, bool handover) {
    SECTION("two peers of one id over %s, %s", transport, handover ? "handover" : "no handover");
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_HANDOVER, handover));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *first = dealer_as(context, "X", endpoint);
    MUST(send_text(first, "first", 0));
    expect("router", router);
    void *second = dealer_as(context, "X", endpoint);
    MUST(send_text(second, "second", ZMQ_DONTWAIT));
    expect_none("router", router);
    show_send("router", router, "X|for X", 0);
    expect_none("first peer", first);
    expect_none("second peer", second);
    show_send("first peer", first, "still here", ZMQ_DONTWAIT);
    expect_none("router", router);
    zmq_close(first);
    zmq_close(second);
    zmq_close(router);
}

static void given_free(void *context, const char *transport) {
    SECTION("an id whose owner left over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *first = dealer_as(context, "X", endpoint);
    MUST(send_text(first, "first", 0));
    expect("router", router);
    zmq_close(first);
    WAIT_UNTIL(send_text(router, "X|x", ZMQ_DONTWAIT) == -1);
    settle_peers(router);
    void *second = dealer_as(context, "X", endpoint);
    MUST(send_text(second, "second", 0));
    expect("router", router);
    show_send("router", router, "X|for the second", 0);
    expect("second peer", second);
    zmq_close(second);
    zmq_close(router);
}

static void handed_on_twice(void *context, const char *transport) {
    SECTION("handed over twice over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_HANDOVER, 1));
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *peers[3];
    for (int i = 0; i < 3; i++) {
        peers[i] = dealer_as(context, "X", endpoint);
        char text[] = {(char)('1' + i), 0};
        MUST(send_text(peers[i], text, 0));
        expect("router", router);
        show_send("router", router, "X|for the newest", 0);
        expect("newest", peers[i]);
    }
    for (int i = 0; i < 2; i++) {
        expect_none("earlier", peers[i]);
    }
    void *other = dealer_as(context, "Y", endpoint);
    MUST(send_text(other, "another id", 0));
    expect("router", router);
    show_send("router", router, "X|still", 0);
    expect("newest", peers[2]);
    for (int i = 0; i < 3; i++) {
        zmq_close(peers[i]);
    }
    zmq_close(other);
    zmq_close(router);
}

// A made-up id is a zero and four bytes.
static void expect_from(void *router) {
    char id[256];
    char body[256];
    if (zmq_recv(router, id, sizeof id, ZMQ_DONTWAIT) < 1) {
        printf("router: nothing\n");
        return;
    }
    const int size = zmq_recv(router, body, sizeof body, ZMQ_DONTWAIT);
    printf("router: from %s: %.*s\n", id[0] == 0 ? "somebody" : "X", size < 0 ? 0 : size, body);
}

// A client that comes again while messages of its last life are unread: `moment` says when it went.
static void gone_before(void *context, const char *transport, const char *moment) {
    SECTION("a peer that has gone is handed over over %s, %s", transport, moment);
    const bool found = strcmp(moment, "one message found") == 0;
    const bool later = strcmp(moment, "one message found, gone after it") == 0;
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_HANDOVER, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *first = dealer_as(context, "X", endpoint);
    MUST(send_text(first, "0", 0));
    expect("router", router);
    MUST(send_text(first, "1", 0));
    MUST(send_text(first, "2", 0));
    if (found || later)
        MUST(wait_for(router, ZMQ_POLLIN, 2000) ? 0 : -1);
    settle();
    if (!later) {
        zmq_close(first);
        settle_peers(router);
    }
    void *second = dealer_as(context, "X", endpoint);
    MUST(send_text(second, "new", 0));
    settle_peers(router);
    if (later) {
        zmq_close(first);
        settle_peers(router);
    }
    for (int i = 0; i < 4; i++)
        expect_from(router);
    show_send("router", router, "X|for the new one", 0);
    expect("second peer", second);
    zmq_close(second);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        duplicates(context, transports[t], false);
        duplicates(context, transports[t], true);
        given_free(context, transports[t]);
        handed_on_twice(context, transports[t]);
        gone_before(context, transports[t], "no message found");
        gone_before(context, transports[t], "one message found");
        gone_before(context, transports[t], "one message found, gone after it");
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
