// SPDX-License-Identifier: MPL-2.0
//
// A socket binds the name of an inproc connection that waits for it, and makes no further call. Its peer
// hears what it is owed: subscriptions and the welcome message.
#include "support.h"

static void subscriptions(void *context) {
    SECTION("a SUB binds where an XPUB has connected");
    void *sub = open_socket(context, ZMQ_SUB);
    void *xpub = open_socket(context, ZMQ_XPUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "a"));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "b"));
    MUST(zmq_connect(xpub, "inproc://topics"));
    MUST(zmq_bind(sub, "inproc://topics"));
    expect_sorted("subscription", xpub, 2);
    MUST(zmq_send(xpub, "b1", 2, 0));
    expect("message", sub);
    zmq_close(sub);
    zmq_close(xpub);
}

static void welcome(void *context) {
    SECTION("an XPUB binds where a SUB has connected");
    void *sub = open_socket(context, ZMQ_SUB);
    void *xpub = open_socket(context, ZMQ_XPUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, ""));
    MUST(set_text(xpub, ZMQ_XPUB_WELCOME_MSG, "welcome"));
    MUST(zmq_connect(sub, "inproc://welcome"));
    MUST(zmq_bind(xpub, "inproc://welcome"));
    expect("message", sub);
    zmq_close(sub);
    zmq_close(xpub);
}

static void published(void *context) {
    SECTION("a SUB binds where a PUB of another thread has connected");
    void *sub = open_socket(context, ZMQ_SUB);
    void *pub = open_socket(context, ZMQ_PUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, ""));
    MUST(zmq_connect(pub, "inproc://published"));
    MUST(zmq_bind(sub, "inproc://published"));
    MUST(zmq_send(pub, "at once", 7, 0));
    expect("message", sub);
    zmq_close(sub);
    zmq_close(pub);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    subscriptions(context);
    welcome(context);
    published(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
