/* SPDX-License-Identifier: MPL-2.0 */
/* What all examples in C share: a call that fails ends the program and says why. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>

static inline int check(int result, const char *call) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", call, zmq_strerror(zmq_errno()));
        exit(1);
    }
    return result;
}
/* Ends the program with the text of the call and of the error. */
#define CHECK(call) check((call), #call)

/* Binds to a free port of this machine, and gives the endpoint to connect to. */
static inline void bind_somewhere(void *socket, char endpoint[64]) {
    size_t size = 64;
    CHECK(zmq_bind(socket, "tcp://127.0.0.1:*"));
    CHECK(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size));
}

/* Receives one frame as a string. */
static inline void receive_text(void *socket, char text[256]) {
    int size = CHECK(zmq_recv(socket, text, 255, 0));
    text[size < 255 ? size : 255] = '\0';
}

#endif
