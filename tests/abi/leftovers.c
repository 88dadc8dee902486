// SPDX-License-Identifier: MPL-2.0
//
// Rests of messages when their connection ends. If a poll has found a message, it is received after
// zmq_disconnect, a handover of the routing id, and the end of a raw connection. A send to a peer that is
// gone waits for another peer, even if messages of the gone one are still to be received.
#include "support.h"

static void *shorter(void *context, int type) {
    void *socket = open_socket(context, type);
    MUST(set_int(socket, ZMQ_SNDTIMEO, QUIET_MS));
    return socket;
}

static void join_settled(void *bound, void *connected, const char *transport, char *endpoint) {
    join_at(bound, connected, transport, endpoint);
    settle_peers(bound);
    settle_peers(connected);
}

/* The found message has one frame: libzmq cuts others in the middle. */
static void found_and_disconnected(void *context, int from_type, int to_type, const char *transport,
                                   bool found) {
    SECTION("%s to %s over %s, disconnected, message %s", type_names[from_type], type_names[to_type],
            transport, found ? "found before" : "not looked for");
    void *from = shorter(context, from_type);
    void *to = shorter(context, to_type);
    if (to_type == ZMQ_SUB) {
        MUST(zmq_setsockopt(to, ZMQ_SUBSCRIBE, "", 0));
    }
    char endpoint[ENDPOINT_SIZE];
    join_settled(from, to, transport, endpoint);
    MUST(send_text(from, "one", 0));
    MUST(send_text(from, "two", 0));
    settle();
    if (found) {
        printf("found %s\n", wait_for(to, ZMQ_POLLIN, PATIENCE_MS) ? "it" : "nothing");
    }
    SHOW(zmq_disconnect(to, endpoint));
    settle_peers(from);
    settle_peers(to);
    receive_now("first", to);
    receive_now("second", to);
    MUST(zmq_connect(to, endpoint));
    settle_peers(to);
    settle_peers(from);
    MUST(send_text(from, "three", 0));
    expect("again", to);
    zmq_close(from);
    zmq_close(to);
}

/* Returns with half a message received, and its end dropped: how that is received is not the same. */
static void half_received(void *context, int from_type, int to_type, bool peer_closes) {
    SECTION("%s, half a message of %s received, %s", type_names[to_type], type_names[from_type],
            peer_closes ? "peer closed" : "disconnected");
    void *from = shorter(context, from_type);
    void *to = shorter(context, to_type);
    char endpoint[ENDPOINT_SIZE];
    join_settled(from, to, "inproc", endpoint);
    MUST(send_text(from, "a|b|c", 0));
    char byte;
    SHOW(zmq_recv(to, &byte, 1, 0));
    if (peer_closes) {
        zmq_close(from);
    } else {
        SHOW(zmq_disconnect(to, endpoint));
        settle_peers(from);
        printf("peer: %s\n", events_text(events_of(from)));
        show_send("peer", from, "x", ZMQ_DONTWAIT);
        show_send("peer", from, "y", 0);
        zmq_close(from);
    }
    settle_peers(to);
    show_send("here, without waiting", to, "x", ZMQ_DONTWAIT);
    show_send("here, waiting", to, "y|z", 0);
    printf("sendable %d\n", (events_of(to) & ZMQ_POLLOUT) != 0);
    zmq_close(to);
}

static void half_sent(void *context, int type, int peer_type, bool peer_closes) {
    SECTION("%s, half a message sent, %s", type_names[type], peer_closes ? "peer closed" : "disconnected");
    void *socket = shorter(context, type);
    void *peer = shorter(context, peer_type);
    char endpoint[ENDPOINT_SIZE];
    join_settled(peer, socket, "inproc", endpoint);
    SHOW(zmq_send(socket, "a", 1, ZMQ_SNDMORE));
    if (peer_closes) {
        zmq_close(peer);
    } else {
        SHOW(zmq_disconnect(socket, endpoint));
    }
    settle_peers(socket);
    printf("%s\n", events_text(events_of(socket)));
    SHOW(zmq_send(socket, "b", 1, ZMQ_SNDMORE));
    SHOW(zmq_send(socket, "c", 1, 0));
    SHOW(zmq_send(socket, "d", 1, ZMQ_DONTWAIT));
    printf("%s\n", events_text(events_of(socket)));
    if (!peer_closes) {
        zmq_close(peer);
    }
    zmq_close(socket);
}

