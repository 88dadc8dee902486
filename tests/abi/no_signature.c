// SPDX-License-Identifier: MPL-2.0
//
// Peers whose first bytes belong to no version of the protocol: a frame of the oldest version whose length is
// 0.
#include "events.h"
#include "plain.h"

static void run(void *context, const char *name, const void *bytes, size_t size) {
    SECTION("%s", name);
    char endpoint[ENDPOINT_SIZE];
    void *socket = open_socket(context, ZMQ_DEALER);
    void *monitor = watch(context, socket, ZMQ_EVENT_ALL & ~ZMQ_EVENT_LISTENING);
    MUST(bind_any(socket, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    MUST(send(peer, bytes, size, 0));
    show_event("first", monitor);
    show_event("second", monitor);
    show_no_event("third", monitor);
    close(peer);
    zmq_close(socket);
    zmq_close(monitor);
}

int main(int argc, char **argv) {
    start();
    static const struct {
        const char *name, *bytes;
        size_t size;
    } beginnings[] = {
        {"one byte 00", "\0", 1},
        {"bytes 00 01", "\0\1", 2},
        {"twelve bytes 00", "\0\0\0\0\0\0\0\0\0\0\0", 12},
        {"the long form with length 0", "\xff\0\0\0\0\0\0\0\0\0", 10},
    };
    int which =
        argc > 1 ? atoi(argv[1]) : 0; /* the I/O thread of libzmq takes no other connection after this one */
    void *context = zmq_ctx_new();
    run(context, beginnings[which].name, beginnings[which].bytes, beginnings[which].size);
    return 0; /* nor does its context end */
}
