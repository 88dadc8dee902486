// SPDX-License-Identifier: MPL-2.0
//
// Random sequences of calls on one of two joined sockets, and of messages that come from the other one. After
// each step the program prints whether the descriptor of ZMQ_FD is readable. run_edges.py compares two
// libraries.
#include "support.h"

#include <poll.h>

static const struct {
    int watched;
    int peer;
} pairs[] = {
    {ZMQ_PAIR, ZMQ_PAIR},     {ZMQ_REQ, ZMQ_REP},       {ZMQ_REP, ZMQ_REQ},    {ZMQ_REQ, ZMQ_ROUTER},
    {ZMQ_REP, ZMQ_DEALER},    {ZMQ_DEALER, ZMQ_DEALER}, {ZMQ_DEALER, ZMQ_REP}, {ZMQ_DEALER, ZMQ_ROUTER},
    {ZMQ_ROUTER, ZMQ_DEALER}, {ZMQ_ROUTER, ZMQ_REQ},    {ZMQ_SUB, ZMQ_PUB},    {ZMQ_PUB, ZMQ_SUB},
    {ZMQ_XPUB, ZMQ_XSUB},     {ZMQ_XSUB, ZMQ_XPUB},     {ZMQ_PULL, ZMQ_PUSH},  {ZMQ_PUSH, ZMQ_PULL},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, STEPS = 14 };

static uint32_t state;

static uint32_t draw(uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % bound;
}

/* The frames that this type sends; an answer of ROUTER needs the id that it received. */
struct side {
    void *socket;
    int type;
    char id[32];
    int id_size;
};

static int send_from(struct side *side) {
    switch (side->type) {
    case ZMQ_ROUTER:
        if (side->id_size <= 0 ||
            zmq_send(side->socket, side->id, (size_t)side->id_size, ZMQ_SNDMORE | ZMQ_DONTWAIT) == -1) {
            return -1;
        }
        (void)zmq_send(side->socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        return zmq_send(side->socket, "x", 1, ZMQ_DONTWAIT);
    case ZMQ_DEALER:
        (void)zmq_send(side->socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        return zmq_send(side->socket, "x", 1, ZMQ_DONTWAIT);
    case ZMQ_XSUB: {
        unsigned char request[2] = {(unsigned char)draw(2), 't'};
        return zmq_send(side->socket, request, 2, ZMQ_DONTWAIT);
    }
    default:
        return zmq_send(side->socket, "x", 1, ZMQ_DONTWAIT);
    }
}

static int receive_at(struct side *side) {
    char body[32];
    int size = zmq_recv(side->socket, body, sizeof body, ZMQ_DONTWAIT);
    if (size == -1) {
        return -1;
    }
    if (side->type == ZMQ_ROUTER) {
        memcpy(side->id, body, (size_t)size);
        side->id_size = size;
    }
    while (get_int(side->socket, ZMQ_RCVMORE) == 1) {
        MUST(zmq_recv(side->socket, body, sizeof body, ZMQ_DONTWAIT));
    }
    return size;
}

static int patience_ms = 5;

/* Over tcp what was sent takes a moment to arrive, which nobody may ask the watched socket about. */
static int readable(int descriptor, bool wait) {
    struct pollfd entry = {descriptor, POLLIN, 0};
    return poll(&entry, 1, wait ? patience_ms : 0);
}

static void step(struct side *watched, struct side *peer, int descriptor, bool connected) {
    int result = 0;
    bool arrives = false;
    const char *name = "";
    switch (draw(7)) {
    case 0:
        name = "send";
        result = send_from(watched) == -1 ? -1 : 1;
        break;
    case 1:
        name = "recv";
        result = receive_at(watched) == -1 ? -1 : 1;
        break;
    case 2:
        name = "events";
        result = events_of(watched->socket) & ZMQ_POLLIN;
        break;
    case 3:
        name = "poll";
        result = wait_for(watched->socket, ZMQ_POLLIN, 0);
        break;
    case 4:
        name = "peer receives";
        result = receive_at(peer) == -1 ? -1 : 1;
        break;
    default:
        name = "arrival";
        (void)receive_at(peer);
        result = send_from(peer) == -1 ? -1 : 1;
        arrives = connected;
        if (arrives) {
            pause_ms(patience_ms);
        }
        break;
    }
    printf("%s %d, descriptor %d\n", name, result, readable(descriptor, arrives));
}

static void sequence(void *context, int pair, const char *transport, uint32_t seed) {
    struct side watched = {open_socket(context, pairs[pair].watched), pairs[pair].watched, {0}, 0};
    struct side peer = {open_socket(context, pairs[pair].peer), pairs[pair].peer, {0}, 0};
    bool connected = strcmp(transport, "inproc") != 0;
    for (struct side *side = &watched;; side = &peer) {
        if (side->type == ZMQ_SUB) {
            MUST(set_text(side->socket, ZMQ_SUBSCRIBE, ""));
        }
        if (side == &peer) {
            break;
        }
    }
    join(watched.socket, peer.socket, transport);
    int descriptor = -1;
    size_t size = sizeof descriptor;
    MUST(zmq_getsockopt(watched.socket, ZMQ_FD, &descriptor, &size));
    for (int turn = 0; turn < 3; turn++) { /* both know of each other, and what came of that was taken */
        pause_ms(connected ? 4 * patience_ms : 0);
        events_of(watched.socket);
        events_of(peer.socket);
    }
    printf("-- %s %s, seed %u\n", type_names[pairs[pair].watched], type_names[pairs[pair].peer], seed);
    state = seed * 2654435761u + (uint32_t)pair;
    for (int count = 0; count < STEPS; count++) {
        step(&watched, &peer, descriptor, connected);
    }
    zmq_close(watched.socket);
    zmq_close(peer.socket);
}

/* Arguments: transport, sequences for each pair of types, milliseconds for an arrival. */
int main(int count, char **arguments) {
    start();
    const char *transport = count > 1 ? arguments[1] : "inproc";
    uint32_t seeds = count > 2 ? (uint32_t)atoi(arguments[2]) : 20;
    patience_ms = count > 3 ? atoi(arguments[3]) : 5;
    void *context = zmq_ctx_new();
    for (int pair = 0; pair < PAIRS; pair++) {
        for (uint32_t seed = 1; seed <= seeds; seed++) {
            sequence(context, pair, transport, seed);
        }
    }
    MUST(zmq_ctx_term(context));
    return 0;
}
