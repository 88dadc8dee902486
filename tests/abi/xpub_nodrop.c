// SPDX-License-Identifier: MPL-2.0
//
// XPUB_NODROP: a full subscriber makes the send EAGAIN (or wait) instead of being skipped; nobody gets the
// message then.
#include "support.h"

static void run(void *context, int type, bool nodrop) {
    SECTION("%s, %s", type_names[type], nodrop ? "NODROP" : "dropping");
    void *pub = open_socket(context, type);
    void *slow = open_socket(context, ZMQ_SUB);
    void *fast = open_socket(context, ZMQ_SUB);
    MUST(set_int(pub, ZMQ_SNDHWM, 2));
    MUST(set_int(slow, ZMQ_RCVHWM, 2));
    MUST(set_int(fast, ZMQ_RCVHWM, 20));
    MUST(set_int(pub, ZMQ_XPUB_NODROP, nodrop));
    char endpoint[ENDPOINT_SIZE];
    join_at(pub, slow, "inproc", endpoint);
    MUST(zmq_connect(fast, endpoint));
    MUST(set_text(slow, ZMQ_SUBSCRIBE, ""));
    MUST(set_text(fast, ZMQ_SUBSCRIBE, ""));
    events_of(pub);
    for (int i = 0; i < 7; i++) {
        char text[] = {(char)('0' + i), '|', 'e', 0};
        show_send("pub", pub, text, ZMQ_DONTWAIT);
    }
    printf("events %s\n", events_text(events_of(pub)));
    set_int(pub, ZMQ_SNDTIMEO, 20);
    show_send("with a timeout", pub, "late", 0);
    printf("slow has %d frames\n", drain(slow));
    printf("fast has %d frames\n", drain(fast));
    show_send("after they were emptied", pub, "again", 0);
    expect("slow", slow);
    expect("fast", fast);
    zmq_close(pub);
    zmq_close(slow);
    zmq_close(fast);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int nodrop = 0; nodrop < 2; nodrop++) {
        run(context, ZMQ_PUB, nodrop);
        run(context, ZMQ_XPUB, nodrop);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
