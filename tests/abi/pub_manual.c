// SPDX-License-Identifier: MPL-2.0
//
// A PUB with ZMQ_XPUB_MANUAL: it hears of no subscriber, so what it subscribes to concerns nobody, and nobody
// gets its messages.
#include "support.h"

static void run(void *context, const char *transport, int option) {
    SECTION("%s, option %d", transport, option);
    char endpoint[ENDPOINT_SIZE];
    void *pub = open_socket(context, ZMQ_PUB), *sub = open_socket(context, ZMQ_SUB);
    SHOW(zmq_setsockopt(pub, ZMQ_SUBSCRIBE, "x", 1));
    MUST(set_int(pub, option, 1));
    SHOW(zmq_setsockopt(pub, ZMQ_UNSUBSCRIBE, "x", 1));
    SHOW(zmq_setsockopt(pub, ZMQ_SUBSCRIBE, "x", 1));
    SHOW(zmq_setsockopt(pub, ZMQ_UNSUBSCRIBE, "x", 1));
    MUST(bind_any(pub, transport, endpoint));
    MUST(zmq_setsockopt(sub, ZMQ_SUBSCRIBE, "a", 1));
    MUST(zmq_connect(sub, endpoint));
    settle_peers(pub);
    show_send("pub", pub, "a1", 0);
    expect_none("sub", sub);
    SHOW(zmq_setsockopt(pub, ZMQ_SUBSCRIBE, "a", 1));
    show_send("pub", pub, "a2", 0);
    expect_none("sub", sub);
    SHOW(zmq_setsockopt(pub, ZMQ_UNSUBSCRIBE, "a", 1));
    SHOW(zmq_setsockopt(pub, ZMQ_UNSUBSCRIBE, "a", 1));
    zmq_close(sub);
    zmq_close(pub);
}

int main(void) {
    start();
    enum { XPUB_MANUAL_LAST_VALUE = 98 };
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        run(context, transports[t], ZMQ_XPUB_MANUAL);
        run(context, transports[t], XPUB_MANUAL_LAST_VALUE);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
