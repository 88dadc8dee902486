// SPDX-License-Identifier: MPL-2.0
//
// Peers with the same routing id (with and without ROUTER_HANDOVER), CONNECT_ROUTING_ID, PROBE_ROUTER, odd
// ids.
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

static void connect_id(void *context, const char *transport) {
    SECTION("CONNECT_ROUTING_ID over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "own name");
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(dealer, transport, endpoint));
    SHOW(set_text(router, ZMQ_CONNECT_ROUTING_ID, "chosen"));
    SHOW(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    SHOW(zmq_connect(router, endpoint));
    show_send("at once", router, "chosen|hello", 0);
    expect("dealer", dealer);
    MUST(send_text(dealer, "answer", 0));
    expect("router", router);
    show_send("by its own name", router, "own name|x", ZMQ_DONTWAIT);

    void *other = open_socket(context, ZMQ_DEALER);
    join_at(other, router, transport, endpoint);
    show_send("the id is used once", router, "chosen|for the first", 0);
    expect("first", dealer);
    expect_none("other", other);
    zmq_close(router);
    zmq_close(dealer);
    zmq_close(other);
}

static void probe(void *context, int type, const char *transport) {
    SECTION("PROBE_ROUTER from %s over %s", type_names[type], transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *prober = open_socket(context, type);
    set_text(prober, ZMQ_ROUTING_ID, "P");
    SHOW(set_int(prober, ZMQ_PROBE_ROUTER, 1));
    join(router, prober, transport);
    expect("router", router);
    if (type == ZMQ_REQ) {
        show_send("prober", prober, "question", 0);
        expect("router", router);
    }
    show_send("router", router, type == ZMQ_REQ ? "P||answer" : "P|hello", 0);
    expect("prober", prober);
    zmq_close(prober);
    zmq_close(router);
}

static void probed_others(void *context, const char *transport) {
    SECTION("PROBE_ROUTER towards a DEALER and a REP over %s", transport);
    static const int types[] = {ZMQ_DEALER, ZMQ_REP};
    for (int i = 0; i < 2; i++) {
        void *peer = open_socket(context, types[i]);
        void *prober = open_socket(context, ZMQ_DEALER);
        MUST(set_int(prober, ZMQ_PROBE_ROUTER, 1));
        join(peer, prober, transport);
        MUST(send_text(prober, "|after the probe", 0));
        expect(type_names[types[i]], peer);
        expect_none(type_names[types[i]], peer);
        zmq_close(prober);
        zmq_close(peer);
    }
}

static void odd_ids(void *context, const char *transport) {
    SECTION("odd ids over %s", transport);
    static const struct {
        const char *bytes;
        size_t size;
    } ids[] = {{"\0zero first", 11}, {"\0", 1}, {"\xff\xfe", 2}, {"\0\1\2\3\4", 5}, {" ", 1}};
    void *router = open_socket(context, ZMQ_ROUTER);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        void *dealer = open_socket(context, ZMQ_DEALER);
        int result = zmq_setsockopt(dealer, ZMQ_ROUTING_ID, ids[i].bytes, ids[i].size);
        printf("id %zu -> %s\n", i, result == -1 ? errno_name(zmq_errno()) : "ok");
        MUST(zmq_connect(dealer, endpoint));
        MUST(send_text(dealer, "hello", 0));
        expect_none("router", router);
        zmq_close(dealer);
    }
    void *dealer = open_socket(context, ZMQ_DEALER);
    char longest[255];
    memset(longest, 'i', sizeof longest);
    MUST(zmq_setsockopt(dealer, ZMQ_ROUTING_ID, longest, sizeof longest));
    MUST(zmq_connect(dealer, endpoint));
    MUST(send_text(dealer, "longest id", 0));
    expect("router", router);
    zmq_close(dealer);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        duplicates(context, transports[t], false);
        duplicates(context, transports[t], true);
        connect_id(context, transports[t]);
        probe(context, ZMQ_DEALER, transports[t]);
        probe(context, ZMQ_REQ, transports[t]);
        probe(context, ZMQ_ROUTER, transports[t]);
        probed_others(context, transports[t]);
        odd_ids(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
