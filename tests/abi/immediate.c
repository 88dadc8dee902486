// SPDX-License-Identifier: MPL-2.0
//
// IMMEDIATE: without it messages queue on connections that are not complete; with it only complete ones
// count.
#include "support.h"

static void run(void *context, int immediate) {
    SECTION("IMMEDIATE %d", immediate);
    char dead[ENDPOINT_SIZE], live[ENDPOINT_SIZE];
    unused_endpoint("tcp", dead);
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(bind_any(pull, "tcp", live));
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_IMMEDIATE, immediate));
    MUST(zmq_connect(push, dead));
    printf("events with a dead peer %s\n", events_text(events_of(push)));
    show_send("dead peer", push, "x", ZMQ_DONTWAIT);
    MUST(zmq_connect(push, live));
    printf("becomes writable %d\n", wait_for(push, ZMQ_POLLOUT, PATIENCE_MS));
    if (immediate) {
        printf("all of ten sent, ");
        for (int i = 0; i < 10; i++) {
            MUST(zmq_send(push, "y", 1, 0));
        }
        printf("received %d\n", drain(pull));
        MUST(zmq_close(pull));
        WAIT_UNTIL(!(events_of(push) & ZMQ_POLLOUT));
        printf("events after the peer left %s\n", events_text(events_of(push)));
        show_send("after the peer left", push, "z", ZMQ_DONTWAIT);
    } else {
        for (int i = 0; i < 10; i++) {
            MUST(zmq_send(push, "y", 1, 0));
        }
        printf("of ten and the first received %d\n", drain(pull));
        zmq_close(pull);
    }
    zmq_close(push);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    run(context, 0);
    run(context, 1);
    SHOW(zmq_ctx_term(context));
    return 0;
}
