// SPDX-License-Identifier: MPL-2.0
//
// Ports and names in use, unbind and disconnect with known and unknown endpoints, binding again, several
// endpoints.
#include "support.h"

static void one(void *context, const char *transport) {
    SECTION("%s", transport);
    void *a = open_socket(context, ZMQ_PULL);
    void *b = open_socket(context, ZMQ_PUSH);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(a, transport, endpoint));
    SHOW(zmq_bind(a, endpoint)); /* an ipc path is taken over instead: endpoint_forms.c */
    SHOW(zmq_bind(b, endpoint));
    SHOW(zmq_unbind(b, endpoint));
    SHOW(zmq_disconnect(b, endpoint));
    SHOW(zmq_connect(b, endpoint));
    SHOW(zmq_connect(b, endpoint));
    printf("last endpoint of connect is what was given: ");
    char last[ENDPOINT_SIZE] = "";
    size_t size = sizeof last;
    zmq_getsockopt(b, ZMQ_LAST_ENDPOINT, last, &size);
    printf("%d\n", strcmp(last, endpoint) == 0);
    MUST(zmq_send(b, "one", 3, 0));
    expect("received", a);
    SHOW(zmq_disconnect(b, endpoint));
    SHOW(zmq_disconnect(b, endpoint));
    SHOW(zmq_disconnect(b, endpoint));
    SHOW(zmq_send(b, "two", 3, ZMQ_DONTWAIT));
    size = sizeof last;
    zmq_getsockopt(b, ZMQ_LAST_ENDPOINT, last, &size);
    printf("last endpoint after disconnect: %s\n", strcmp(last, endpoint) == 0 ? "the old one" : last);
    SHOW(zmq_unbind(a, endpoint));
    SHOW(zmq_unbind(a, endpoint));
    size = sizeof last;
    zmq_getsockopt(a, ZMQ_LAST_ENDPOINT, last, &size);
    printf("last endpoint after unbind: %s\n", strcmp(last, endpoint) == 0 ? "the old one" : last);
    bool bound = false;
    WAIT_UNTIL((bound = zmq_bind(a, endpoint) == 0));
    printf("bound again: %d\n", bound);
    SHOW(zmq_connect(b, endpoint));
    MUST(zmq_send(b, "three", 5, 0));
    expect("received", a);
    zmq_close(b);
    zmq_close(a);
    void *c = open_socket(context, ZMQ_PULL);
    bound = false;
    WAIT_UNTIL((bound = zmq_bind(c, endpoint) == 0));
    printf("bound by another socket after close: %d\n", bound);
    zmq_close(c);
}

/* The two calls are one: each removes what the other made. */
static void crossed(void *context, const char *transport) {
    SECTION("disconnect of a bound, unbind of a connected endpoint over %s", transport);
    void *a = open_socket(context, ZMQ_PULL);
    void *b = open_socket(context, ZMQ_PUSH);
    char endpoint[ENDPOINT_SIZE];
    join_at(a, b, transport, endpoint);
    MUST(zmq_send(b, "one", 3, 0));
    expect("received", a);
    SHOW(zmq_unbind(b, endpoint));
    SHOW(zmq_unbind(b, endpoint));
    SHOW(zmq_disconnect(a, endpoint));
    SHOW(zmq_disconnect(a, endpoint));
    show_send("after unbind", b, "two", ZMQ_DONTWAIT);
    zmq_close(a);
    zmq_close(b);
}

