// SPDX-License-Identifier: MPL-2.0
// Prints the versions of library and header and sends one message through an inproc pair; exits 0 when it
// came back.
#include <stdio.h>
#include <string.h>
#include <zmq.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    return 1;
}

int main(void) {
    int major, minor, patch;
    char text[16] = "";
    zmq_version(&major, &minor, &patch);
    printf("library %d.%d.%d header %d.%d.%d\n", major, minor, patch, ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR,
           ZMQ_VERSION_PATCH);

    void *context = zmq_ctx_new();
    void *left = zmq_socket(context, ZMQ_PAIR);
    void *right = zmq_socket(context, ZMQ_PAIR);
    if (!left || !right)
        return fail("zmq_socket");
    if (zmq_bind(left, "inproc://consumer") != 0 || zmq_connect(right, "inproc://consumer") != 0)
        return fail("bind and connect");
    if (zmq_send(left, "hello", 5, 0) != 5 || zmq_recv(right, text, sizeof text, 0) != 5)
        return fail("send and receive");
    zmq_close(left);
    zmq_close(right);
    zmq_ctx_term(context);
    return strcmp(text, "hello") == 0 ? 0 : 1;
}
