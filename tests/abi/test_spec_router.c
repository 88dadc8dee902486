// SPDX-License-Identifier: MPL-2.0
//
// RFC 28 about ROUTER: fair queueing, the identity before each message, routing by it, messages that
// cannot be routed, queues that end with their peer.
#include "support.h"

enum { PEERS = 3 };

static void *peer_as(void *context, int number, const char *endpoint) {
    const char id[] = {(char)('A' + number), 0};
    void *peer = open_socket(context, ZMQ_DEALER);
    set_text(peer, ZMQ_ROUTING_ID, id);
    MUST(zmq_connect(peer, endpoint));
    return peer;
}

/* Each peer has sent two messages before the first is received: none is served twice before all were once. */
static void fair_queued(void *context, const char *transport) {
    SECTION("receives from all in turn over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *peers[PEERS];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (int i = 0; i < PEERS; i++) {
        peers[i] = peer_as(context, i, endpoint);
        MUST(send_text(peers[i], "known", 0));
        expect("router", router);
    }
    for (int i = 0; i < PEERS; i++) {
        MUST(send_text(peers[i], "1", 0));
        MUST(send_text(peers[i], "2", 0));
    }
    settle();
    events_of(router);
    for (int round = 0; round < 2; round++) {
        bool seen[PEERS] = {false};
        for (int i = 0; i < PEERS; i++) {
            char id[8];
            char body[8];
            zmq_recv(router, id, sizeof id, 0);
            zmq_recv(router, body, sizeof body, 0);
            if (id[0] >= 'A' && id[0] < 'A' + PEERS) {
                seen[id[0] - 'A'] = true;
            }
        }
        printf("round %d: from A %d, from B %d, from C %d\n", round, seen[0], seen[1], seen[2]);
    }
    for (int i = 0; i < PEERS; i++) {
        zmq_close(peers[i]);
    }
    zmq_close(router);
}

static void prefixed(void *context, const char *transport) {
    SECTION("the identity comes before each message over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *peer = peer_as(context, 0, endpoint);
    static const char *const texts[] = {"", "body", "|", "a|b||c"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        MUST(send_text(peer, texts[i], 0));
        expect("router", router);
    }
    printf("more after an id: ");
    MUST(send_text(peer, "body", 0));
    char id[8];
    MUST(zmq_recv(router, id, sizeof id, 0));
    printf("%d, after the body: ", get_int(router, ZMQ_RCVMORE));
    MUST(zmq_recv(router, id, sizeof id, 0));
    printf("%d\n", get_int(router, ZMQ_RCVMORE));
    zmq_close(peer);
    zmq_close(router);
}

static void not_routable(void *context, const char *transport) {
    SECTION("messages to nobody are dropped over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    show_send("without peers", router, "nobody|a|b", ZMQ_DONTWAIT);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *peer = peer_as(context, 0, endpoint);
    MUST(send_text(peer, "hello", 0));
    expect("router", router);
    show_send("to another", router, "nobody|a|b", ZMQ_DONTWAIT);
    show_send("to the peer", router, "A|a|b", ZMQ_DONTWAIT);
    expect("peer", peer);
    expect_none("peer", peer);
    zmq_close(peer);
    zmq_close(router);
}

/* RFC 28: the queue, and what it holds, goes with a peer that disconnects. */
static void forgotten(void *context, const char *transport) {
    SECTION("a peer that comes again has an empty queue over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *peer = peer_as(context, 0, endpoint);
    MUST(send_text(peer, "hello", 0));
    expect("router", router);
    zmq_close(peer);
    WAIT_UNTIL(send_text(router, "A|lost", ZMQ_DONTWAIT) == -1);
    settle_peers(router);
    peer = peer_as(context, 0, endpoint);
    MUST(send_text(peer, "again", 0));
    expect("router", router);
    expect_none("peer", peer);
    show_send("router", router, "A|fresh", 0);
    expect("peer", peer);
    zmq_close(peer);
    zmq_close(router);
}

/* RFC 28: an outgoing connection has its queue whether or not it is established. */
static void queued_before_connected(void *context, const char *transport) {
    SECTION("messages wait for a connection over %s", transport);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    MUST(set_int(router, ZMQ_RECONNECT_IVL, 10));
    MUST(set_text(router, ZMQ_CONNECT_ROUTING_ID, "later"));
    MUST(zmq_connect(router, endpoint));
    show_send("before", router, "later|early", 0);
    void *peer = open_socket(context, ZMQ_DEALER);
    MUST(zmq_bind(peer, endpoint));
    expect("peer", peer);
    MUST(send_text(peer, "answer", 0));
    expect("router", router);
    zmq_close(peer);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        fair_queued(context, transports[t]);
        prefixed(context, transports[t]);
        not_routable(context, transports[t]);
        forgotten(context, transports[t]);
        queued_before_connected(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
