// SPDX-License-Identifier: MPL-2.0
//
// Connecting before the bind, over every transport: queued messages arrive, several waiters, waiters that
// leave, pattern by pattern.
#include "support.h"

static void simple(void *context, const char *transport) {
    SECTION("%s", transport);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *pushes[3];
    for (int i = 0; i < 3; i++) {
        pushes[i] = open_socket(context, ZMQ_PUSH);
        MUST(set_int(pushes[i], ZMQ_RECONNECT_IVL, 10));
        printf("connect %d\n", zmq_connect(pushes[i], endpoint) == 0);
        MUST(send_text(pushes[i], "queued|x", ZMQ_DONTWAIT));
    }
    void *pull = open_socket(context, ZMQ_PULL);
    bool bound = false;
    WAIT_UNTIL((bound = zmq_bind(pull, endpoint) == 0));
    printf("bound %d\n", bound);
    for (int i = 0; i < 3; i++) {
        expect("pull", pull);
    }
    MUST(send_text(pushes[0], "later", 0));
    expect("pull", pull);
    for (int i = 0; i < 3; i++) {
        zmq_close(pushes[i]);
    }
    zmq_close(pull);
}

static void inproc_closed(void *context, int linger) {
    SECTION("inproc: messages of a connector that closed before the bind, LINGER %d", linger);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("inproc", endpoint);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_LINGER, linger));
    SHOW(zmq_connect(push, endpoint));
    MUST(send_text(push, "left|behind", 0));
    MUST(zmq_close(push));
    void *pull = open_socket(context, ZMQ_PULL);
    SHOW(zmq_bind(pull, endpoint));
    expect_none("pull", pull);
    zmq_close(pull);
}

static void patterns(void *context) {
    SECTION("inproc patterns");
    void *req = open_socket(context, ZMQ_REQ);
    MUST(zmq_connect(req, "inproc://server"));
    MUST(send_text(req, "question", 0));
    void *rep = open_socket(context, ZMQ_REP);
    MUST(zmq_bind(rep, "inproc://server"));
    expect("rep", rep);
    MUST(send_text(rep, "answer", 0));
    expect("req", req);
    zmq_close(req);
    zmq_close(rep);

    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "t"));
    MUST(zmq_connect(sub, "inproc://pub"));
    void *xpub = open_socket(context, ZMQ_XPUB);
    MUST(zmq_bind(xpub, "inproc://pub"));
    expect("xpub", xpub);
    MUST(send_text(xpub, "topic", 0));
    expect("sub", sub);
    zmq_close(sub);
    zmq_close(xpub);

    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    MUST(zmq_connect(dealer, "inproc://router"));
    void *router = open_socket(context, ZMQ_ROUTER);
    set_int(router, ZMQ_ROUTER_MANDATORY, 1);
    MUST(zmq_bind(router, "inproc://router"));
    show_send("router at once", router, "D|hello", 0);
    expect("dealer", dealer);
    zmq_close(dealer);
    zmq_close(router);

    SECTION("never bound");
    void *push = open_socket(context, ZMQ_PUSH);
    SHOW(zmq_connect(push, "inproc://never"));
    MUST(send_text(push, "lost", 0));
    SHOW(zmq_disconnect(push, "inproc://never"));
    show_send("after disconnect", push, "x", ZMQ_DONTWAIT);
    zmq_close(push);
    void *late = open_socket(context, ZMQ_PULL);
    SHOW(zmq_bind(late, "inproc://never"));
    expect_none("late", late);
    zmq_close(late);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        simple(context, transports[t]);
    }
    inproc_closed(context, -1);
    inproc_closed(context, 0);
    patterns(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
