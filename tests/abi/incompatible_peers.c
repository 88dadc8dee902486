// SPDX-License-Identifier: MPL-2.0
//
// Every pair of types over tcp: does a message get through? Types that are no peers must not exchange any.
#include "support.h"

static bool can_send(int type) {
    return type != ZMQ_SUB && type != ZMQ_PULL && type != ZMQ_REP && type != ZMQ_XSUB;
}

static bool can_receive(int type) {
    return type != ZMQ_PUB && type != ZMQ_PUSH && type != ZMQ_REQ && type != ZMQ_XPUB;
}

struct pair {
    void *ends[2];
    int types[2];
    bool heard;
};

/* Sends one message in each direction; true when something arrived. */
static bool try_once(const struct pair *pair) {
    bool arrived = false;
    for (int from = 0; from < 2; from++) {
        int type = pair->types[from];
        if (can_send(type) && can_receive(pair->types[!from])) {
            const char *text = type == ZMQ_ROUTER ? "peer||x" : type == ZMQ_DEALER ? "|x" : "x";
            send_text(pair->ends[from], text, ZMQ_DONTWAIT);
            arrived = arrived || wait_for(pair->ends[!from], ZMQ_POLLIN, 0);
        }
    }
    return arrived;
}

static struct pair open_pair(void *context, int bound_type, int connected_type) {
    struct pair pair = {{NULL, NULL}, {bound_type, connected_type}, false};
    for (int end = 0; end < 2; end++) {
        pair.ends[end] = open_socket(context, pair.types[end]);
        set_text(pair.ends[end], ZMQ_ROUTING_ID, "peer");
        if (pair.types[end] == ZMQ_SUB) {
            set_text(pair.ends[end], ZMQ_SUBSCRIBE, "");
        } else if (pair.types[end] == ZMQ_XSUB) {
            zmq_send(pair.ends[end], "\1", 1, 0);
        }
    }
    join(pair.ends[0], pair.ends[1], "tcp");
    return pair;
}

enum { TYPES = ZMQ_XSUB + 1, ROUNDS = 50 };

int main(void) {
    start();
    void *context = zmq_ctx_new();
    static struct pair pairs[TYPES][TYPES];
    for (int bound = 0; bound < TYPES; bound++) {
        for (int connected = 0; connected < TYPES; connected++) {
            pairs[bound][connected] = open_pair(context, bound, connected);
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TYPES * TYPES; i++) {
            struct pair *pair = &pairs[i / TYPES][i % TYPES];
            pair->heard = pair->heard || try_once(pair);
        }
        pause_ms(20);
    }
    for (int bound = 0; bound < TYPES; bound++) {
        printf("%s hears or is heard by:", type_names[bound]);
        for (int connected = 0; connected < TYPES; connected++) {
            printf(" %s", pairs[bound][connected].heard ? type_names[connected] : "-");
            zmq_close(pairs[bound][connected].ends[0]);
            zmq_close(pairs[bound][connected].ends[1]);
        }
        printf("\n");
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