static void unknown(void *context) {
    static const char *const endpoints[] = {
        "inproc://unknown", "tcp://127.0.0.1:5", "tcp://127.0.0.1:*", "tcp://*:*", "ipc:///tmp/unknown",
        "ipc://*",          "ipc://@x",          "nonsense",          "",          "x://y",
        "tcp://",           "udp://127.0.0.1:5", "tcp://nonsense",    "inproc://"};
    SECTION("unknown endpoints");
    void *socket = open_socket(context, ZMQ_DEALER);
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
        int result = zmq_unbind(socket, endpoints[i]);
        printf("unbind \"%s\" -> %s\n", endpoints[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        result = zmq_disconnect(socket, endpoints[i]);
        printf("disconnect \"%s\" -> %s\n", endpoints[i], result == -1 ? errno_name(zmq_errno()) : "ok");
    }
    zmq_close(socket);
}

static void wildcards(void *context) {
    SECTION("unbind of wildcards by several texts");
    void *socket = open_socket(context, ZMQ_PULL);
    char last[ENDPOINT_SIZE];
    size_t size = sizeof last;
    SHOW(zmq_bind(socket, "tcp://*:*"));
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, last, &size);
    SHOW(zmq_unbind(socket, "tcp://*:*"));
    char text[ENDPOINT_SIZE];
    snprintf(text, sizeof text, "tcp://*%s", strrchr(last, ':'));
    int result = zmq_unbind(socket, text);
    printf("unbind tcp://*:PORT -> %s\n", result == -1 ? errno_name(zmq_errno()) : "ok");
    SHOW(zmq_bind(socket, "tcp://127.0.0.1:*"));
    size = sizeof last;
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, last, &size);
    snprintf(text, sizeof text, "tcp://localhost%s", strrchr(last, ':'));
    result = zmq_unbind(socket, text);
    printf("unbind tcp://localhost:PORT -> %s\n", result == -1 ? errno_name(zmq_errno()) : "ok");
    snprintf(text, sizeof text, "tcp://lo%s", strrchr(last, ':'));
    result = zmq_unbind(socket, text);
    printf("unbind tcp://lo:PORT -> %s\n", result == -1 ? errno_name(zmq_errno()) : "ok");
    snprintf(text, sizeof text, "tcp://127.0.0.1%s", strrchr(last, ':'));
    result = zmq_unbind(socket, text);
    printf("unbind tcp://127.0.0.1:PORT -> %s\n", result == -1 ? errno_name(zmq_errno()) : "ok");
    zmq_close(socket);
}

static void several(void *context) {
    SECTION("several endpoints of one socket");
    void *a = open_socket(context, ZMQ_PULL);
    char endpoints[TRANSPORTS][ENDPOINT_SIZE];
    for (int t = 0; t < TRANSPORTS; t++) {
        MUST(bind_any(a, transports[t], endpoints[t]));
    }
    for (int t = 0; t < TRANSPORTS; t++) {
        void *b = open_socket(context, ZMQ_PUSH);
        MUST(zmq_connect(b, endpoints[t]));
        MUST(zmq_send(b, transports[t], strlen(transports[t]), 0));
        expect("received", a);
        zmq_close(b);
    }
    for (int t = 0; t < TRANSPORTS; t++) {
        SHOW(zmq_unbind(a, endpoints[t]));
    }
    zmq_close(a);
}

/* A bound endpoint stays usable for peers that are connected when it is unbound. */
static void connected_peers(void *context, const char *transport) {
    SECTION("peers of an unbound endpoint over %s", transport);
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    char endpoint[ENDPOINT_SIZE];
    join_at(a, b, transport, endpoint);
    MUST(zmq_send(b, "before", 6, 0));
    expect("received", a);
    SHOW(zmq_unbind(a, endpoint));
    settle();
    show_send("connected peer", b, "after", ZMQ_DONTWAIT);
    expect_none("received", a);
    zmq_close(a);
    zmq_close(b);
}

/* A connection lasts until the socket has received the messages that had come, and has looked once more. */
static void unread_messages(void *context, const char *transport) {
    SECTION("an unread message from a peer of an unbound endpoint over %s", transport);
    void *a = open_socket(context, ZMQ_DEALER);
    void *b = open_socket(context, ZMQ_DEALER);
    char endpoint[ENDPOINT_SIZE];
    MUST(set_int(b, ZMQ_RECONNECT_IVL, -1));
    join_at(a, b, transport, endpoint);
    MUST(zmq_send(b, "before", 6, 0));
    MUST(wait_for(a, ZMQ_POLLIN, 5000) ? 0 : -1);
    SHOW(zmq_unbind(a, endpoint));
    settle();
    printf("the peer: %s\n", events_text(events_of(b)));
    show_send("to the peer", a, "late", ZMQ_DONTWAIT);
    expect("received", a);
    printf("nothing more: %s\n", events_text(events_of(a)));
    int left = 0;
    WAIT_UNTIL((left = events_of(b)) == 0);
    printf("the peer: %s\n", events_text(left));
    zmq_close(a);
    zmq_close(b);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        one(context, transports[t]);
        crossed(context, transports[t]);
    }
    unknown(context);
    wildcards(context);
    several(context);
    connected_peers(context, "tcp");
    connected_peers(context, "ipc");
    unread_messages(context, "tcp");
    unread_messages(context, "ipc");
    SHOW(zmq_ctx_term(context));
    return 0;
}
