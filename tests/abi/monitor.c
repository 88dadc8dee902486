// SPDX-License-Identifier: MPL-2.0
//
// zmq_socket_monitor: which events come, in which order, with which values. Every monitor has its reader
// before anything happens: libzmq waits for one with the event in its hand.
#include "support.h"

static const struct {
    int bit;
    const char *name;
    bool fd;
} events[] = {
    {ZMQ_EVENT_CONNECTED, "CONNECTED", true},
    {ZMQ_EVENT_CONNECT_DELAYED, "CONNECT_DELAYED", false},
    {ZMQ_EVENT_CONNECT_RETRIED, "CONNECT_RETRIED", false},
    {ZMQ_EVENT_LISTENING, "LISTENING", true},
    {ZMQ_EVENT_BIND_FAILED, "BIND_FAILED", false},
    {ZMQ_EVENT_ACCEPTED, "ACCEPTED", true},
    {ZMQ_EVENT_ACCEPT_FAILED, "ACCEPT_FAILED", false},
    {ZMQ_EVENT_CLOSED, "CLOSED", true},
    {ZMQ_EVENT_DISCONNECTED, "DISCONNECTED", true},
    {ZMQ_EVENT_MONITOR_STOPPED, "MONITOR_STOPPED", false},
    {ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, "HANDSHAKE_FAILED_NO_DETAIL", false},
    {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, "HANDSHAKE_SUCCEEDED", false},
    {ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, "HANDSHAKE_FAILED_PROTOCOL", false},
};

static void print_event(uint16_t bit, uint32_t value) {
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i].bit != bit) {
            continue;
        }
        printf("%s", events[i].name);
        if (events[i].fd) {
            printf(" fd %s", value > 2 && value < 100000 ? "ok" : "wrong");
        } else if (bit == ZMQ_EVENT_CONNECT_RETRIED) {
            printf(" interval %s", value >= 50 && value <= 100 ? "ok" : "wrong");
        } else {
            printf(" %#x", value);
        }
        return;
    }
    printf("event %#x", bit);
}

static void expect_event(const char *label, void *monitor) {
    unsigned char head[64];
    char endpoint[ENDPOINT_SIZE] = "";
    printf("%s: ", label);
    int size = zmq_recv(monitor, head, sizeof head, 0);
    if (size == -1) {
        printf("%s\n", errno_name(zmq_errno()));
        return;
    }
    uint16_t bit = 0;
    uint32_t value = 0;
    memcpy(&bit, head, sizeof bit);
    memcpy(&value, head + sizeof bit, sizeof value);
    print_event(bit, value);
    int more = get_int(monitor, ZMQ_RCVMORE);
    int length = zmq_recv(monitor, endpoint, sizeof endpoint - 1, 0);
    endpoint[length < 0 ? 0 : length] = 0;
    /* That of BIND_FAILED has no scheme. */
    if (strncmp(endpoint, "127.0.0.1:", 10) == 0) {
        strcpy(endpoint + 10, "PORT");
    }
    char *pid = strstr(endpoint, "zlink-abi-");
    if (pid) {
        strcpy(pid, "NAME");
    }
    printf(" \"%s\" %d+%d\n", masked(endpoint), size, more);
}

static void *monitor_of(void *context, void *socket, int mask) {
    static int serial = 0;
    char endpoint[ENDPOINT_SIZE];
    snprintf(endpoint, sizeof endpoint, "inproc://monitor-%d", ++serial);
    void *monitor = open_socket(context, ZMQ_PAIR);
    MUST(zmq_socket_monitor(socket, endpoint, mask));
    MUST(zmq_connect(monitor, endpoint));
    return monitor;
}

