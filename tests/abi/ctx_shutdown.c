// SPDX-License-Identifier: MPL-2.0
//
// zmq_ctx_shutdown and zmq_ctx_term end blocked calls with ETERM. Afterwards every call on a socket of the
// context gives ETERM, except close. zmq_ctx_term returns when the last socket is closed.
#include "support.h"

enum call { CALL_RECV, CALL_SEND, CALL_POLL, CALL_POLL_MANY, CALLS };
static const char *const call_names[] = {"recv", "send", "poll", "poll of two"};

struct blocked {
    void *context;
    enum call call;
    void *ready;
    int result;
    int error;
};

static void block_in(struct blocked *job, void *socket, void *other) {
    zmq_pollitem_t items[2] = {{socket, 0, ZMQ_POLLIN, 0}, {other, 0, ZMQ_POLLIN, 0}};
    switch (job->call) {
    case CALL_RECV: {
        char byte;
        job->result = zmq_recv(socket, &byte, 1, 0);
        break;
    }
    case CALL_SEND:
        job->result = zmq_send(socket, "x", 1, 0);
        break;
    case CALL_POLL:
        job->result = zmq_poll(items, 1, -1);
        break;
    case CALL_POLL_MANY:
    case CALLS:
        job->result = zmq_poll(items, 2, -1);
        break;
    }
    job->error = zmq_errno();
}

static void *run_blocked(void *argument) {
    struct blocked *job = argument;
    void *socket = zmq_socket(job->context, ZMQ_DEALER);
    void *other = zmq_socket(job->context, ZMQ_PULL);
    zmq_send(job->ready, "", 0, 0);
    zmq_close(job->ready);
    block_in(job, socket, other);
    zmq_close(socket);
    zmq_close(other);
    return NULL;
}

static void interrupt(enum call call, bool shutdown_first) {
    struct blocked job = {zmq_ctx_new(), call, NULL, 0, 0};
    void *outside = zmq_ctx_new();
    void *waiting = open_socket(outside, ZMQ_PAIR);
    job.ready = open_socket(outside, ZMQ_PAIR);
    join(waiting, job.ready, "inproc");
    pthread_t thread;
    pthread_create(&thread, NULL, run_blocked, &job);
    expect("thread is about to block", waiting);
    settle();
    if (shutdown_first) {
        SHOW(zmq_ctx_shutdown(job.context));
        SHOW(zmq_ctx_shutdown(job.context));
    }
    SHOW(zmq_ctx_term(job.context));
    pthread_join(thread, NULL);
    printf("%s ended by %s: %d %s\n", call_names[call], shutdown_first ? "shutdown" : "term", job.result,
           errno_name(job.error));
    zmq_close(waiting);
    zmq_ctx_term(outside);
}

static void calls_after(void) {
    SECTION("calls after shutdown");
    void *context = zmq_ctx_new();
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    MUST(zmq_bind(a, "inproc://a"));
    MUST(zmq_connect(b, "inproc://a"));
    MUST(zmq_send(b, "unread", 6, 0));
    SHOW(zmq_ctx_shutdown(context));
    char byte;
    int value = 0;
    size_t size = sizeof value;
    zmq_pollitem_t item = {a, 0, ZMQ_POLLIN, 0};
    SHOW_PTR(zmq_socket(context, ZMQ_PAIR));
    SHOW(zmq_send(a, "x", 1, 0));
    SHOW(zmq_send(a, "x", 1, ZMQ_DONTWAIT));
    SHOW(zmq_recv(a, &byte, 1, 0));
    SHOW(zmq_recv(a, &byte, 1, ZMQ_DONTWAIT));
    SHOW(zmq_bind(a, "inproc://b"));
    SHOW(zmq_connect(a, "inproc://b"));
    SHOW(zmq_unbind(a, "inproc://a"));
    SHOW(zmq_disconnect(b, "inproc://a"));
    SHOW(zmq_bind(a, "nonsense"));
    SHOW(zmq_setsockopt(a, ZMQ_LINGER, &value, sizeof value));
    SHOW(zmq_getsockopt(a, ZMQ_LINGER, &value, &size));
    SHOW(zmq_getsockopt(a, ZMQ_TYPE, &value, &size));
    SHOW(zmq_getsockopt(a, ZMQ_EVENTS, &value, &size));
    SHOW(zmq_getsockopt(a, ZMQ_RCVMORE, &value, &size));
    SHOW(zmq_poll(&item, 1, 0));
    SHOW(zmq_poll(&item, 1, -1));
    SHOW(zmq_ctx_get(context, ZMQ_MAX_SOCKETS));
    SHOW(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 10));
    SHOW(zmq_proxy(a, b, NULL));
    SHOW(zmq_close(a));
    SHOW(zmq_close(b));
    SHOW(zmq_ctx_term(context));
}

/* A socket that has not heard of the shutdown yet answers for its options. Which calls make it hear? */
static void options_after(int type) {
    SECTION("options after shutdown, type %d", type);
    for (int call = 0; call < 7; call++) {
        void *context = zmq_ctx_new();
        void *socket = open_socket(context, type);
        MUST(zmq_bind(socket, "inproc://a"));
        MUST(zmq_ctx_shutdown(context));
        char byte;
        int value = 0;
        size_t size = sizeof value;
        zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};
        printf("call %d\n", call);
        switch (call) {
        case 0:
            break;
        case 1:
            SHOW(zmq_getsockopt(socket, ZMQ_RCVMORE, &value, &size));
            break;
        case 2:
            SHOW(zmq_getsockopt(socket, ZMQ_EVENTS, &value, &size));
            break;
        case 3:
            SHOW(zmq_recv(socket, &byte, 1, ZMQ_DONTWAIT));
            break;
        case 4:
            SHOW(zmq_poll(&item, 1, 0));
            break;
        case 5:
            SHOW(zmq_bind(socket, "inproc://b"));
            break;
        default:
            SHOW(zmq_setsockopt(socket, ZMQ_LINGER, &value, sizeof value));
        }
        value = 17;
        SHOW(zmq_setsockopt(socket, ZMQ_LINGER, &value, sizeof value));
        SHOW(zmq_setsockopt(socket, ZMQ_SNDHWM, &value, sizeof value));
        SHOW(zmq_setsockopt(socket, ZMQ_LINGER, &value, 1));
        value = 0;
        SHOW(zmq_getsockopt(socket, ZMQ_LINGER, &value, &size));
        printf("linger %d\n", value);
        SHOW(zmq_getsockopt(socket, ZMQ_TYPE, &value, &size));
        SHOW(zmq_getsockopt(socket, ZMQ_EVENTS, &value, &size));
        SHOW(zmq_setsockopt(socket, ZMQ_LINGER, &value, sizeof value));
        SHOW(zmq_close(socket));
        SHOW(zmq_ctx_term(context));
    }
}

int main(void) {
    start();
    options_after(ZMQ_PULL);
    options_after(ZMQ_ROUTER);
    options_after(ZMQ_SUB);
    for (int call = 0; call < CALLS; call++) {
        interrupt((enum call)call, true);
        interrupt((enum call)call, false);
    }
    calls_after();

    SECTION("contexts without sockets");
    void *context = zmq_ctx_new();
    SHOW(zmq_ctx_shutdown(context));
    SHOW_PTR(zmq_socket(context, ZMQ_PAIR));
    SHOW(zmq_ctx_term(context));
    context = zmq_ctx_new();
    SHOW(zmq_ctx_term(context));
    context = zmq_ctx_new();
    SHOW(zmq_ctx_destroy(context));
    return 0;
}
