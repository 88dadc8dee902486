// SPDX-License-Identifier: MPL-2.0
//
// DEALER and ROUTER: round robin, fair queueing, routing ids given and made up, unknown ids, partial
// messages.
#include "support.h"

static void dealer_round_robin(void *context, const char *transport) {
    SECTION("DEALER sends round robin over %s", transport);
    void *dealer = open_socket(context, ZMQ_DEALER);
    void *peers[3];
    char endpoint[ENDPOINT_SIZE];
    for (int i = 0; i < 3; i++) {
        peers[i] = open_socket(context, ZMQ_DEALER);
        MUST(bind_any(peers[i], transport, endpoint));
        MUST(zmq_connect(dealer, endpoint));
    }
    for (int i = 0; i < 6; i++) {
        char text[] = {(char)('0' + i), '|', 't', 0};
        MUST(send_text(dealer, text, 0));
    }
    for (int i = 0; i < 3; i++) {
        printf("peer %d\n", i);
        expect("first", peers[i]);
        expect("second", peers[i]);
        expect_none("third", peers[i]);
        zmq_close(peers[i]);
    }
    zmq_close(dealer);
}

static void fair_queue(void *context) {
    SECTION("fair queueing of three peers with three messages each");
    void *router = open_socket(context, ZMQ_ROUTER);
    void *peers[3];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, "inproc", endpoint));
    for (int i = 0; i < 3; i++) {
        char id[] = {(char)('A' + i), 0};
        peers[i] = open_socket(context, ZMQ_DEALER);
        set_text(peers[i], ZMQ_ROUTING_ID, id);
        MUST(zmq_connect(peers[i], endpoint));
        for (int k = 0; k < 3; k++) {
            char text[] = {(char)('0' + k), '|', 't', 0};
            MUST(send_text(peers[i], text, 0));
        }
    }
    for (int i = 0; i < 9; i++) {
        expect("next", router);
    }
    for (int i = 0; i < 3; i++) {
        zmq_close(peers[i]);
    }
    zmq_close(router);
}

static void made_up_ids(void *context, const char *transport) {
    SECTION("ids made up over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *a = open_socket(context, ZMQ_DEALER);
    void *b = open_socket(context, ZMQ_DEALER);
    char endpoint[ENDPOINT_SIZE];
    join_at(router, a, transport, endpoint);
    MUST(zmq_connect(b, endpoint));
    for (int i = 0; i < 2; i++) {
        void *peer = i ? b : a;
        MUST(send_text(peer, "hello", 0));
        unsigned char id[32];
        int size = zmq_recv(router, id, sizeof id, 0);
        printf("id of size %d, first byte %d, ", size, id[0]);
        expect("body", router);
        MUST(zmq_send(router, id, (size_t)size, ZMQ_SNDMORE));
        MUST(zmq_send(router, "for you", 7, 0));
        expect("peer", peer);
    }
    zmq_close(router);
    zmq_close(a);
    zmq_close(b);
}

static void unknown_ids(void *context) {
    SECTION("ROUTER sends to nobody");
    void *router = open_socket(context, ZMQ_ROUTER);
    printf("events %s\n", events_text(events_of(router)));
    show_send("unknown", router, "nobody|body", ZMQ_DONTWAIT);
    show_send("id only", router, "nobody", ZMQ_DONTWAIT);
    show_send("empty id", router, "|body", ZMQ_DONTWAIT);
    SHOW(zmq_send(router, "id", 2, ZMQ_SNDMORE));
    show_send("unknown, long", router, "x|y|z", 0);
    receive_now("router", router);
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    join(router, dealer, "inproc");
    events_of(router);
    show_send("id only", router, "D", 0);
    expect_none("dealer", dealer);
    show_send("empty body", router, "D|", 0);
    expect("dealer", dealer);
    show_send("several", router, "D|a||b", 0);
    expect("dealer", dealer);
    show_send("dealer", dealer, "", 0);
    expect("router", router);
    zmq_close(dealer);
    WAIT_UNTIL(set_int(router, ZMQ_ROUTER_MANDATORY, 1) == 0 && send_text(router, "D|x", ZMQ_DONTWAIT) == -1);
    show_send("gone peer, mandatory", router, "D|x", ZMQ_DONTWAIT);
    zmq_close(router);
}

static void alone(void *context) {
    SECTION("DEALER without peers");
    void *dealer = open_socket(context, ZMQ_DEALER);
    printf("events %s\n", events_text(events_of(dealer)));
    show_send("dealer", dealer, "x", ZMQ_DONTWAIT);
    receive_now("dealer", dealer);
    zmq_close(dealer);
}

static void router_to_router(void *context, const char *transport) {
    SECTION("ROUTER to ROUTER over %s", transport);
    void *a = open_socket(context, ZMQ_ROUTER);
    void *b = open_socket(context, ZMQ_ROUTER);
    set_text(a, ZMQ_ROUTING_ID, "A");
    set_text(b, ZMQ_ROUTING_ID, "B");
    set_int(b, ZMQ_ROUTER_MANDATORY, 1);
    join(a, b, transport);
    WAIT_UNTIL(send_text(b, "A|hello", ZMQ_DONTWAIT) != -1);
    expect("a", a);
    show_send("a", a, "B|answer|x", 0);
    expect("b", b);
    zmq_close(a);
    zmq_close(b);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        dealer_round_robin(context, transports[t]);
        made_up_ids(context, transports[t]);
        router_to_router(context, transports[t]);
    }
    fair_queue(context);
    unknown_ids(context);
    alone(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
