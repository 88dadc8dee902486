// SPDX-License-Identifier: MPL-2.0
//
// REQ and REP: lock step (EFSM), round robin over REP peers, fair queueing of REQ peers, replies to the
// asker, envelopes.
#include "support.h"

static void lock_step(void *context) {
    SECTION("lock step");
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    join(rep, req, "inproc");
    char body[8];
    printf("rep %s, req %s\n", events_text(events_of(rep)), events_text(events_of(req)));
    SHOW(zmq_send(rep, "x", 1, 0));
    SHOW(zmq_recv(req, body, sizeof body, 0));
    SHOW(zmq_recv(req, body, sizeof body, ZMQ_DONTWAIT));
    show_send("req", req, "q1", 0);
    printf("rep %s, req %s\n", events_text(events_of(rep)), events_text(events_of(req)));
    SHOW(zmq_send(req, "q2", 2, 0));
    SHOW(zmq_send(req, "q2", 2, ZMQ_DONTWAIT));
    SHOW(zmq_recv(req, body, sizeof body, ZMQ_DONTWAIT));
    expect("rep", rep);
    printf("rep %s, req %s\n", events_text(events_of(rep)), events_text(events_of(req)));
    SHOW(zmq_recv(rep, body, sizeof body, 0));
    show_send("rep", rep, "r1", 0);
    SHOW(zmq_send(rep, "r2", 2, 0));
    printf("rep %s, req %s\n", events_text(events_of(rep)), events_text(events_of(req)));
    expect("req", req);
    SHOW(zmq_recv(req, body, sizeof body, 0));
    zmq_close(rep);
    zmq_close(req);

    SECTION("multipart and lock step");
    rep = open_socket(context, ZMQ_REP);
    req = open_socket(context, ZMQ_REQ);
    join(rep, req, "inproc");
    SHOW(zmq_send(req, "a", 1, ZMQ_SNDMORE));
    SHOW(zmq_recv(req, body, sizeof body, ZMQ_DONTWAIT));
    SHOW(zmq_send(req, "b", 1, 0));
    SHOW(zmq_recv(rep, body, sizeof body, 0));
    SHOW(get_int(rep, ZMQ_RCVMORE));
    SHOW(zmq_send(rep, "early", 5, ZMQ_DONTWAIT));
    SHOW(zmq_recv(rep, body, sizeof body, 0));
    SHOW(get_int(rep, ZMQ_RCVMORE));
    SHOW(zmq_send(rep, "c", 1, ZMQ_SNDMORE));
    SHOW(zmq_recv(rep, body, sizeof body, ZMQ_DONTWAIT));
    SHOW(zmq_send(rep, "d", 1, 0));
    SHOW(zmq_recv(req, body, sizeof body, 0));
    SHOW(zmq_send(req, "early", 5, ZMQ_DONTWAIT));
    SHOW(zmq_recv(req, body, sizeof body, 0));
    zmq_close(rep);
    zmq_close(req);
}

static void round_robin(void *context, const char *transport) {
    SECTION("round robin over %s", transport);
    void *req = open_socket(context, ZMQ_REQ);
    void *reps[3];
    char endpoint[ENDPOINT_SIZE];
    for (int i = 0; i < 3; i++) {
        reps[i] = open_socket(context, ZMQ_REP);
        MUST(bind_any(reps[i], transport, endpoint));
        MUST(zmq_connect(req, endpoint));
    }
    for (int i = 0; i < 6; i++) {
        char text[2] = {(char)('0' + i), 0};
        MUST(send_text(req, text, 0));
        printf("reply server %d, ", i % 3);
        expect("request", reps[i % 3]);
        MUST(send_text(reps[i % 3], text, 0));
        expect("reply", req);
    }
    for (int i = 0; i < 3; i++) {
        zmq_close(reps[i]);
    }
    zmq_close(req);
}

static void fair_queue(void *context, const char *transport) {
    SECTION("each asker gets its reply over %s", transport);
    void *rep = open_socket(context, ZMQ_REP);
    void *reqs[3];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(rep, transport, endpoint));
    for (int i = 0; i < 3; i++) {
        reqs[i] = open_socket(context, ZMQ_REQ);
        MUST(zmq_connect(reqs[i], endpoint));
        char text[3] = {'q', (char)('0' + i), 0};
        MUST(send_text(reqs[i], text, 0));
    }
    for (int i = 0; i < 3; i++) {
        char text[4] = "";
        MUST(zmq_recv(rep, text, sizeof text, 0));
        MUST(zmq_send(rep, text, 2, 0));
    }
    for (int i = 0; i < 3; i++) {
        expect("reply", reqs[i]);
        zmq_close(reqs[i]);
    }
    zmq_close(rep);
}

static void envelopes(void *context) {
    SECTION("envelopes of a DEALER");
    static const char *const requests[] = {"|body",       "a||body", "a|b||body|tail", "||",
                                           "nodelimiter", "a|b",     "|body"};
    void *rep = open_socket(context, ZMQ_REP);
    void *dealer = open_socket(context, ZMQ_DEALER);
    join(rep, dealer, "inproc");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        show_send("dealer", dealer, requests[i], 0);
        expect_none("rep", rep);
        show_send("rep", rep, "reply|tail", ZMQ_DONTWAIT);
        expect_none("dealer", dealer);
    }
    zmq_close(rep);
    zmq_close(dealer);

    SECTION("what a ROUTER sees of a REQ, and replies that are no replies");
    void *router = open_socket(context, ZMQ_ROUTER);
    void *req = open_socket(context, ZMQ_REQ);
    set_text(req, ZMQ_ROUTING_ID, "asker");
    join(router, req, "inproc");
    show_send("req", req, "one|two", 0);
    expect("router", router);
    show_send("router", router, "asker|no delimiter", 0);
    show_send("router", router, "asker|x||not empty first", 0);
    show_send("router", router, "asker|", 0);
    show_send("router", router, "other||unknown peer", 0);
    show_send("router", router, "asker||good|tail", 0);
    expect("req", req);
    show_send("req", req, "again", 0);
    expect("router", router);
    show_send("router", router, "asker||", 0);
    show_send("router", router, "asker||too many", 0);
    expect("req", req);
    show_send("req", req, "third", 0);
    expect("router", router);
    show_send("router", router, "asker||right", 0);
    expect("req", req);
    zmq_close(router);
    zmq_close(req);
}

static void asker_gone(void *context) {
    SECTION("the asker is gone");
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    char endpoint[ENDPOINT_SIZE];
    join_at(rep, req, "inproc", endpoint);
    MUST(send_text(req, "q", 0));
    expect("rep", rep);
    MUST(zmq_close(req));
    settle();
    show_send("rep", rep, "for nobody", ZMQ_DONTWAIT);
    req = open_socket(context, ZMQ_REQ);
    MUST(zmq_connect(req, endpoint));
    MUST(send_text(req, "next", 0));
    expect("rep", rep);
    show_send("rep", rep, "reply", 0);
    expect("req", req);
    zmq_close(req);
    zmq_close(rep);

    SECTION("without peers");
    req = open_socket(context, ZMQ_REQ);
    show_send("req", req, "q", ZMQ_DONTWAIT);
    set_int(req, ZMQ_SNDTIMEO, 10);
    show_send("req", req, "q", 0);
    receive_now("req", req);
    zmq_close(req);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    lock_step(context);
    for (int t = 0; t < TRANSPORTS; t++) {
        round_robin(context, transports[t]);
        fair_queue(context, transports[t]);
    }
    envelopes(context);
    asker_gone(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
