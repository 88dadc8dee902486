// SPDX-License-Identifier: MPL-2.0
//
// Hundreds of sockets in one context, over every transport, opened, used and closed; twice.
#include "support.h"

enum { PEERS = 120 };

static void run(const char *transport) {
    void *context = zmq_ctx_new();
    void *router = open_socket(context, ZMQ_ROUTER);
    MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    void *peers[PEERS];
    for (int i = 0; i < PEERS; i++) {
        peers[i] = open_socket(context, ZMQ_DEALER);
        MUST(zmq_setsockopt(peers[i], ZMQ_ROUTING_ID, &i, sizeof i));
        MUST(zmq_connect(peers[i], endpoint));
        MUST(zmq_send(peers[i], "here", 4, 0));
    }
    int seen = 0;
    for (int i = 0; i < PEERS; i++) {
        int id = -1;
        char body[4];
        MUST(zmq_recv(router, &id, sizeof id, 0));
        MUST(zmq_recv(router, body, sizeof body, 0));
        MUST(zmq_send(router, &id, sizeof id, ZMQ_SNDMORE));
        MUST(zmq_send(router, &id, sizeof id, 0));
        seen++;
    }
    int right = 0;
    for (int i = 0; i < PEERS; i++) {
        int id = -1;
        MUST(zmq_recv(peers[i], &id, sizeof id, 0));
        right += id == i;
        zmq_close(peers[i]);
    }
    zmq_close(router);
    printf("%s: heard of %d, answered right %d, term %d\n", transport, seen, right, zmq_ctx_term(context));
}

int main(void) {
    start();
    for (int round = 0; round < 2; round++) {
        for (int t = 0; t < TRANSPORTS; t++) {
            run(transports[t]);
        }
    }
    return 0;
}
