// SPDX-License-Identifier: MPL-2.0
//
// Security for interop_end: a ZAP handler in a thread of its own, and the first failure of a
// handshake as a monitor tells it.
#pragma once

#include "../abi/support.h"

struct authenticator {
    void *socket;
    const char *status; /* what it answers everybody */
    void *thread;
};

/* Answers until the context ends: version, id, status, text, user, metadata. */
static void authenticate(void *argument) {
    const struct authenticator *self = argument;
    char frames[8][256];
    for (;;) {
        int count = 0;
        int more = 1;
        while (more) {
            memset(frames[count % 8], 0, sizeof frames[0]);
            if (zmq_recv(self->socket, frames[count % 8], sizeof frames[0] - 1, 0) == -1) {
                zmq_close(self->socket);
                return;
            }
            count++;
            more = get_int(self->socket, ZMQ_RCVMORE);
        }
        const char *const reply[] = {"1.0", frames[1], self->status, "told so", "the user", ""};
        for (int i = 0; i < 6; i++) {
            zmq_send(self->socket, reply[i], strlen(reply[i]), i < 5 ? ZMQ_SNDMORE : 0);
        }
    }
}

static inline void start_authenticator(struct authenticator *self, void *context, const char *status) {
    self->socket = open_socket(context, ZMQ_REP);
    self->status = status;
    set_int(self->socket, ZMQ_RCVTIMEO, -1);
    MUST(zmq_bind(self->socket, "inproc://zeromq.zap.01"));
    self->thread = zmq_threadstart(authenticate, self);
}

static inline void *watch_handshakes(void *context, void *socket) {
    MUST(zmq_socket_monitor(socket, "inproc://handshakes",
                            ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    void *monitor = open_socket(context, ZMQ_PAIR);
    set_int(monitor, ZMQ_RCVTIMEO, 30000);
    MUST(zmq_connect(monitor, "inproc://handshakes"));
    return monitor;
}

/* "handshake AUTH 400" and the like. */
static inline void tell_handshake(void *monitor) {
    unsigned char head[6];
    uint16_t event = 0;
    uint32_t value = 0;
    if (zmq_recv(monitor, head, sizeof head, 0) == -1) {
        printf("failed: no event of a handshake\n");
        exit(1);
    }
    memcpy(&event, head, sizeof event);
    memcpy(&value, head + sizeof event, sizeof value);
    const char *name = event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH       ? "AUTH"
                       : event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ? "PROTOCOL"
                       : event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED       ? "SUCCEEDED"
                                                                      : "NO_DETAIL";
    printf("handshake %s %x\n", name, value);
}
