// SPDX-License-Identifier: MPL-2.0
//
// How long a connecting socket waits before its next attempt, as CONNECT_RETRIED tells: doubled from
// ZMQ_RECONNECT_IVL to ZMQ_RECONNECT_IVL_MAX. libzmq adds jitter below the interval, also to the maximum; a
// library may take it off instead.
#include "events.h"

static void intervals(void *context, const char *transport, int interval_ms, int maximum_ms, int count) {
    SECTION("%s, interval %d, maximum %d", transport, interval_ms, maximum_ms);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *socket = open_socket(context, ZMQ_DEALER);
    MUST(set_int(socket, ZMQ_RECONNECT_IVL, interval_ms));
    MUST(set_int(socket, ZMQ_RECONNECT_IVL_MAX, maximum_ms));
    void *monitor = watch(context, socket, ZMQ_EVENT_CONNECT_RETRIED);
    MUST(zmq_connect(socket, endpoint));
    int step_ms = interval_ms;
    for (int i = 0; i < count; i++) {
        uint32_t value = 0;
        int event = next_event(monitor, 0, &value);
        bool right = (int)value >= step_ms - step_ms / 4 && (int)value >= interval_ms &&
                     (int)value <= step_ms + interval_ms;
        printf("%s after about %d: %s\n", event_name(event), step_ms, right ? "right" : "wrong");
        if (maximum_ms > interval_ms) {
            step_ms = step_ms * 2 < maximum_ms ? step_ms * 2 : maximum_ms;
        }
    }
    zmq_close(socket);
    zmq_close(monitor);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 1; t < TRANSPORTS; t++) {
        intervals(context, transports[t], 20, 0, 8);
        intervals(context, transports[t], 10, 150, 8);
        intervals(context, transports[t], 16, 128, 6);
        intervals(context, transports[t], 30, 31, 4);
        intervals(context, transports[t], 30, 30, 4);
        intervals(context, transports[t], 30, 10, 6);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
