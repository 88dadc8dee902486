/* SPDX-License-Identifier: MPL-2.0 */
/* PAIR: two threads of a program signal each other by inproc. */
#include "example.h"

static void work(void *context) {
    void *parent = zmq_socket(context, ZMQ_PAIR);
    CHECK(zmq_connect(parent, "inproc://work"));
    CHECK(zmq_send(parent, "done", 4, 0));
    zmq_close(parent);
}

int main(void) {
    char text[256];
    void *context = zmq_ctx_new();
    void *child = zmq_socket(context, ZMQ_PAIR);
    CHECK(zmq_bind(child, "inproc://work"));
    void *thread = zmq_threadstart(work, context);
    receive_text(child, text);
    printf("the thread says: %s\n", text);

    zmq_threadclose(thread);
    zmq_close(child);
    zmq_ctx_term(context);
    return 0;
}
