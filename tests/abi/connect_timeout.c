// SPDX-License-Identifier: MPL-2.0
//
// CONNECT_TIMEOUT: a peer that does not answer, neither yes nor no: its queue of connections is full.
#include "events.h"
#include "plain.h"

#include <fcntl.h>

enum { QUEUE = 8 };

/* Connects without waiting until the system takes no more. */
static void fill_queue(const char *endpoint, int *held) {
    for (int i = 0; i < QUEUE; i++) {
        struct sockaddr_in address = {0};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons((uint16_t)port_of(endpoint));
        held[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(held[i], (struct sockaddr *)&address, sizeof address);
        pause_ms(1);
    }
}

static void show_kind(const char *label, void *watcher) {
    uint32_t value = 0;
    int event = next_event(watcher, 0, &value);
    printf("%s: %s\n", label, event == ZMQ_EVENT_CONNECT_DELAYED ? "CONNECT_DELAYED" : event_name(event));
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    char endpoint[ENDPOINT_SIZE];
    int held[QUEUE];
    int listener = plain_listen(endpoint);
    MUST(listen(listener, 0));
    fill_queue(endpoint, held);
    void *push = open_socket(context, ZMQ_PUSH);
    void *watcher = watch(context, push, ZMQ_EVENT_ALL);
    MUST(set_int(push, ZMQ_RECONNECT_IVL, 10));
    SHOW(set_int(push, ZMQ_CONNECT_TIMEOUT, 60));
    SHOW(zmq_connect(push, endpoint));
    for (int i = 0; i < 9; i++) {
        show_kind("push", watcher);
    }
    MUST(zmq_socket_monitor(push, NULL, 0));
    zmq_close(watcher);
    zmq_close(push);
    for (int i = 0; i < QUEUE; i++) {
        close(held[i]);
    }
    close(listener);
    SHOW(zmq_ctx_term(context));
    return 0;
}
