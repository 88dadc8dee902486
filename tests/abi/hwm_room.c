// SPDX-License-Identifier: MPL-2.0
//
// The room that a reader makes, to the message. Over inproc it comes in halves of the mark, whatever the
// reader takes at a time. Asking for events makes none.
#include "support.h"

enum { LIMIT = 100 };

static void *sender_of(void *context, int type, bool no_drop, int mark) {
    void *from = open_socket(context, type);
    MUST(set_int(from, ZMQ_SNDHWM, mark));
    if (no_drop) {
        MUST(set_int(from, ZMQ_XPUB_NODROP, 1));
    }
    return from;
}

static void *receiver_of(void *context, int type, int mark) {
    void *to = open_socket(context, type);
    MUST(set_int(to, ZMQ_RCVHWM, mark));
    if (type == ZMQ_SUB) {
        MUST(zmq_setsockopt(to, ZMQ_SUBSCRIBE, "", 0));
    }
    return to;
}

static int read_some(void *socket, int wanted) {
    int count = 0;
    char body[8];
    while (count < wanted && zmq_recv(socket, body, sizeof body, ZMQ_DONTWAIT) != -1) {
        count++;
    }
    return count;
}

/* A PUB takes what it drops: it is asked by what arrives. */
static void rounds(void *context, int from_type, int to_type, bool no_drop, int send_mark, int receive_mark) {
    void *from = sender_of(context, from_type, no_drop, send_mark);
    void *to = receiver_of(context, to_type, receive_mark);
    join(from, to, "inproc");
    events_of(to);
    events_of(from);
    const bool drops = from_type == ZMQ_PUB || (from_type == ZMQ_XPUB && !no_drop);
    const int limit = drops ? send_mark + receive_mark : LIMIT;
    printf("SNDHWM %d, RCVHWM %d: %d", send_mark, receive_mark, fill(from, limit));
    events_of(to);
    printf(", asked %d; reads and room:", fill(from, limit));
    for (int wanted = 1; wanted <= send_mark + receive_mark; wanted++) {
        events_of(to);
        const int got = read_some(to, wanted);
        printf(" %d %d", got, fill(from, limit));
    }
    printf("; at last %d\n", drain_now(to));
    zmq_close(from);
    zmq_close(to);
}

static void combinations(void *context, int from_type, int to_type, bool no_drop) {
    static const int marks[] = {1, 2, 3, 5, 8};
    enum { MARKS = sizeof marks / sizeof *marks };
    SECTION("%s to %s%s", type_names[from_type], type_names[to_type], no_drop ? ", NODROP" : "");
    for (int s = 0; s < MARKS; s++) {
        for (int r = 0; r < MARKS; r++) {
            rounds(context, from_type, to_type, no_drop, marks[s], marks[r]);
        }
    }
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    combinations(context, ZMQ_PUSH, ZMQ_PULL, false);
    combinations(context, ZMQ_PAIR, ZMQ_PAIR, false);
    combinations(context, ZMQ_DEALER, ZMQ_DEALER, false);
    combinations(context, ZMQ_PUB, ZMQ_SUB, false);
    combinations(context, ZMQ_XPUB, ZMQ_SUB, true);
    SHOW(zmq_ctx_term(context));
    return 0;
}
