// SPDX-License-Identifier: MPL-2.0
//
// The order in which a socket serves several peers. Programs on one thread over inproc see one order, which
// depends on when they ask for ZMQ_EVENTS. Each run makes random calls from a seed and prints every message.
#include "support.h"

enum { MOST_PEERS = 5, RUNS = 40, CALLS = 60 };

static uint32_t state;
static unsigned pick(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
}

struct scene {
    void *context;
    void *socket;
    int peer_type;
    bool several_frames;
    int peers;
    int messages;
    void *peer[MOST_PEERS];
};

static void look(struct scene *scene) {
    events_of(scene->socket);
    for (int i = 0; i < scene->peers; i++) {
        events_of(scene->peer[i]);
    }
}

static void add_peer(struct scene *scene) {
    if (scene->peers == MOST_PEERS) {
        return;
    }
    void *peer = open_socket(scene->context, scene->peer_type);
    scene->peer[scene->peers++] = peer;
    MUST(zmq_connect(peer, "inproc://order"));
    look(scene);
}

static void send_one(struct scene *scene) {
    const unsigned from = pick((unsigned)scene->peers);
    const unsigned frames = scene->several_frames ? 1 + pick(3) : 1;
    char text[32];
    snprintf(text, sizeof text, "%u:%d", from, scene->messages++);
    for (unsigned i = 0; i < frames; i++) {
        zmq_send(scene->peer[from], text, strlen(text), ZMQ_DONTWAIT | (i + 1 < frames ? ZMQ_SNDMORE : 0));
    }
}

/* Prints the last frame of a message: the ids that a ROUTER makes up are random. */
static bool receive_one(struct scene *scene) {
    char text[32];
    int size = 0;
    int more = 1;
    events_of(scene->socket);
    while (more) {
        size = zmq_recv(scene->socket, text, sizeof text, ZMQ_DONTWAIT);
        if (size < 0) {
            return false;
        }
        size_t length = sizeof more;
        zmq_getsockopt(scene->socket, ZMQ_RCVMORE, &more, &length);
    }
    printf(" %.*s", size, text);
    return true;
}

static void run(void *context, int type, int peer_type, bool several_frames, unsigned seed) {
    struct scene scene = {context, open_socket(context, type), peer_type, several_frames, 0, 0, {NULL}};
    state = seed;
    if (type == ZMQ_SUB) {
        MUST(zmq_setsockopt(scene.socket, ZMQ_SUBSCRIBE, "", 0));
    }
    MUST(zmq_bind(scene.socket, "inproc://order"));
    add_peer(&scene);
    add_peer(&scene);
    printf("%u:", seed);
    for (int call = 0; call < CALLS; call++) {
        switch (pick(8)) {
        case 0:
            add_peer(&scene);
            break;
        case 1:
            look(&scene);
            break;
        case 2:
        case 3:
            receive_one(&scene);
            break;
        default:
            send_one(&scene);
        }
    }
    while (receive_one(&scene)) {
    }
    printf("\n");
    for (int i = 0; i < scene.peers; i++) {
        zmq_close(scene.peer[i]);
    }
    zmq_close(scene.socket);
}

int main(void) {
    start();
    static const struct {
        const char *name;
        int type;
        int peer_type;
    } pairs[] = {{"ROUTER", ZMQ_ROUTER, ZMQ_DEALER},
                 {"DEALER", ZMQ_DEALER, ZMQ_DEALER},
                 {"PULL", ZMQ_PULL, ZMQ_PUSH},
                 {"SUB", ZMQ_SUB, ZMQ_PUB}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (int several = 0; several < 2; several++) {
            SECTION("%s, %s", pairs[i].name, several ? "several frames" : "one frame");
            for (unsigned seed = 1; seed <= RUNS; seed++) {
                void *context = zmq_ctx_new();
                run(context, pairs[i].type, pairs[i].peer_type, several, seed);
                zmq_ctx_term(context);
            }
        }
    }
    return 0;
}