static void connection(const char *transport) {
    SECTION("a connection over %s", transport);
    void *context = zmq_ctx_new();
    void *b = open_socket(context, ZMQ_DEALER);
    void *c = open_socket(context, ZMQ_DEALER);
    void *of_b = monitor_of(context, b, ZMQ_EVENT_ALL);
    void *of_c = monitor_of(context, c, ZMQ_EVENT_ALL);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(b, transport, endpoint));
    expect_event("b", of_b);
    MUST(zmq_connect(c, endpoint));
    expect_event("b", of_b);
    expect_event("b", of_b);
    expect_event("c", of_c);
    expect_event("c", of_c);
    if (strcmp(transport, "tcp") == 0) {
        expect_event("c", of_c);
    }
    zmq_close(c);
    expect_event("c closed", of_c);
    expect_event("b", of_b);
    MUST(zmq_unbind(b, endpoint));
    expect_event("b unbound", of_b);
    MUST(bind_any(b, transport, endpoint));
    expect_event("b", of_b);
    zmq_close(b);
    expect_event("b closed", of_b);
    expect_event("b closed", of_b);
    zmq_close(of_b);
    zmq_close(of_c);
    SHOW(zmq_ctx_term(context));
}

static void reconnection(void) {
    SECTION("nobody listens, then somebody, then the peer goes");
    void *context = zmq_ctx_new();
    void *c = open_socket(context, ZMQ_DEALER);
    void *of_c = monitor_of(context, c, ZMQ_EVENT_ALL);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("tcp", endpoint);
    MUST(set_int(c, ZMQ_RECONNECT_IVL, 50));
    MUST(zmq_connect(c, endpoint));
    for (int i = 0; i < 6; i++) {
        expect_event("c", of_c);
    }
    void *late =
        monitor_of(context, c, ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED);
    void *b = open_socket(context, ZMQ_DEALER);
    MUST(zmq_bind(b, endpoint));
    expect_event("c", late);
    expect_event("c", late);
    zmq_close(b);
    expect_event("c", late);
    zmq_close(c);
    zmq_close(of_c);
    zmq_close(late);
    SHOW(zmq_ctx_term(context));
}

/* The interval and its jitter together are still an int: a negative one would be no pause at all. */
static void long_interval(void) {
    SECTION("a reconnect interval near the largest");
    static const int intervals[] = {2147483647, 2147483646, 1800000000, 1300000000};
    void *context = zmq_ctx_new();
    for (int i = 0; i < 8; i++) {
        void *c = open_socket(context, ZMQ_DEALER);
        void *of_c = monitor_of(context, c, ZMQ_EVENT_CONNECT_RETRIED);
        MUST(set_int(c, ZMQ_RECONNECT_IVL, intervals[i % 4]));
        char endpoint[ENDPOINT_SIZE];
        unused_endpoint("tcp", endpoint);
        MUST(zmq_connect(c, endpoint));
        unsigned char head[6];
        int32_t value = -1;
        MUST(zmq_recv(of_c, head, sizeof head, 0));
        memcpy(&value, head + sizeof(uint16_t), sizeof value);
        printf("%d: at least the interval %d\n", intervals[i % 4], value >= intervals[i % 4]);
        zmq_close(c);
        zmq_close(of_c);
    }
    SHOW(zmq_ctx_term(context));
}

static int raw_connection(const char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1));
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(descriptor);
    MUST(connect(descriptor, (struct sockaddr *)&address, sizeof address));
    return descriptor;
}

static void bad_peer(const char *label, void *monitor, const char *endpoint, const char *mechanism,
                     const char *frame, size_t size) {
    unsigned char bytes[128] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1};
    memcpy(bytes + 12, mechanism, strlen(mechanism));
    memcpy(bytes + 64, frame, size);
    int descriptor = raw_connection(endpoint);
    MUST(write(descriptor, bytes, 64 + size));
    for (int i = 0; i < 3; i++) {
        expect_event(label, monitor);
    }
    close(descriptor);
}

