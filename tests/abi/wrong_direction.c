// SPDX-License-Identifier: MPL-2.0
//
// Sending on and receiving from each type, unconnected and connected: which calls are supported, and the
// events.
#include "support.h"

static void calls(void *socket) {
    char byte;
    zmq_msg_t message;
    zmq_msg_init(&message);
    SHOW(zmq_send(socket, "x", 1, ZMQ_DONTWAIT));
    SHOW(zmq_send(socket, "x", 1, ZMQ_DONTWAIT | ZMQ_SNDMORE));
    SHOW(zmq_send_const(socket, "x", 1, ZMQ_DONTWAIT));
    SHOW(zmq_msg_send(&message, socket, ZMQ_DONTWAIT));
    SHOW(zmq_recv(socket, &byte, 1, ZMQ_DONTWAIT));
    zmq_msg_close(&message);
    zmq_msg_init(&message);
    SHOW(zmq_msg_recv(&message, socket, ZMQ_DONTWAIT));
    zmq_msg_close(&message);
    printf("events %s\n", events_text(events_of(socket)));
}

int main(void) {
    start();
    static const int peers[] = {ZMQ_PAIR,   ZMQ_SUB,  ZMQ_PUB,  ZMQ_REP,  ZMQ_REQ, ZMQ_ROUTER,
                                ZMQ_DEALER, ZMQ_PUSH, ZMQ_PULL, ZMQ_XSUB, ZMQ_XPUB};
    void *context = zmq_ctx_new();
    for (int type = ZMQ_PAIR; type <= ZMQ_XSUB; type++) {
        SECTION("%s alone", type_names[type]);
        void *socket = open_socket(context, type);
        calls(socket);
        zmq_close(socket);
        SECTION("%s with a %s", type_names[type], type_names[peers[type]]);
        socket = open_socket(context, type);
        void *peer = open_socket(context, peers[type]);
        join(socket, peer, "inproc");
        calls(socket);
        zmq_close(socket);
        zmq_close(peer);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