static void *dealer_named(void *context, const char *id, const char *endpoint) {
    void *dealer = open_socket(context, ZMQ_DEALER);
    MUST(set_text(dealer, ZMQ_ROUTING_ID, id));
    MUST(zmq_connect(dealer, endpoint));
    return dealer;
}

static void handed_over(void *context, const char *transport, const char *first, bool found) {
    SECTION("handed over, %s %s, over %s", first, found ? "found before" : "not looked for", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_HANDOVER, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *old = dealer_named(context, "A", endpoint);
    settle_peers(router);
    MUST(send_text(old, first, 0));
    MUST(send_text(old, "dropped", 0));
    settle();
    if (found) {
        printf("found %s\n", wait_for(router, ZMQ_POLLIN, PATIENCE_MS) ? "it" : "nothing");
    }
    void *fresh = dealer_named(context, "A", endpoint);
    settle_peers(router);
    receive_now("first", router);
    receive_now("second", router);
    send_text(old, "too late", ZMQ_DONTWAIT);
    settle_peers(router);
    receive_now("of the old one", router);
    show_send("router", router, "A|x", 0);
    expect("new one", fresh);
    MUST(send_text(fresh, "y", 0));
    expect("router", router);
    zmq_close(old);
    zmq_close(fresh);
    zmq_close(router);
}

static int plain_connection(const char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1));
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(descriptor);
    MUST(connect(descriptor, (struct sockaddr *)&address, sizeof address));
    return descriptor;
}

static void closed_by_hand(void *context, int type) {
    SECTION("%s closes a connection whose bytes were found", type_names[type]);
    void *raw = open_socket(context, type);
    if (type == ZMQ_ROUTER) {
        MUST(set_int(raw, ZMQ_ROUTER_RAW, 1));
    }
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(raw, "tcp", endpoint));
    int peer = plain_connection(endpoint);
    unsigned char id[8];
    char rest[8];
    int size = zmq_recv(raw, id, sizeof id, 0);
    MUST(size);
    printf("connected %d\n", zmq_recv(raw, rest, sizeof rest, 0));
    for (int i = 0; i < 2; i++) {
        MUST(send(peer, i ? "later" : "bytes", 5, 0));
        printf("found %s\n", wait_for(raw, ZMQ_POLLIN, PATIENCE_MS) ? "it" : "nothing");
        settle();
    }
    MUST(zmq_send(raw, id, (size_t)size, ZMQ_SNDMORE));
    SHOW(zmq_send(raw, "", 0, 0));
    settle_peers(raw);
    receive_now("first", raw);
    receive_now("second", raw);
    printf("the peer reads %zd\n", recv(peer, rest, sizeof rest, 0));
    close(peer);
    zmq_close(raw);
}

static void request_withdrawn(void *context, bool own_request) {
    SECTION("a REQ that disconnects takes no answer%s", own_request ? ", and not its own request" : "");
    void *req = shorter(context, ZMQ_REQ);
    MUST(set_int(req, ZMQ_RCVTIMEO, QUIET_MS));
    MUST(zmq_connect(req, "inproc://withdrawn"));
    MUST(send_text(req, "question", 0));
    SHOW(zmq_disconnect(req, "inproc://withdrawn"));
    settle_peers(req);
    MUST(zmq_bind(req, own_request ? "inproc://withdrawn" : "inproc://answers"));
    void *dealer = open_socket(context, ZMQ_DEALER);
    MUST(zmq_connect(dealer, own_request ? "inproc://withdrawn" : "inproc://answers"));
    settle_peers(req);
    MUST(send_text(dealer, "|answer", 0));
    expect("req", req);
    show_send("req", req, "next", 0);
    zmq_close(dealer);
    zmq_close(req);
}

