// SPDX-License-Identifier: MPL-2.0
//
// LINGER: what closing and ending a context does with unsent messages.
#include "support.h"

/* Milliseconds of a clock that only runs forward; only used to tell "at once" from "waited". */
static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nobody_there(int linger) {
    void *context = zmq_ctx_new();
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_LINGER, linger));
    MUST(zmq_connect(push, "tcp://127.0.0.1:1"));
    MUST(zmq_send(push, "x", 1, 0));
    MUST(zmq_close(push));
    long before = now_ms();
    SHOW(zmq_ctx_term(context));
    printf("LINGER %d, nobody there: waited %d\n", linger, now_ms() - before >= linger - 50);
}

static void without_messages(void) {
    void *context = zmq_ctx_new();
    void *push = zmq_socket(context, ZMQ_PUSH);
    MUST(zmq_connect(push, "tcp://127.0.0.1:1"));
    MUST(zmq_close(push));
    SHOW(zmq_ctx_term(context));
    printf("LINGER -1 and nothing to send: ended\n");
}

/* Which types have something to send when nobody was ever there, and which of them wait for it. (libzmq
   may or may not wait for the subscriptions of a SUB.) */
static void of_type(int type) {
    void *context = zmq_ctx_new();
    void *socket = open_socket(context, type);
    MUST(set_int(socket, ZMQ_LINGER, 300));
    MUST(zmq_connect(socket, "tcp://127.0.0.1:1"));
    MUST(zmq_send(socket, "\1a", 2, 0));
    MUST(zmq_close(socket));
    long before = now_ms();
    SHOW(zmq_ctx_term(context));
    printf("%s, LINGER 300, nobody there: waited %d\n", type_names[type], now_ms() - before >= 250);
}

static void somebody_there(const char *transport, int linger, int count) {
    void *context = zmq_ctx_new();
    void *other = zmq_ctx_new();
    bool same = strcmp(transport, "inproc") == 0;
    void *pull = open_socket(same ? context : other, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(pull, ZMQ_RCVHWM, 0));
    MUST(set_int(push, ZMQ_SNDHWM, 0));
    MUST(set_int(push, ZMQ_LINGER, linger));
    join(pull, push, transport);
    static char body[10000];
    for (int i = 0; i < count; i++) {
        MUST(zmq_send(push, body, sizeof body, 0));
    }
    MUST(zmq_close(push));
    if (same) {
        printf("over inproc, LINGER %d: received %d of %d\n", linger, drain(pull), count);
        MUST(zmq_close(pull));
        SHOW(zmq_ctx_term(context));
    } else {
        SHOW(zmq_ctx_term(context));
        printf("over %s, LINGER %d: received %d of %d\n", transport, linger, drain(pull), count);
        MUST(zmq_close(pull));
    }
    zmq_ctx_term(other);
}

static void *late_listener(void *endpoint) {
    void *context = zmq_ctx_new();
    void *pull = open_socket(context, ZMQ_PULL);
    settle();
    bool bound = false;
    WAIT_UNTIL((bound = zmq_bind(pull, endpoint) == 0));
    expect("late listener", pull);
    zmq_close(pull);
    zmq_ctx_term(context);
    return NULL;
}

static void late(void) {
    SECTION("LINGER -1 waits for a peer that comes late");
    void *context = zmq_ctx_new();
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("tcp", endpoint);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_LINGER, -1));
    MUST(set_int(push, ZMQ_RECONNECT_IVL, 20));
    MUST(zmq_connect(push, endpoint));
    MUST(send_text(push, "patience|is rewarded", 0));
    MUST(zmq_close(push));
    pthread_t thread;
    pthread_create(&thread, NULL, late_listener, endpoint);
    int result = zmq_ctx_term(context);
    pthread_join(thread, NULL);
    printf("term %d\n", result);
}

static void blocky(void) {
    SECTION("BLOCKY 0");
    void *context = zmq_ctx_new();
    MUST(zmq_ctx_set(context, ZMQ_BLOCKY, 0));
    void *push = zmq_socket(context, ZMQ_PUSH);
    MUST(zmq_connect(push, "tcp://127.0.0.1:1"));
    MUST(zmq_send(push, "x", 1, 0));
    MUST(zmq_close(push));
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    nobody_there(0);
    nobody_there(300);
    without_messages();
    static const int types[] = {ZMQ_XSUB, ZMQ_PUB, ZMQ_REQ, ZMQ_DEALER, ZMQ_ROUTER};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        of_type(types[i]);
    }
    somebody_there("inproc", 0, 100);
    somebody_there("inproc", -1, 100);
    somebody_there("tcp", -1, 2000);
    somebody_there("ipc", -1, 2000);
    somebody_there("tcp", 20000, 2000);
    late();
    blocky();
    return 0;
}
