// SPDX-License-Identifier: MPL-2.0
//
// zmq_disconnect at once after zmq_connect to an endpoint where nobody listens: the monitor hears that the
// attempt has ended. All bits of ZMQ_RECONNECT_STOP are set: their numbers differ between the versions of
// libzmq.
#include "events.h"

enum { RECONNECT_STOP = 109, ALL_BITS = 7 };

static void abandon(void *context, const char *transport) {
    SECTION("%s", transport);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *socket = open_socket(context, ZMQ_DEALER);
    MUST(set_int(socket, RECONNECT_STOP, ALL_BITS));
    void *monitor = watch(context, socket, ZMQ_EVENT_CLOSED);
    MUST(zmq_connect(socket, endpoint));
    zmq_disconnect(socket, endpoint); /* ENOENT where the attempt has failed already */
    show_event("event", monitor);
    zmq_close(socket);
    zmq_close(monitor);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int turn = 0; turn < 5; turn++) {
        abandon(context, "ipc");
        abandon(context, "tcp");
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
