// SPDX-License-Identifier: MPL-2.0
//
// Sockets handed from thread to thread, and one context used by many threads at once.
#include "support.h"

enum { HANDOVERS = 20, WORKERS = 6, ROUNDS = 200 };

struct handover {
    void *socket;
    int number;
};

static void *send_one(void *argument) {
    struct handover *job = argument;
    MUST(zmq_send(job->socket, &job->number, sizeof job->number, 0));
    return NULL;
}

/* Each message is sent by a thread of its own; joining it is the fence. */
static void handed_over(void *context, const char *transport) {
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    join(to, from, transport);
    int right = 0;
    for (int i = 0; i < HANDOVERS; i++) {
        struct handover job = {from, i};
        pthread_t thread;
        pthread_create(&thread, NULL, send_one, &job);
        pthread_join(thread, NULL);
        int value = -1;
        MUST(zmq_recv(to, &value, sizeof value, 0));
        right += value == i;
    }
    printf("%s: %d of %d right\n", transport, right, (int)HANDOVERS);
    zmq_close(from);
    zmq_close(to);
}

struct worker {
    void *context;
    const char *endpoint;
    int answered;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    void *req = open_socket(worker->context, ZMQ_REQ);
    MUST(zmq_connect(req, worker->endpoint));
    for (int i = 0; i < ROUNDS; i++) {
        int value = -1;
        MUST(zmq_send(req, &i, sizeof i, 0));
        MUST(zmq_recv(req, &value, sizeof value, 0));
        worker->answered += value == i;
    }
    zmq_close(req);
    return NULL;
}

static void many_at_once(void *context, const char *transport) {
    void *rep = open_socket(context, ZMQ_REP);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(rep, transport, endpoint));
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){context, endpoint, 0};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < WORKERS * ROUNDS; i++) {
        int value = -1;
        MUST(zmq_recv(rep, &value, sizeof value, 0));
        MUST(zmq_send(rep, &value, sizeof value, 0));
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        printf("%s: worker %d answered %d\n", transport, i, workers[i].answered);
    }
    zmq_close(rep);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        handed_over(context, transports[t]);
        many_at_once(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
