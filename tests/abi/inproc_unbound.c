// SPDX-License-Identifier: MPL-2.0
//
// Messages for an inproc name that is not bound yet outlive the connection and the socket, whatever the
// linger time. A socket that binds the name later receives them.
#include "support.h"

static const struct {
    const char *name;
    int connecting, binding;
} pairs[] = {
    {"PUSH to PULL", ZMQ_PUSH, ZMQ_PULL},
    {"DEALER to ROUTER", ZMQ_DEALER, ZMQ_ROUTER},
    {"PAIR to PAIR", ZMQ_PAIR, ZMQ_PAIR},
};

static void left_behind(void *context, size_t pair, int linger, bool disconnects) {
    SECTION("%s, linger %d, %s", pairs[pair].name, linger, disconnects ? "zmq_disconnect" : "zmq_close");
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("inproc", endpoint);
    void *from = open_socket(context, pairs[pair].connecting);
    MUST(set_int(from, ZMQ_LINGER, linger));
    MUST(zmq_connect(from, endpoint));
    MUST(zmq_send(from, "one", 3, 0));
    MUST(zmq_send(from, "two", 3, ZMQ_SNDMORE));
    MUST(zmq_send(from, "three", 5, 0));
    if (disconnects) {
        MUST(zmq_disconnect(from, endpoint));
    } else {
        zmq_close(from);
    }
    void *to = open_socket(context, pairs[pair].binding);
    MUST(zmq_bind(to, endpoint));
    for (int messages = 0; messages < 2; messages++) {
        if (pairs[pair].binding == ZMQ_ROUTER) {
            char id[256];
            MUST(zmq_recv(to, id, sizeof id, 0));
        }
        expect("message", to);
    }
    zmq_close(to);
    if (disconnects) {
        zmq_close(from);
    }
}

int main(void) {
    start();
    const int lingers[] = {0, 30, -1};
    void *context = zmq_ctx_new();
    for (size_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair++) {
        for (size_t linger = 0; linger < sizeof lingers / sizeof *lingers; linger++) {
            left_behind(context, pair, lingers[linger], false);
            left_behind(context, pair, lingers[linger], true);
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
