// SPDX-License-Identifier: MPL-2.0
//
// Names of monitor events, for programs that are about something else: the endpoint and most values are left
// out.
#pragma once

#include "support.h"

/* A monitor of `socket` that hears of the events in `mask`. */
static inline void *watch(void *context, void *socket, int mask) {
    static int serial = 0;
    char endpoint[ENDPOINT_SIZE];
    snprintf(endpoint, sizeof endpoint, "inproc://watch-%d", ++serial);
    void *monitor = open_socket(context, ZMQ_PAIR);
    MUST(zmq_socket_monitor(socket, endpoint, mask));
    MUST(zmq_connect(monitor, endpoint));
    return monitor;
}

/* The next event and its value; 0 when none comes. */
static inline int next_event(void *monitor, int flags, uint32_t *value) {
    unsigned char head[6];
    uint16_t event = 0;
    if (zmq_recv(monitor, head, sizeof head, flags) == -1) {
        return 0;
    }
    memcpy(&event, head, sizeof event);
    memcpy(value, head + sizeof event, sizeof *value);
    zmq_recv(monitor, NULL, 0, 0);
    return event;
}

static inline const char *event_name(int event) {
    static const struct {
        int event;
        const char *name;
    } names[] = {
        {0, "none"},
        {ZMQ_EVENT_CONNECTED, "CONNECTED"},
        {ZMQ_EVENT_CONNECT_RETRIED, "CONNECT_RETRIED"},
        {ZMQ_EVENT_LISTENING, "LISTENING"},
        {ZMQ_EVENT_ACCEPTED, "ACCEPTED"},
        {ZMQ_EVENT_ACCEPT_FAILED, "ACCEPT_FAILED"},
        {ZMQ_EVENT_CLOSED, "CLOSED"},
        {ZMQ_EVENT_DISCONNECTED, "DISCONNECTED"},
        {ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, "HANDSHAKE_FAILED_NO_DETAIL"},
        {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, "HANDSHAKE_SUCCEEDED"},
        {ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, "HANDSHAKE_FAILED_PROTOCOL"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].event == event) {
            return names[i].name;
        }
    }
    return "another event";
}

/* Waits for the next event and prints its name. */
static inline int show_event(const char *label, void *monitor) {
    uint32_t value = 0;
    int event = next_event(monitor, 0, &value);
    printf("%s: %s\n", label, event_name(event));
    return event;
}

/* Shows that no event comes. */
static inline void show_no_event(const char *label, void *monitor) {
    uint32_t value = 0;
    wait_for(monitor, ZMQ_POLLIN, QUIET_MS * time_factor());
    printf("%s: %s\n", label, event_name(next_event(monitor, ZMQ_DONTWAIT, &value)));
}
