// SPDX-License-Identifier: MPL-2.0
//
// CONFLATE: only the last message is kept; set on the receiver, on the sender, on both.
#include "support.h"

static void run(void *context, int from_type, int to_type, bool on_from, bool on_to) {
    SECTION("%s %d to %s %d", type_names[from_type], on_from, type_names[to_type], on_to);
    void *from = open_socket(context, from_type);
    void *to = open_socket(context, to_type);
    MUST(set_int(from, ZMQ_CONFLATE, on_from));
    MUST(set_int(to, ZMQ_CONFLATE, on_to));
    if (to_type == ZMQ_SUB) {
        MUST(set_text(to, ZMQ_SUBSCRIBE, ""));
    }
    join(to, from, "inproc");
    events_of(to);
    events_of(from);
    for (int i = 0; i < 5; i++) {
        char text[] = {(char)('0' + i), 0};
        show_send("from", from, text, ZMQ_DONTWAIT);
    }
    for (int i = 0; i < 3; i++) {
        expect_none("to", to);
    }
    show_send("from", from, "after", ZMQ_DONTWAIT);
    expect_none("to", to);
    zmq_close(from);
    zmq_close(to);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int both = 1; both < 4; both++) {
        run(context, ZMQ_PUSH, ZMQ_PULL, both & 1, both & 2);
        run(context, ZMQ_PUB, ZMQ_SUB, both & 1, both & 2);
        run(context, ZMQ_DEALER, ZMQ_DEALER, both & 1, both & 2);
    }
    SECTION("over tcp the newest arrives in the end");
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, ZMQ_CONFLATE, 1));
    join(pull, push, "tcp");
    for (int i = 0; i < 100; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        MUST(send_text(push, text, 0));
    }
    settle();
    expect("pull", pull);
    expect_none("pull", pull);
    zmq_close(push);
    zmq_close(pull);
    SHOW(zmq_ctx_term(context));
    return 0;
}
