// SPDX-License-Identifier: MPL-2.0
//
// REQ_RELAXED and REQ_CORRELATE.
#include "support.h"

static void relaxed(void *context, bool correlate) {
    SECTION("relaxed%s", correlate ? " and correlated" : "");
    void *router = open_socket(context, ZMQ_ROUTER);
    void *req = open_socket(context, ZMQ_REQ);
    set_text(req, ZMQ_ROUTING_ID, "asker");
    MUST(set_int(req, ZMQ_REQ_RELAXED, 1));
    MUST(set_int(req, ZMQ_REQ_CORRELATE, correlate));
    join(router, req, "tcp");
    char body[8];
    SHOW(zmq_recv(req, body, sizeof body, ZMQ_DONTWAIT));
    show_send("req", req, "first", 0);
    if (!correlate) { /* else the request has a random id: see below */
        expect("router", router);
    }
    /* A second request before the reply; late_reply() shows what becomes of the first. */
    show_send("req", req, "second", 0);
    printf("events %s\n", events_text(events_of(req)));
    zmq_close(req);
    zmq_close(router);
}

/* The frames between the routing id and the body differ from run to run, so only their sizes are shown. */
static void correlated(void *context, const char *transport) {
    SECTION("correlated over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *req = open_socket(context, ZMQ_REQ);
    set_text(req, ZMQ_ROUTING_ID, "asker");
    MUST(set_int(req, ZMQ_REQ_CORRELATE, 1));
    join(router, req, transport);
    unsigned char ids[2][4] = {{0}};
    for (int round = 0; round < 2; round++) {
        show_send("req", req, "question", 0);
        for (int frame = 0;; frame++) {
            unsigned char data[32] = {0};
            int size = zmq_recv(router, data, sizeof data, 0);
            int more = get_int(router, ZMQ_RCVMORE);
            printf("frame %d of size %d, more %d\n", frame, size, more);
            if (frame == 1 && size == 4) {
                memcpy(ids[round], data, 4);
            }
            if (!more) {
                break;
            }
        }
        const unsigned char *id = ids[round];
        unsigned char wrong[4] = {id[0], id[1], id[2], (unsigned char)(id[3] ^ 1)};
        zmq_send(router, "asker", 5, ZMQ_SNDMORE);
        zmq_send(router, wrong, 4, ZMQ_SNDMORE);
        zmq_send(router, "", 0, ZMQ_SNDMORE);
        zmq_send(router, "wrong id", 8, 0);
        show_send("no id", router, "asker||no id", 0);
        zmq_send(router, "asker", 5, ZMQ_SNDMORE);
        zmq_send(router, id, 4, ZMQ_SNDMORE);
        zmq_send(router, "", 0, ZMQ_SNDMORE);
        zmq_send(router, "right", 5, 0);
        expect("req", req);
    }
    printf("ids differ: %d\n", memcmp(ids[0], ids[1], 4) != 0);
    zmq_close(router);
    zmq_close(req);
}

static void late_reply(void *context) {
    SECTION("relaxed and correlated: the reply to an older request is dropped");
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    MUST(set_int(req, ZMQ_REQ_RELAXED, 1));
    MUST(set_int(req, ZMQ_REQ_CORRELATE, 1));
    join(rep, req, "tcp");
    show_send("req", req, "first", 0);
    expect("rep", rep);
    show_send("req", req, "second", 0);
    show_send("rep", rep, "reply to the first", 0);
    expect("rep", rep);
    show_send("rep", rep, "reply to the second", 0);
    expect("req", req);
    zmq_close(rep);
    zmq_close(req);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    relaxed(context, false);
    relaxed(context, true);
    for (int t = 0; t < TRANSPORTS; t++) {
        correlated(context, transports[t]);
    }
    late_reply(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
