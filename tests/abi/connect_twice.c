// SPDX-License-Identifier: MPL-2.0
//
// zmq_connect to an endpoint that the socket is already connected (or bound) to. It does nothing for the
// types for which it makes no sense. It makes a further connection for the others, and over inproc.
#include "events.h"

static const struct {
    int type, peer;
} pairs[] = {{ZMQ_DEALER, ZMQ_DEALER}, {ZMQ_SUB, ZMQ_PUB},   {ZMQ_PUB, ZMQ_SUB},       {ZMQ_REQ, ZMQ_ROUTER},
             {ZMQ_PUSH, ZMQ_PULL},     {ZMQ_PULL, ZMQ_PUSH}, {ZMQ_ROUTER, ZMQ_DEALER}, {ZMQ_REP, ZMQ_DEALER},
             {ZMQ_XPUB, ZMQ_SUB},      {ZMQ_XSUB, ZMQ_PUB}};

static void twice(void *context, const char *transport, int type, int peer, int immediate) {
    char endpoint[ENDPOINT_SIZE];
    void *bound = open_socket(context, peer);
    void *connected = open_socket(context, type);
    MUST(set_int(connected, ZMQ_IMMEDIATE, immediate));
    void *monitor = watch(context, bound, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    MUST(bind_any(bound, transport, endpoint));
    printf("%s over %s, immediate %d: %d", type_names[type], transport, immediate,
           zmq_connect(connected, endpoint));
    printf(" %d\n", zmq_connect(connected, endpoint));
    show_event("one", monitor);
    show_no_event("and", monitor);
    printf("disconnect %d", zmq_disconnect(connected, endpoint));
    printf(" %d\n", zmq_disconnect(connected, endpoint));
    MUST(zmq_connect(connected, endpoint));
    show_event("again", monitor);
    zmq_close(connected);
    zmq_close(bound);
    zmq_close(monitor);
}

/* Each connection is a copy of what is published. */
static void copies(void *context, const char *transport) {
    char endpoint[ENDPOINT_SIZE];
    void *pub = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(zmq_setsockopt(sub, ZMQ_SUBSCRIBE, "", 0));
    MUST(bind_any(pub, transport, endpoint));
    SHOW(zmq_connect(sub, endpoint));
    SHOW(zmq_connect(sub, endpoint));
    expect("subscription", pub);
    settle();
    show_send("pub", pub, "x", 0);
    printf("%s: %d of it\n", transport, drain(sub));
    zmq_close(pub);
    zmq_close(sub);
}

static void last_endpoint(void *context) {
    char first[ENDPOINT_SIZE], second[ENDPOINT_SIZE];
    void *socket = open_socket(context, ZMQ_DEALER);
    unused_endpoint("tcp", first);
    unused_endpoint("ipc", second);
    SHOW(zmq_connect(socket, first));
    SHOW(zmq_connect(socket, second));
    SHOW(zmq_connect(socket, first));
    char endpoint[ENDPOINT_SIZE] = "";
    size_t size = sizeof endpoint;
    MUST(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size));
    printf("the last one is the second: %d\n", strcmp(endpoint, second) == 0);
    zmq_close(socket);
}

static void to_itself(void *context, int type) {
    char endpoint[ENDPOINT_SIZE];
    void *socket = open_socket(context, type);
    void *monitor = watch(context, socket, ZMQ_EVENT_CONNECTED);
    MUST(bind_any(socket, "tcp", endpoint));
    SHOW(zmq_connect(socket, endpoint));
    if (type == ZMQ_DEALER) {
        show_no_event("DEALER to itself", monitor);
    } else {
        show_event("PUSH to itself", monitor);
    }
    zmq_close(socket);
    zmq_close(monitor);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 1; t < TRANSPORTS; t++) {
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            twice(context, transports[t], pairs[i].type, pairs[i].peer, 0);
            twice(context, transports[t], pairs[i].type, pairs[i].peer, 1);
        }
    }
    for (int t = 0; t < TRANSPORTS; t++) {
        copies(context, transports[t]);
    }
    last_endpoint(context);
    to_itself(context, ZMQ_DEALER);
    to_itself(context, ZMQ_PUSH);
    SHOW(zmq_ctx_term(context));
    return 0;
}
