// SPDX-License-Identifier: MPL-2.0
//
// A bound socket that has no descriptor left for a connection. It says so, keeps its connections, and accepts
// as soon as there are descriptors again.
#include "events.h"

#include <fcntl.h>
#include <sys/resource.h>

enum { DESCRIPTORS = 64 };

static int use_up(int *held) {
    int count = 0;
    int descriptor;
    while (count < DESCRIPTORS && (descriptor = open("/dev/null", O_RDONLY)) != -1) {
        held[count++] = descriptor;
    }
    printf("no descriptor left: %s\n", errno_name(errno));
    return count;
}

static void connect_raw(int descriptor, const char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1));
    MUST(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

static void runs_out(void *context) {
    char endpoint[ENDPOINT_SIZE];
    void *pull = open_socket(context, ZMQ_PULL);
    void *before = open_socket(context, ZMQ_PUSH);
    void *after = open_socket(context, ZMQ_PUSH);
    void *monitor = watch(context, pull, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED);
    MUST(bind_any(pull, "tcp", endpoint));
    MUST(zmq_connect(before, endpoint));
    show_event("the first peer", monitor);
    int late = socket(AF_INET, SOCK_STREAM, 0);
    MUST(late);
    int held[DESCRIPTORS];
    int count = use_up(held);
    connect_raw(late, endpoint);
    uint32_t value = 0;
    int event = next_event(monitor, 0, &value);
    printf("a late peer: %s %s\n", event_name(event), errno_name((int)value));
    while (count > 0) {
        close(held[--count]);
    }
    do {
        event = next_event(monitor, 0, &value);
    } while (event == ZMQ_EVENT_ACCEPT_FAILED);
    printf("with descriptors: %s\n", event_name(event));
    show_send("the first peer", before, "hello", 0);
    expect("from it", pull);
    MUST(zmq_connect(after, endpoint));
    show_send("the last peer", after, "hello", 0);
    expect("in the end", pull);
    close(late);
    zmq_close(pull);
    zmq_close(before);
    zmq_close(after);
    zmq_close(monitor);
}

int main(void) {
    start();
    struct rlimit limit;
    MUST(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = DESCRIPTORS;
    MUST(setrlimit(RLIMIT_NOFILE, &limit));
    void *context = zmq_ctx_new();
    MUST(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 16));
    runs_out(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