static void handshakes(void) {
    SECTION("handshakes that fail");
    void *context = zmq_ctx_new();
    void *b = open_socket(context, ZMQ_DEALER);
    void *of_b = monitor_of(context, b, ZMQ_EVENT_ALL & ~ZMQ_EVENT_LISTENING);
    char endpoint[ENDPOINT_SIZE];
    MUST(set_int(b, ZMQ_HANDSHAKE_IVL, 300));
    MUST(bind_any(b, "tcp", endpoint));
    bad_peer("another mechanism", of_b, endpoint, "PLAIN", "", 0);
    bad_peer("another command", of_b, endpoint, "NULL", "\4\6\5HELLO", 8);
    bad_peer("a message", of_b, endpoint, "NULL", "\0\1x", 3);
    int silent = raw_connection(endpoint);
    for (int i = 0; i < 3; i++) {
        expect_event("silence", of_b);
    }
    close(silent);
    int quitter = raw_connection(endpoint);
    MUST(shutdown(quitter, SHUT_WR));
    for (int i = 0; i < 3; i++) {
        expect_event("gone at once", of_b);
    }
    close(quitter);
    zmq_close(b);
    zmq_close(of_b);
    SHOW(zmq_ctx_term(context));
}

static void refusals(void) {
    SECTION("accepting and binding that fails");
    void *context = zmq_ctx_new();
    void *b = open_socket(context, ZMQ_DEALER);
    void *of_b = monitor_of(context, b, ZMQ_EVENT_BIND_FAILED | ZMQ_EVENT_ACCEPT_FAILED);
    char endpoint[ENDPOINT_SIZE];
    MUST(set_text(b, ZMQ_TCP_ACCEPT_FILTER, "10.1.2.3"));
    MUST(bind_any(b, "tcp", endpoint));
    int descriptor = raw_connection(endpoint);
    expect_event("filtered", of_b);
    close(descriptor);
    zmq_bind(b, endpoint);
    expect_event("in use", of_b);
    zmq_bind(b, "ipc:///nonexistent/name");
    expect_event("no directory", of_b);
    zmq_bind(b, "tcp://nonsense:*");
    expect_event("no device", of_b);
    zmq_close(b);
    zmq_close(of_b);
    SHOW(zmq_ctx_term(context));
}

static void errors(void *socket) {
    SECTION("errors");
    SHOW(zmq_socket_monitor(NULL, "inproc://m", 1));
    SHOW(zmq_socket_monitor(socket, "tcp://127.0.0.1:*", 1));
    SHOW(zmq_socket_monitor(socket, "ipc://m", 1));
    SHOW(zmq_socket_monitor(socket, "nonsense", 1));
    SHOW(zmq_socket_monitor(socket, "", 1));
    SHOW(zmq_socket_monitor(socket, "inproc://", 1));
    SHOW(zmq_socket_monitor(socket, "other://m", 1));
    SHOW(zmq_socket_monitor(socket, "udp://m:1", 1));
    SHOW(zmq_socket_monitor(socket, "inproc://m", -1));
    SHOW(zmq_socket_monitor(socket, "inproc://m", 0x10000));
    SHOW(zmq_socket_monitor(socket, NULL, 0));
}

static void replaced(void) {
    void *context = zmq_ctx_new();
    void *s = open_socket(context, ZMQ_DEALER);
    errors(s);
    SECTION("stopped and replaced");
    void *first = monitor_of(context, s, ZMQ_EVENT_ALL);
    void *second = monitor_of(context, s, ZMQ_EVENT_ALL);
    expect_event("first", first);
    SHOW(zmq_socket_monitor(s, NULL, 0));
    expect_event("second", second);
    SHOW(zmq_socket_monitor(s, NULL, 0));
    void *taken = open_socket(context, ZMQ_PAIR);
    MUST(zmq_bind(taken, "inproc://taken"));
    void *third = monitor_of(context, s, ZMQ_EVENT_ALL);
    SHOW(zmq_socket_monitor(s, "inproc://taken", ZMQ_EVENT_ALL));
    expect_event("third", third);
    void *quiet = monitor_of(context, s, ZMQ_EVENT_LISTENING);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(s, "tcp", endpoint));
    expect_event("quiet", quiet);
    SHOW(zmq_socket_monitor(s, NULL, 0));
    receive_now("quiet says nothing of its end", quiet);
    SHOW(zmq_close(s));
    zmq_close(first);
    zmq_close(second);
    zmq_close(third);
    zmq_close(quiet);
    zmq_close(taken);
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    connection("tcp");
    connection("ipc");
    reconnection();
    long_interval();
    handshakes();
    refusals();
    replaced();
    return 0;
}
