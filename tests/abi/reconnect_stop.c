// SPDX-License-Identifier: MPL-2.0
//
// When a connecting socket gives its peer up: ZMQ_RECONNECT_STOP, and ZMQ_RECONNECT_IVL that allows no second
// attempt. It shows the end of the pipe, and that connecting again begins anew. Nothing is left unsent where
// linger is for ever: libzmq would never end.
#include "events.h"

enum { RECONNECT_STOP = 109, REFUSED = 1, HANDSHAKE = 2, AFTER_DISCONNECT = 4, INTERVAL_MS = 20 };
enum {
    LOOKED_FOR = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED |
                 ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                 ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
};

static void *context;
static void *monitor;

static void *connecting(int stop, int interval_ms) {
    void *socket = open_socket(context, ZMQ_DEALER);
    MUST(set_int(socket, RECONNECT_STOP, stop));
    MUST(set_int(socket, ZMQ_RECONNECT_IVL, interval_ms));
    monitor = watch(context, socket, LOOKED_FOR);
    return socket;
}

static void done_with(void *socket) {
    zmq_close(socket);
    zmq_close(monitor);
}

/* libzmq ends a pipe in several steps, each of which waits for a call. */
static void show_pipe(void *socket) {
    for (int i = 0; i < 20; i++) {
        events_of(socket);
        pause_ms(2);
    }
    printf("events %s\n", events_text(events_of(socket)));
    show_send("then", socket, "kept", ZMQ_DONTWAIT);
}

static void *bound_late(const char *endpoint) {
    void *socket = open_socket(context, ZMQ_DEALER);
    MUST(zmq_bind(socket, endpoint));
    return socket;
}

static void nobody_there(const char *transport, int stop, int interval_ms) {
    SECTION("nobody listens over %s, stop %d, interval %d", transport, stop, interval_ms);
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *socket = connecting(stop, interval_ms);
    MUST(zmq_connect(socket, endpoint));
    show_event("first", monitor);
    uint32_t value = 0;
    wait_for(monitor, ZMQ_POLLIN, QUIET_MS * time_factor());
    int second = next_event(monitor, ZMQ_DONTWAIT, &value);
    printf("second: %s\n", event_name(second));
    show_pipe(socket);
    bool kept = events_of(socket) != 0;
    void *late = bound_late(endpoint);
    if (second) {
        expect("bound late", late);
    } else {
        show_no_event("bound late", monitor);
        MUST(zmq_connect(socket, endpoint)); /* which is ignored while the pipe is there */
        if (kept) {
            show_no_event("connected anew", monitor);
        } else {
            show_event("connected anew", monitor);
        }
    }
    done_with(socket);
    zmq_close(late);
}

static int listen_raw(char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(bind(descriptor, (struct sockaddr *)&address, size));
    MUST(getsockname(descriptor, (struct sockaddr *)&address, &size));
    MUST(listen(descriptor, 16));
    snprintf(endpoint, ENDPOINT_SIZE, "tcp://127.0.0.1:%d", ntohs(address.sin_port));
    return descriptor;
}

enum peer { LEAVES, IS_SILENT, SPEAKS_PLAIN };

/* A protocol error ends the attempts of libzmq whatever the option says: with the option only. */
static void failing_handshake(enum peer peer, int stop, int interval_ms) {
    static const char *const names[] = {"leaves", "is silent", "speaks PLAIN"};
    SECTION("a peer that %s, stop %d, interval %d", names[peer], stop, interval_ms);
    char endpoint[ENDPOINT_SIZE];
    int listener = listen_raw(endpoint);
    void *socket = connecting(stop, interval_ms);
    MUST(set_int(socket, ZMQ_HANDSHAKE_IVL, 100));
    MUST(zmq_connect(socket, endpoint));
    int descriptor = accept(listener, NULL, NULL);
    MUST(descriptor);
    static const unsigned char greeting[64] = {0xff, 0, 0, 0,   0,   0,   0,   0,  0,
                                               0x7f, 3, 1, 'P', 'L', 'A', 'I', 'N'};
    if (peer == LEAVES) {
        close(descriptor);
    } else if (peer == SPEAKS_PLAIN) {
        MUST(write(descriptor, greeting, sizeof greeting));
    }
    for (int i = 0; i < 3; i++) {
        show_event("event", monitor);
    }
    if (stop || interval_ms <= 0) {
        show_no_event("after it", monitor);
        show_pipe(socket);
    } else {
        show_event("after it", monitor);
    }
    done_with(socket);
    if (peer != LEAVES) {
        close(descriptor);
    }
    close(listener);
}

static void lost(const char *transport, int stop, int interval_ms) {
    SECTION("a peer that goes, over %s, stop %d, interval %d", transport, stop, interval_ms);
    char endpoint[ENDPOINT_SIZE];
    void *peer = open_socket(context, ZMQ_DEALER);
    MUST(bind_any(peer, transport, endpoint));
    void *socket = connecting(stop, interval_ms);
    MUST(zmq_connect(socket, endpoint));
    show_event("event", monitor);
    show_event("event", monitor);
    zmq_close(peer);
    show_event("event", monitor);
    if (interval_ms > 0) {
        show_event("event", monitor);
    } else {
        show_no_event("event", monitor);
        show_pipe(socket);
    }
    done_with(socket);
}

static void disconnected(void) {
    SECTION("disconnect of what was given up");
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("tcp", endpoint);
    void *socket = connecting(REFUSED, INTERVAL_MS);
    MUST(zmq_connect(socket, endpoint));
    show_event("event", monitor);
    show_no_event("event", monitor);
    SHOW(zmq_disconnect(socket, endpoint));
    SHOW(zmq_disconnect(socket, endpoint));
    done_with(socket);
}

int main(void) {
    start();
    context = zmq_ctx_new();
    nobody_there("tcp", 0, INTERVAL_MS);
    nobody_there("tcp", REFUSED, INTERVAL_MS);
    nobody_there("tcp", HANDSHAKE | AFTER_DISCONNECT, INTERVAL_MS);
    /* With an interval, libzmq gives an ipc endpoint up at times, whatever it was told. */
    for (int t = 1; t < TRANSPORTS; t++) {
        nobody_there(transports[t], 0, 0);
        nobody_there(transports[t], 0, -1);
        lost(transports[t], 0, INTERVAL_MS);
        lost(transports[t], REFUSED | HANDSHAKE | AFTER_DISCONNECT, INTERVAL_MS);
        lost(transports[t], 0, 0);
        lost(transports[t], 0, -1);
    }
    for (enum peer peer = LEAVES; peer <= SPEAKS_PLAIN; peer++) {
        failing_handshake(peer, HANDSHAKE, INTERVAL_MS);
        failing_handshake(peer, REFUSED | HANDSHAKE, INTERVAL_MS);
        if (peer != SPEAKS_PLAIN) {
            failing_handshake(peer, 0, INTERVAL_MS);
            failing_handshake(peer, 0, -1);
            failing_handshake(peer, HANDSHAKE, -1);
        }
    }
    disconnected();
    SHOW(zmq_ctx_term(context));
    return 0;
}
