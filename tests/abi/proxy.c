// SPDX-License-Identifier: MPL-2.0
//
// zmq_proxy: forwards whole messages both ways, copies them to the capture socket, ends with the context.
#include "support.h"

struct job {
    void *context;
    int front_type, back_type;
    bool capture;
    char front[ENDPOINT_SIZE], back[ENDPOINT_SIZE];
    const char *transport;
    void *ready;
    int result, error;
};

static void *run_proxy(void *argument) {
    struct job *job = argument;
    void *front = open_socket(job->context, job->front_type);
    void *back = open_socket(job->context, job->back_type);
    void *capture = job->capture ? open_socket(job->context, ZMQ_PUSH) : NULL;
    MUST(bind_any(front, job->transport, job->front));
    MUST(bind_any(back, job->transport, job->back));
    if (capture) {
        MUST(zmq_connect(capture, "inproc://capture"));
    }
    MUST(zmq_send(job->ready, "", 0, 0));
    job->result = zmq_proxy(front, back, capture);
    job->error = zmq_errno();
    zmq_close(front);
    zmq_close(back);
    zmq_close(job->ready);
    if (capture) {
        zmq_close(capture);
    }
    return NULL;
}

static void *waiter_for(struct job *job) {
    void *waiting = open_socket(job->context, ZMQ_PAIR);
    job->ready = open_socket(job->context, ZMQ_PAIR);
    join(waiting, job->ready, "inproc");
    return waiting;
}

static void finish(struct job *job, pthread_t thread) {
    SHOW(zmq_ctx_shutdown(job->context));
    pthread_join(thread, NULL);
    printf("proxy ended: %d %s\n", job->result, errno_name(job->error));
}

static void requests(const char *transport, bool capture) {
    SECTION("requests and replies over %s%s", transport, capture ? " with capture" : "");
    struct job job = {zmq_ctx_new(), ZMQ_ROUTER, ZMQ_DEALER, capture, "", "", transport, NULL, 0, 0};
    void *waiting = waiter_for(&job);
    void *captured = open_socket(job.context, ZMQ_PULL);
    MUST(zmq_bind(captured, "inproc://capture"));
    pthread_t thread;
    pthread_create(&thread, NULL, run_proxy, &job);
    expect("proxy is about to start", waiting);
    void *req = open_socket(job.context, ZMQ_REQ);
    void *rep = open_socket(job.context, ZMQ_REP);
    MUST(zmq_connect(req, job.front));
    MUST(zmq_connect(rep, job.back));
    for (int i = 0; i < 3; i++) {
        MUST(send_text(req, "question|of||frames", 0));
        expect("rep", rep);
        MUST(send_text(rep, "answer||x", 0));
        expect("req", req);
        if (capture) {
            expect("captured", captured);
            expect("captured", captured);
        }
    }
    finish(&job, thread);
    zmq_close(req);
    zmq_close(rep);
    zmq_close(captured);
    zmq_close(waiting);
    SHOW(zmq_ctx_term(job.context));
}

static void publications(const char *transport) {
    SECTION("subscriptions and publications over %s", transport);
    struct job job = {zmq_ctx_new(), ZMQ_XSUB, ZMQ_XPUB, false, "", "", transport, NULL, 0, 0};
    void *waiting = waiter_for(&job);
    pthread_t thread;
    pthread_create(&thread, NULL, run_proxy, &job);
    expect("proxy is about to start", waiting);
    void *xpub = open_socket(job.context, ZMQ_XPUB);
    void *sub = open_socket(job.context, ZMQ_SUB);
    MUST(zmq_connect(xpub, job.front));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "t"));
    MUST(zmq_connect(sub, job.back));
    expect("the publisher hears", xpub);
    MUST(send_text(xpub, "topic|1", 0));
    MUST(send_text(xpub, "other|2", 0));
    MUST(send_text(xpub, "tail|3", 0));
    expect("sub", sub);
    expect("sub", sub);
    MUST(set_text(sub, ZMQ_UNSUBSCRIBE, "t"));
    expect("the publisher hears", xpub);
    finish(&job, thread);
    zmq_close(xpub);
    zmq_close(sub);
    zmq_close(waiting);
    SHOW(zmq_ctx_term(job.context));
}

static void stream(const char *transport) {
    SECTION("many messages through PULL and PUSH over %s", transport);
    struct job job = {zmq_ctx_new(), ZMQ_PULL, ZMQ_PUSH, false, "", "", transport, NULL, 0, 0};
    void *waiting = waiter_for(&job);
    pthread_t thread;
    pthread_create(&thread, NULL, run_proxy, &job);
    expect("proxy is about to start", waiting);
    void *push = open_socket(job.context, ZMQ_PUSH);
    void *pull = open_socket(job.context, ZMQ_PULL);
    MUST(zmq_connect(push, job.front));
    MUST(zmq_connect(pull, job.back));
    enum { COUNT = 800 };
    for (int i = 0; i < COUNT; i++) {
        MUST(zmq_send(push, &i, sizeof i, ZMQ_SNDMORE));
        MUST(zmq_send(push, "", 0, 0));
    }
    int right = 0;
    for (int i = 0; i < COUNT; i++) {
        int value = -1;
        MUST(zmq_recv(pull, &value, sizeof value, 0));
        MUST(zmq_recv(pull, NULL, 0, 0));
        right += value == i;
    }
    printf("right %d\n", right);
    finish(&job, thread);
    zmq_close(push);
    zmq_close(pull);
    zmq_close(waiting);
    SHOW(zmq_ctx_term(job.context));
}

static void *run_mirror(void *argument) {
    struct job *job = argument;
    void *both = open_socket(job->context, ZMQ_REP);
    MUST(bind_any(both, job->transport, job->front));
    MUST(zmq_send(job->ready, "", 0, 0));
    job->result = zmq_proxy(both, both, NULL);
    job->error = zmq_errno();
    zmq_close(both);
    zmq_close(job->ready);
    return NULL;
}

/* One socket is both sides: what it is asked it answers itself. */
static void mirror(const char *transport) {
    SECTION("a mirror over %s", transport);
    struct job job = {.context = zmq_ctx_new(), .transport = transport};
    void *waiting = waiter_for(&job);
    pthread_t thread;
    pthread_create(&thread, NULL, run_mirror, &job);
    MUST(zmq_recv(waiting, NULL, 0, 0));
    void *req = open_socket(job.context, ZMQ_REQ);
    MUST(zmq_connect(req, job.front));
    for (int i = 0; i < 3; i++) {
        show_send("req", req, "what is it", 0);
        expect("req", req);
    }
    zmq_close(req);
    zmq_close(waiting);
    finish(&job, thread);
    SHOW(zmq_ctx_term(job.context));
}

static void bad_arguments(void) {
    SECTION("bad arguments");
    void *context = zmq_ctx_new();
    void *socket = open_socket(context, ZMQ_DEALER);
    SHOW(zmq_proxy(NULL, NULL, NULL));
    SHOW(zmq_proxy(socket, NULL, NULL));
    SHOW(zmq_proxy(NULL, socket, NULL));
    zmq_close(socket);
    zmq_ctx_term(context);
}

int main(void) {
    start();
    for (int t = 0; t < TRANSPORTS; t++) {
        requests(transports[t], false);
        requests(transports[t], true);
        publications(transports[t]);
        stream(transports[t]);
        mirror(transports[t]);
    }
    bad_arguments();
    return 0;
}
