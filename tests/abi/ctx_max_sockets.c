// SPDX-License-Identifier: MPL-2.0
//
// MAX_SOCKETS: how many sockets a context gives, the error after that, and that a closed one makes room.
#include "support.h"

int main(void) {
    start();
    static const int limits[] = {1, 2, 3, 10};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        void *context = zmq_ctx_new();
        void *sockets[16];
        int count = 0;
        MUST(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, limits[i]));
        while (count < 16 && (sockets[count] = zmq_socket(context, ZMQ_PAIR)) != NULL) {
            count++;
        }
        printf("MAX_SOCKETS %d: %d sockets, then %s\n", limits[i], count, errno_name(zmq_errno()));
        MUST(zmq_close(sockets[--count]));
        void *again = NULL;
        WAIT_UNTIL((again = zmq_socket(context, ZMQ_PUB)) != NULL);
        printf("after a close: %s\n", again ? "one more" : "none");
        SHOW(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 100));
        SHOW(zmq_ctx_get(context, ZMQ_MAX_SOCKETS));
        SHOW_PTR(zmq_socket(context, ZMQ_PAIR));
        zmq_close(again);
        while (count > 0) {
            zmq_close(sockets[--count]);
        }
        SHOW(zmq_ctx_term(context));
    }
    return 0;
}
