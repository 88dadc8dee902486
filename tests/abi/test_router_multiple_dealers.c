// SPDX-License-Identifier: MPL-2.0
//
// One ROUTER and several DEALERs: whose message it was, to whom an answer goes, order, who has left.
#include "support.h"

enum { DEALERS = 3, ROUNDS = 3 };

static void *named_dealer(void *context, int number, const char *endpoint) {
    const char id[] = {(char)('A' + number), 0};
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, id);
    MUST(zmq_connect(dealer, endpoint));
    return dealer;
}

/* One message of the peer at a time, so that the order is settled. */
static void routed_by_id(void *context, const char *transport) {
    SECTION("to and from each by its id over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *dealers[DEALERS];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (int i = 0; i < DEALERS; i++) {
        dealers[i] = named_dealer(context, i, endpoint);
        MUST(send_text(dealers[i], "one|two", 0));
        expect("router", router);
    }
    show_send("router", router, "C|for C|more", 0);
    show_send("router", router, "A|for A", 0);
    show_send("router", router, "B|", 0);
    show_send("router", router, "A|for A again", 0);
    for (int i = 0; i < DEALERS; i++) {
        expect("dealer", dealers[i]);
    }
    expect("first dealer", dealers[0]);
    for (int i = 0; i < DEALERS; i++) {
        expect_none("dealer", dealers[i]);
        zmq_close(dealers[i]);
    }
    zmq_close(router);
}

/* Each dealer sees its own messages in the order in which it sent them. */
static void echoed(void *context, const char *transport) {
    SECTION("echoed to each in order over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *dealers[DEALERS];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (int i = 0; i < DEALERS; i++) {
        dealers[i] = named_dealer(context, i, endpoint);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < DEALERS; i++) {
            const char text[] = {(char)('A' + i), (char)('0' + round), 0};
            MUST(send_text(dealers[i], text, 0));
        }
    }
    for (int count = 0; count < DEALERS * ROUNDS; count++) {
        char id[8];
        char body[8];
        int id_size = zmq_recv(router, id, sizeof id, 0);
        int size = zmq_recv(router, body, sizeof body, 0);
        MUST(zmq_send(router, id, (size_t)id_size, ZMQ_SNDMORE));
        MUST(zmq_send(router, body, (size_t)size, 0));
    }
    for (int i = 0; i < DEALERS; i++) {
        for (int round = 0; round < ROUNDS; round++) {
            expect("dealer", dealers[i]);
        }
        expect_none("dealer", dealers[i]);
        zmq_close(dealers[i]);
    }
    zmq_close(router);
}

static void one_leaves(void *context, const char *transport) {
    SECTION("the others stay when one leaves over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    void *dealers[DEALERS];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (int i = 0; i < DEALERS; i++) {
        dealers[i] = named_dealer(context, i, endpoint);
        MUST(send_text(dealers[i], "hello", 0));
        expect("router", router);
    }
    zmq_close(dealers[1]);
    WAIT_UNTIL(send_text(router, "B|x", ZMQ_DONTWAIT) == -1);
    show_send("who left", router, "B|x", ZMQ_DONTWAIT);
    show_send("first", router, "A|x", ZMQ_DONTWAIT);
    show_send("last", router, "C|x", ZMQ_DONTWAIT);
    expect("first", dealers[0]);
    expect("last", dealers[2]);
    zmq_close(dealers[0]);
    zmq_close(dealers[2]);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        routed_by_id(context, transports[t]);
        echoed(context, transports[t]);
        one_leaves(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