/* An inproc connection whose peer is gone cannot be disconnected. */
static void peer_gone(void *context, bool something_unread) {
    SECTION("inproc, disconnect when the peer is gone%s", something_unread ? ", with something unread" : "");
    void *bound = open_socket(context, ZMQ_DEALER);
    void *connected = open_socket(context, ZMQ_DEALER);
    char endpoint[ENDPOINT_SIZE];
    join_settled(bound, connected, "inproc", endpoint);
    if (something_unread) {
        MUST(send_text(bound, "x", 0));
    }
    zmq_close(bound);
    settle_peers(connected);
    SHOW(zmq_disconnect(connected, endpoint));
    SHOW(zmq_disconnect(connected, endpoint));
    zmq_close(connected);
}

static void refused(void *context) {
    SECTION("inproc, a PAIR that was refused");
    void *bound = open_socket(context, ZMQ_PAIR);
    void *first = open_socket(context, ZMQ_PAIR);
    void *second = open_socket(context, ZMQ_PAIR);
    char endpoint[ENDPOINT_SIZE];
    join_settled(bound, first, "inproc", endpoint);
    MUST(zmq_connect(second, endpoint));
    for (int i = 0; i < 2; i++) {
        settle_peers(bound);
        settle_peers(second);
    }
    SHOW(zmq_disconnect(second, endpoint));
    SHOW(zmq_disconnect(first, endpoint));
    zmq_close(bound);
    zmq_close(first);
    zmq_close(second);
}

static void connected_to_itself(void *context, bool unbinds_first) {
    SECTION("inproc, a socket that is bound and connected to one name");
    void *dealer = open_socket(context, ZMQ_DEALER);
    MUST(zmq_bind(dealer, "inproc://own"));
    MUST(zmq_connect(dealer, "inproc://own"));
    settle_peers(dealer);
    for (int i = 0; i < 3; i++) {
        if ((i == 0) == unbinds_first) {
            SHOW(zmq_unbind(dealer, "inproc://own"));
        } else {
            SHOW(zmq_disconnect(dealer, "inproc://own"));
        }
        settle_peers(dealer);
    }
    void *other = open_socket(context, ZMQ_DEALER);
    SHOW(zmq_bind(other, "inproc://own"));
    zmq_close(other);
    zmq_close(dealer);
}

static void endpoints(void *context) {
    for (int i = 0; i < 2; i++) {
        peer_gone(context, i);
        connected_to_itself(context, i);
    }
    refused(context);
}

static void disconnected(void *context) {
    for (int found = 0; found < 2; found++) {
        for (int t = 0; t < 2; t++) {
            found_and_disconnected(context, ZMQ_PUB, ZMQ_SUB, transports[t], found);
            found_and_disconnected(context, ZMQ_DEALER, ZMQ_ROUTER, transports[t], found);
        }
        found_and_disconnected(context, ZMQ_PUSH, ZMQ_PULL, "inproc", found);
        found_and_disconnected(context, ZMQ_DEALER, ZMQ_DEALER, "inproc", found);
    }
}

static void half(void *context) {
    for (int closes = 0; closes < 2; closes++) {
        half_received(context, ZMQ_PAIR, ZMQ_PAIR, closes);
        half_received(context, ZMQ_DEALER, ZMQ_DEALER, closes);
        half_sent(context, ZMQ_PAIR, ZMQ_PAIR, closes);
        half_sent(context, ZMQ_DEALER, ZMQ_DEALER, closes);
        half_sent(context, ZMQ_PUSH, ZMQ_PULL, closes);
        request_withdrawn(context, closes);
    }
}

static void handover(void *context) {
    for (int found = 0; found < 2; found++) {
        for (int t = 0; t < 2; t++) {
            handed_over(context, transports[t], "one", found);
            handed_over(context, transports[t], "one|b|c", found);
        }
    }
}

int main(int count, char **arguments) {
    start();
    void *context = zmq_ctx_new();
    const char *part = count > 1 ? arguments[1] : "";
    if (strcmp(part, "disconnected") == 0) {
        disconnected(context);
    } else if (strcmp(part, "half") == 0) {
        half(context);
    } else if (strcmp(part, "endpoints") == 0) {
        endpoints(context);
    } else if (strcmp(part, "handover") == 0) {
        handover(context);
    } else {
        closed_by_hand(context, ZMQ_ROUTER);
        closed_by_hand(context, ZMQ_STREAM);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
