// SPDX-License-Identifier: MPL-2.0
//
// Null handles, handles of the other kind, and closed sockets, for every function that takes one.
#include "support.h"

static void try_socket(const char *label, void *socket) {
    SECTION("%s as socket", label);
    char byte = 0;
    int value = 0;
    size_t size = sizeof value;
    zmq_msg_t message;
    zmq_msg_init(&message);
    SHOW(zmq_bind(socket, "inproc://x"));
    SHOW(zmq_connect(socket, "inproc://x"));
    SHOW(zmq_unbind(socket, "inproc://x"));
    SHOW(zmq_disconnect(socket, "inproc://x"));
    SHOW(zmq_send(socket, "x", 1, ZMQ_DONTWAIT));
    SHOW(zmq_send_const(socket, "x", 1, ZMQ_DONTWAIT));
    SHOW(zmq_recv(socket, &byte, 1, ZMQ_DONTWAIT));
    SHOW(zmq_msg_send(&message, socket, ZMQ_DONTWAIT));
    SHOW(zmq_msg_recv(&message, socket, ZMQ_DONTWAIT));
    SHOW(zmq_sendmsg(socket, &message, ZMQ_DONTWAIT));
    SHOW(zmq_recvmsg(socket, &message, ZMQ_DONTWAIT));
    SHOW(zmq_setsockopt(socket, ZMQ_LINGER, &value, sizeof value));
    SHOW(zmq_getsockopt(socket, ZMQ_LINGER, &value, &size));
    SHOW(zmq_close(socket));
    zmq_msg_close(&message);
}

static void try_context(const char *label, void *context) {
    SECTION("%s as context", label);
    SHOW_PTR(zmq_socket(context, ZMQ_PAIR));
    SHOW(zmq_ctx_get(context, ZMQ_IO_THREADS));
    SHOW(zmq_ctx_set(context, ZMQ_IO_THREADS, 1));
    SHOW(zmq_ctx_shutdown(context));
    SHOW(zmq_ctx_term(context));
    SHOW(zmq_term(context));
    SHOW(zmq_ctx_destroy(context));
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    static uint64_t nothing[1024];
    try_socket("null", NULL);
    try_socket("a context", context);
    try_socket("zeroed memory", nothing);
    try_context("null", NULL);
    try_context("zeroed memory", nothing);

    SECTION("socket types");
    for (int type = -2; type <= 10; type++) {
        void *socket = zmq_socket(context, type);
        printf("type %d -> %s\n", type, socket ? "ok" : errno_name(zmq_errno()));
        if (socket) {
            printf("TYPE %d\n", get_int(socket, ZMQ_TYPE));
            zmq_close(socket);
        }
    }
    SHOW_PTR(zmq_socket(context, 21));
    SHOW_PTR(zmq_socket(context, 1000));
    SHOW_PTR(zmq_socket(context, 0x7fffffff));
    SHOW(zmq_ctx_term(context));
    return 0;
}
