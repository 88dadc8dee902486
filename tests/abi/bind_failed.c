// SPDX-License-Identifier: MPL-2.0
//
// The events of a bind that fails: the socket that was made for it is closed, where there was one.
#include "events.h"

static void show_events(void *monitor) {
    while (wait_for(monitor, ZMQ_POLLIN, QUIET_MS * time_factor())) {
        unsigned char head[6];
        char endpoint[ENDPOINT_SIZE] = "";
        uint16_t event = 0;
        uint32_t value = 0;
        MUST(zmq_recv(monitor, head, sizeof head, 0));
        MUST(zmq_recv(monitor, endpoint, sizeof endpoint - 1, 0));
        memcpy(&event, head, sizeof event);
        memcpy(&value, head + sizeof event, sizeof value);
        bool failed = event == ZMQ_EVENT_BIND_FAILED;
        char *port = strstr(endpoint, "127.0.0.1:");
        if (port) {
            strcpy(port, "127.0.0.1:PORT");
        }
        printf("  %s %s '%s'\n", failed ? "BIND_FAILED" : event_name(event),
               failed           ? errno_name((int)value)
               : (int)value > 2 ? "descriptor"
                                : "no descriptor",
               endpoint);
    }
}

static void try_bind(void *context, const char *endpoint, const char *shown) {
    SECTION("%s", shown);
    void *socket = open_socket(context, ZMQ_DEALER);
    void *monitor = watch(context, socket, ZMQ_EVENT_ALL);
    show_result("bind", zmq_bind(socket, endpoint));
    show_events(monitor);
    zmq_close(socket);
    zmq_close(monitor);
}

int main(void) {
    start();
    char endpoint[ENDPOINT_SIZE];
    void *context = zmq_ctx_new();
    void *first = open_socket(context, ZMQ_DEALER);
    MUST(bind_any(first, "tcp", endpoint));
    try_bind(context, endpoint, "a port in use");
    try_bind(context, "tcp://192.0.2.123:5", "an address of another machine");
    try_bind(context, "ipc:///nonexistent/path", "a directory that is not there");
    try_bind(context, "ipc:///dev/null/path", "a directory that is none");
    zmq_close(first);
    SHOW(zmq_ctx_term(context));
    return 0;
}
