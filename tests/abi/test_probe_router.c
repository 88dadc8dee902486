// SPDX-License-Identifier: MPL-2.0
//
// PROBE_ROUTER: an empty message tells a ROUTER of a new connection.
#include "support.h"

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

static void bound_prober(void *context, const char *transport) {
    SECTION("a ROUTER that probes whom it accepts, over %s", transport);
    void *prober = open_socket(context, ZMQ_ROUTER);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(prober, ZMQ_PROBE_ROUTER, 1));
    set_text(prober, ZMQ_ROUTING_ID, "P");
    set_text(router, ZMQ_ROUTING_ID, "R");
    MUST(set_int(prober, ZMQ_ROUTER_MANDATORY, 1));
    join(prober, router, transport);
    settle_peers(prober);
    expect("router", router);
    show_send("router", router, "P|hello", 0);
    expect("prober", prober);
    show_send("prober", prober, "R|answer", 0);
    expect("router", router);
    zmq_close(prober);
    zmq_close(router);
}

static void by_chosen_name(void *context, const char *transport) {
    SECTION("a probing ROUTER that names its peer, over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *prober = open_socket(context, ZMQ_ROUTER);
    set_text(prober, ZMQ_ROUTING_ID, "P");
    MUST(set_int(prober, ZMQ_PROBE_ROUTER, 1));
    MUST(set_text(prober, ZMQ_CONNECT_ROUTING_ID, "server"));
    join(router, prober, transport);
    expect("router", router);
    show_send("prober", prober, "server|hello", 0);
    expect("router", router);
    show_send("router", router, "P|answer", 0);
    expect("prober", prober);
    zmq_close(prober);
    zmq_close(router);
}

static void each_connection(void *context, const char *transport) {
    SECTION("one probe for each connection over %s", transport);
    void *prober = open_socket(context, ZMQ_DEALER);
    set_text(prober, ZMQ_ROUTING_ID, "P");
    MUST(set_int(prober, ZMQ_PROBE_ROUTER, 1));
    void *routers[3];
    for (int i = 0; i < 3; i++) {
        routers[i] = open_socket(context, ZMQ_ROUTER);
        join(routers[i], prober, transport);
        expect("router", routers[i]);
    }
    for (int i = 0; i < 3; i++) {
        expect_none("router", routers[i]);
        zmq_close(routers[i]);
    }
    zmq_close(prober);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        probe(context, ZMQ_DEALER, transports[t]);
        probe(context, ZMQ_REQ, transports[t]);
        probe(context, ZMQ_ROUTER, transports[t]);
        probed_others(context, transports[t]);
        bound_prober(context, transports[t]);
        by_chosen_name(context, transports[t]);
        each_connection(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
