// SPDX-License-Identifier: MPL-2.0
//
// High-water marks of PUB and SUB over inproc: sends never fail, what is beyond the marks is dropped, message
// by message.
#include "support.h"

static void run(void *context, int type, int send_mark, int receive_mark, int count) {
    void *pub = open_socket(context, type);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_int(pub, ZMQ_SNDHWM, send_mark));
    MUST(set_int(sub, ZMQ_RCVHWM, receive_mark));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, ""));
    join(pub, sub, "inproc");
    events_of(pub);
    printf("%s SNDHWM %d, RCVHWM %d: sent %d, received", type_names[type], send_mark, receive_mark,
           fill(pub, count));
    int held = drain_now(sub);
    printf(" %d, sent %d again,", held, fill(pub, count));
    printf(" at least half received %d\n", drain_now(sub) >= held / 2);
    zmq_close(pub);
    zmq_close(sub);
}

static void whole_messages(void *context) {
    SECTION("multipart messages are dropped whole");
    void *pub = open_socket(context, ZMQ_PUB);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_int(pub, ZMQ_SNDHWM, 1));
    MUST(set_int(sub, ZMQ_RCVHWM, 1));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, ""));
    join(pub, sub, "inproc");
    events_of(pub);
    for (int i = 0; i < 4; i++) {
        char text[] = {(char)('0' + i), '|', 'b', '|', 'c', 0};
        show_send("pub", pub, text, 0);
    }
    for (int i = 0; i < 3; i++) {
        expect_none("sub", sub);
    }
    show_send("pub", pub, "after|b", 0);
    expect("sub", sub);
    zmq_close(pub);
    zmq_close(sub);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    static const int marks[] = {0, 1, 5, 100};
    for (int s = 0; s < 4; s++) {
        for (int r = 0; r < 4; r++) {
            run(context, ZMQ_PUB, marks[s], marks[r], 300);
            run(context, ZMQ_XPUB, marks[s], marks[r], 300);
        }
    }
    whole_messages(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
