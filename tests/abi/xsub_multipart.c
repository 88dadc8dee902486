// SPDX-License-Identifier: MPL-2.0
//
// XSUB: subscriptions that are frames of a message. Publishers hear of them when the message ends.
#include "support.h"

static void frame(void *xsub, void *xpub, const char *text, int flags, bool looks) {
    int result = zmq_send(xsub, text, 2, flags);
    printf("sends %02x %c%s: %d\n", (unsigned char)text[0], text[1], flags ? " and more" : "", result);
    if (looks) {
        expect_none("meanwhile", xpub);
    }
}

static void run(void *context, const char *transport, const char *const *frames, int count, int first_only) {
    SECTION("%s, %d frames, only first %d", transport, count, first_only);
    enum { ONLY_FIRST_SUBSCRIBE = 108 };
    void *xpub = open_socket(context, ZMQ_XPUB), *xsub = open_socket(context, ZMQ_XSUB);
    MUST(set_int(xpub, ONLY_FIRST_SUBSCRIBE, first_only));
    MUST(set_int(xsub, ONLY_FIRST_SUBSCRIBE, first_only));
    MUST(set_int(xpub, ZMQ_XPUB_VERBOSE, 1));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(xpub, transport, endpoint));
    MUST(zmq_connect(xsub, endpoint));
    MUST(zmq_send(xsub, "\1!", 2, 0));
    expect("connected", xpub);
    for (int i = 0; i < count; i++) {
        frame(xsub, xpub, frames[i], i + 1 < count ? ZMQ_SNDMORE : 0, i + 1 < count);
    }
    MUST(zmq_send(xsub, "\1z", 2, 0));
    for (int i = 0; i <= count; i++) {
        printf("hears:");
        if (!wait_for(xpub, ZMQ_POLLIN, QUIET_MS * time_factor())) {
            printf(" no more\n");
            break;
        }
        receive_and_print(xpub, ZMQ_DONTWAIT);
        printf("\n");
    }
    zmq_close(xsub);
    zmq_close(xpub);
}

int main(void) {
    start();
    static const char *const two[] = {"\1a", "\1b"};
    static const char *const back[] = {"\1a", "\0a", "\1b"};
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        for (int first_only = 0; first_only < 2; first_only++) {
            run(context, transports[t], two, 2, first_only);
            run(context, transports[t], back, 3, first_only);
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
