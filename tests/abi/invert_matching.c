// SPDX-License-Identifier: MPL-2.0
//
// INVERT_MATCHING on publisher and subscriber: what matches no subscription is delivered.
#include "support.h"

static void run(void *context, int type, bool on_pub, bool on_sub, const char *transport) {
    SECTION("inverted on %s %d, on SUB %d, over %s", type_names[type], on_pub, on_sub, transport);
    void *pub = open_socket(context, type);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_int(pub, ZMQ_INVERT_MATCHING, on_pub));
    MUST(set_int(sub, ZMQ_INVERT_MATCHING, on_sub));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "no"));
    join(pub, sub, transport);
    if (type == ZMQ_XPUB) {
        expect("pub", pub);
    } else {
        events_of(pub);
    }
    static const char *const messages[] = {"no", "nothing|x", "n", "yes|y", "", "|no"};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        MUST(send_text(pub, messages[i], 0));
    }
    for (int i = 0; i < 5; i++) {
        expect_none("sub", sub);
    }
    zmq_close(pub);
    zmq_close(sub);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int i = 0; i < 4; i++) {
        run(context, ZMQ_PUB, i & 1, i & 2, "inproc");
        run(context, ZMQ_XPUB, i & 1, i & 2, "inproc");
        run(context, ZMQ_XPUB, i & 1, i & 2, "tcp");
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
