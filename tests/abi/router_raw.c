// SPDX-License-Identifier: MPL-2.0
//
// ROUTER_RAW: a ROUTER that speaks plain tcp.
#include "plain.h"

static void *raw_router(void *context, int mandatory) {
    void *router = open_socket(context, ZMQ_ROUTER);
    SHOW(set_int(router, ZMQ_ROUTER_RAW, 1));
    SHOW(set_int(router, ZMQ_ROUTER_MANDATORY, mandatory));
    return router;
}

static void bound(void *context, int mandatory) {
    SECTION("bound, mandatory %d", mandatory);
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    const peer_id nobody = {"nobody", 6};
    void *router = raw_router(context, mandatory);
    printf("events: %s\n", events_text(events_of(router)));
    MUST(bind_any(router, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", router, &id);
    MUST(send(peer, "hello", 5, 0));
    take("data", router, &id);
    give("nobody", router, &nobody, "x", 0);
    give("reply", router, &id, "world", 0);
    plain_expect("reply", router, peer, "world");
    give("one", router, &id, "one", ZMQ_SNDMORE);
    SHOW(zmq_send(router, "two", 3, 0));
    give("three", router, &id, "three", 0);
    plain_expect("three", router, peer, "onethree");
    give("goodbye", router, &id, "bye", 0);
    give("close", router, &id, "", 0);
    plain_expect("goodbye", router, peer, "bye");
    plain_end("close", router, peer);
    expect_none("of its own closing", router);

    peer = plain_connect(endpoint);
    take("second", router, &id);
    MUST(send(peer, "last words", 10, 0));
    close(peer);
    take("words", router, &id);
    take("left", router, &id);
    zmq_close(router);
}

static void connecting(void *context) {
    SECTION("connecting");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    int listener = plain_listen(endpoint);
    void *router = raw_router(context, 0);
    SHOW(set_text(router, ZMQ_CONNECT_ROUTING_ID, "server"));
    SHOW(zmq_connect(router, endpoint));
    int peer = accept(listener, NULL, NULL);
    MUST(peer);
    take("connected", router, &id);
    give("to it", router, &id, "hello", 0);
    plain_expect("to it", router, peer, "hello");
    MUST(send(peer, "world", 5, 0));
    take("from it", router, &id);
    close(listener);
    close(peer);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    bound(context, 0);
    bound(context, 1);
    connecting(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
