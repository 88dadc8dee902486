// SPDX-License-Identifier: MPL-2.0
//
// Options that concern the sockets of the system: what they are set to, read from the very descriptors, which
// the monitor tells.
#include "events.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>

typedef struct {
    const char *name;
    int level, option;
} system_option;

static void show_int(const char *who, int descriptor, const system_option *what) {
    int value = 0;
    socklen_t size = sizeof value;
    int result = getsockopt(descriptor, what->level, what->option, &value, &size);
    printf("%s, %s: %d\n", who, what->name, result == 0 ? value : -1);
}

static void show_descriptor(const char *who, int descriptor, bool tcp) {
    static const system_option common[] = {{"SO_SNDBUF", SOL_SOCKET, SO_SNDBUF},
                                           {"SO_RCVBUF", SOL_SOCKET, SO_RCVBUF},
                                           {"SO_PRIORITY", SOL_SOCKET, SO_PRIORITY},
                                           {"SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR}};
    static const system_option of_tcp[] = {{"IP_TOS", IPPROTO_IP, IP_TOS},
                                           {"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE},
                                           {"TCP_KEEPCNT", IPPROTO_TCP, TCP_KEEPCNT},
                                           {"TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE},
                                           {"TCP_KEEPINTVL", IPPROTO_TCP, TCP_KEEPINTVL},
                                           {"TCP_USER_TIMEOUT", IPPROTO_TCP, TCP_USER_TIMEOUT},
                                           {"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY}};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        show_int(who, descriptor, &common[i]);
    }
    for (size_t i = 0; tcp && i < sizeof of_tcp / sizeof *of_tcp; i++) {
        show_int(who, descriptor, &of_tcp[i]);
    }
    char device[IFNAMSIZ] = "";
    socklen_t size = sizeof device;
    getsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device, &size);
    printf("%s, device \"%s\"\n", who, device);
    printf("%s, closed on exec %d\n", who, (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
}

static int wait_for_event(void *watcher, int wanted) {
    uint32_t value = 0;
    int event;
    do {
        event = next_event(watcher, 0, &value);
    } while (event != wanted && event != 0);
    return (int)value;
}

typedef struct {
    const char *name;
    const char *transport;
    struct {
        int option, value;
    } set[8];
    const char *device;
} run;

static void *socket_of(void *context, int type, const run *one) {
    void *made = open_socket(context, type);
    for (int i = 0; one->set[i].option != 0; i++) {
        printf("option %d -> %d\n", one->set[i].option, set_int(made, one->set[i].option, one->set[i].value));
    }
    if (one->device) {
        SHOW(set_text(made, ZMQ_BINDTODEVICE, one->device));
    }
    return made;
}

static void go(void *context, const run *one) {
    SECTION("%s, %s", one->name, one->transport);
    const bool tcp = strcmp(one->transport, "tcp") == 0;
    char endpoint[ENDPOINT_SIZE];
    void *pull = socket_of(context, ZMQ_PULL, one);
    void *push = socket_of(context, ZMQ_PUSH, one);
    void *of_pull = watch(context, pull, ZMQ_EVENT_ALL);
    void *of_push = watch(context, push, ZMQ_EVENT_ALL);
    join_at(pull, push, one->transport, endpoint);
    MUST(zmq_send(push, "x", 1, 0));
    expect("pull", pull);
    show_descriptor("listening", wait_for_event(of_pull, ZMQ_EVENT_LISTENING), tcp);
    show_descriptor("accepted", wait_for_event(of_pull, ZMQ_EVENT_ACCEPTED), tcp);
    show_descriptor("connected", wait_for_event(of_push, ZMQ_EVENT_CONNECTED), tcp);
    MUST(zmq_socket_monitor(pull, NULL, 0));
    MUST(zmq_socket_monitor(push, NULL, 0));
    zmq_close(of_pull);
    zmq_close(of_push);
    zmq_close(push);
    zmq_close(pull);
}

int main(void) {
    start();
    static const run runs[] = {
        {"defaults", "tcp", {{0, 0}}, NULL},
        {"defaults", "ipc", {{0, 0}}, NULL},
        {"buffers", "tcp", {{ZMQ_SNDBUF, 100000}, {ZMQ_RCVBUF, 50000}}, NULL},
        {"buffers of nothing", "tcp", {{ZMQ_SNDBUF, 0}, {ZMQ_RCVBUF, 0}}, NULL},
        {"type of service", "tcp", {{ZMQ_TOS, 0x28}}, NULL},
        {"type of service", "ipc", {{ZMQ_TOS, 0x28}}, NULL},
        {"keep-alive", "tcp", {{ZMQ_TCP_KEEPALIVE, 1}}, NULL},
        {"keep-alive off", "tcp", {{ZMQ_TCP_KEEPALIVE, 0}, {ZMQ_TCP_KEEPALIVE_CNT, 4}}, NULL},
        {"keep-alive in detail",
         "tcp",
         {{ZMQ_TCP_KEEPALIVE, 1},
          {ZMQ_TCP_KEEPALIVE_CNT, 4},
          {ZMQ_TCP_KEEPALIVE_IDLE, 60},
          {ZMQ_TCP_KEEPALIVE_INTVL, 7}},
         NULL},
        {"details without keep-alive",
         "tcp",
         {{ZMQ_TCP_KEEPALIVE_CNT, 4}, {ZMQ_TCP_KEEPALIVE_IDLE, 60}, {ZMQ_TCP_KEEPALIVE_INTVL, 7}},
         NULL},
        {"longest retransmission", "tcp", {{ZMQ_TCP_MAXRT, 12345}}, NULL},
        {"device", "tcp", {{0, 0}}, "lo"},
        {"device", "ipc", {{0, 0}}, "lo"},
        {"IPv6", "tcp", {{ZMQ_IPV6, 1}, {ZMQ_TOS, 0x28}, {ZMQ_TCP_KEEPALIVE, 1}}, NULL},
    };
    void *context = zmq_ctx_new();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        go(context, &runs[i]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
