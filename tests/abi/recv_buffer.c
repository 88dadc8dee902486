// SPDX-License-Identifier: MPL-2.0
//
// zmq_recv that fails leaves the caller's memory as it was, also when half of a message has arrived.
#include "plain.h"

enum { BODY = 100000, FILL = 0x5a, WHOLE = 4 };

static unsigned char memory[BODY + 100];

static void read_all(int descriptor, size_t size) {
    unsigned char bytes[256];
    while (size > 0) {
        ssize_t got = recv(descriptor, bytes, size < sizeof bytes ? size : sizeof bytes, 0);
        MUST(got > 0 ? 0 : -1);
        size -= (size_t)got;
    }
}

static void write_all(int descriptor, const void *bytes, size_t size) {
    MUST(send(descriptor, bytes, size, 0) == (ssize_t)size ? 0 : -1);
}

/* A peer that speaks the protocol and nothing else: a PUSH. */
static int make_peer(const char *endpoint) {
    static const unsigned char greeting[64] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    static const char ready[] = "\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH";
    int peer = plain_connect(endpoint);
    write_all(peer, greeting, sizeof greeting);
    write_all(peer, ready, sizeof ready - 1);
    read_all(peer, sizeof greeting + sizeof ready - 1);
    return peer;
}

static void send_header(int peer) {
    unsigned char header[9] = {2};
    for (int i = 0; i < 8; i++) {
        header[1 + i] = (unsigned char)((uint64_t)BODY >> (56 - 8 * i));
    }
    write_all(peer, header, sizeof header);
}

static void show(const char *label, int result) {
    const char *error = result == -1 ? errno_name(zmq_errno()) : "";
    size_t changed = 0;
    for (size_t i = 0; i < sizeof memory; i++) {
        changed += memory[i] != FILL;
    }
    printf("%s: %d %s, %zu bytes changed\n", label, result, error, changed);
    memset(memory, FILL, sizeof memory);
}

static void *interrupt(void *thread) {
    settle();
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static void over_tcp(void *context, int timeout_ms) {
    SECTION("half a message over tcp, RCVTIMEO %d", timeout_ms);
    static unsigned char body[BODY];
    char endpoint[ENDPOINT_SIZE];
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(bind_any(pull, "tcp", endpoint));
    int peer = make_peer(endpoint);
    for (int i = 0; i < WHOLE; i++) { /* the library may come to expect messages like these */
        send_header(peer);
        write_all(peer, body, sizeof body);
        show("whole", zmq_recv(pull, memory, sizeof memory, 0));
    }
    send_header(peer);
    write_all(peer, body, sizeof body / 2);
    MUST(set_int(pull, ZMQ_RCVTIMEO, timeout_ms));
    show("half", zmq_recv(pull, memory, sizeof memory, 0));
    show("half, once more", zmq_recv(pull, memory, sizeof memory, 0));
    show("half, without waiting", zmq_recv(pull, memory, sizeof memory, ZMQ_DONTWAIT));
    write_all(peer, body, sizeof body / 2);
    MUST(set_int(pull, ZMQ_RCVTIMEO, PATIENCE_MS * time_factor()));
    show("all", zmq_recv(pull, memory, sizeof memory, 0));
    close(peer);
    zmq_close(pull);
}

/* Ends a call in the middle of a message. */
static void *end_context(void *context) {
    settle();
    zmq_ctx_shutdown(context);
    return NULL;
}

static void ended(const char *transport, int timeout_ms) {
    SECTION("half a message over %s, and the context ends, RCVTIMEO %d", transport, timeout_ms);
    static unsigned char body[BODY];
    char endpoint[ENDPOINT_SIZE];
    void *context = zmq_ctx_new();
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(bind_any(pull, transport, endpoint));
    MUST(set_int(pull, ZMQ_RCVTIMEO, timeout_ms));
    int peer = make_peer(endpoint);
    send_header(peer);
    write_all(peer, body, sizeof body / 2);
    pthread_t other;
    pthread_create(&other, NULL, end_context, context);
    show("half", zmq_recv(pull, memory, sizeof memory, 0));
    pthread_join(other, NULL);
    close(peer);
    zmq_close(pull);
    zmq_ctx_term(context);
}

static void on_signal(int number) {
    (void)number;
}

static void interrupted(void *context, const char *transport, int timeout_ms, bool half) {
    SECTION("a signal in %s over %s, RCVTIMEO %d", half ? "half a message" : "silence", transport,
            timeout_ms);
    static unsigned char body[BODY];
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    char endpoint[ENDPOINT_SIZE];
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(bind_any(pull, transport, endpoint));
    MUST(set_int(pull, ZMQ_RCVTIMEO, timeout_ms));
    int peer = make_peer(endpoint);
    if (half) {
        send_header(peer);
        write_all(peer, body, sizeof body / 2);
    }
    pthread_t self = pthread_self(), other;
    pthread_create(&other, NULL, interrupt, &self);
    show("interrupted", zmq_recv(pull, memory, sizeof memory, 0));
    pthread_join(other, NULL);
    close(peer);
    zmq_close(pull);
}

int main(void) {
    start();
    memset(memory, FILL, sizeof memory);
    void *context = zmq_ctx_new();
    over_tcp(context, 50);
    over_tcp(context, 0);
    interrupted(context, "tcp", -1, false);
    interrupted(context, "tcp", 10000, true);
    ended("tcp", 10000);
    SHOW(zmq_ctx_term(context));
    return 0;
}
