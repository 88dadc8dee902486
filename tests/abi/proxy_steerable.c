// SPDX-License-Identifier: MPL-2.0
//
// zmq_proxy_steerable: pause, resume, statistics, terminate. (libzmq ends the process at an unknown command.)
#include "support.h"

struct job {
    void *front, *back, *control;
    int result, error;
};

static void *run_proxy(void *argument) {
    struct job *job = argument;
    job->result = zmq_proxy_steerable(job->front, job->back, NULL, job->control);
    job->error = zmq_errno();
    return NULL;
}

static void statistics(const char *label, void *controller) {
    MUST(send_text(controller, "STATISTICS", 0));
    printf("%s:", label);
    int more = 1;
    while (more == 1) {
        uint64_t value = 0;
        int size = zmq_recv(controller, &value, sizeof value, 0);
        printf(" %lu of %d bytes", (unsigned long)value, size);
        more = size == -1 ? 0 : get_int(controller, ZMQ_RCVMORE);
    }
    printf("\n");
}

static void converse(void *req, void *rep) {
    MUST(send_text(req, "question", 0));
    expect("rep", rep);
    MUST(send_text(rep, "an|swer", 0));
    expect("req", req);
}

static void steer(void *context, struct job *job) {
    void *req = open_socket(context, ZMQ_REQ);
    void *rep = open_socket(context, ZMQ_REP);
    void *controller = open_socket(context, ZMQ_PAIR);
    join(job->front, req, "inproc");
    join(job->back, rep, "inproc");
    join(job->control, controller, "inproc");
    pthread_t thread;
    pthread_create(&thread, NULL, run_proxy, job);

    statistics("at first", controller);
    converse(req, rep);
    statistics("after one", controller);
    MUST(send_text(controller, "PAUSE", 0));
    statistics("paused", controller);
    MUST(send_text(req, "question", 0));
    expect_none("rep while paused", rep);
    statistics("still paused", controller);
    MUST(send_text(controller, "RESUME", 0));
    expect("rep", rep);
    MUST(send_text(rep, "answer", 0));
    expect("req", req);
    statistics("after two", controller);
    MUST(send_text(controller, "PAUSE", 0));
    MUST(send_text(controller, "TERMINATE", 0));
    pthread_join(thread, NULL);
    printf("proxy ended: %d\n", job->result);
    zmq_close(req);
    zmq_close(rep);
    zmq_close(controller);
}

static void errors(void *context, struct job *job) {
    SECTION("errors");
    SHOW(zmq_proxy_steerable(NULL, job->back, NULL, job->control));
    SHOW(zmq_proxy_steerable(job->front, NULL, NULL, job->control));
    SECTION("the context ends");
    pthread_t thread;
    pthread_create(&thread, NULL, run_proxy, job);
    SHOW(zmq_ctx_shutdown(context));
    pthread_join(thread, NULL);
    printf("proxy ended: %d %s\n", job->result, errno_name(job->error));
    SHOW(zmq_proxy_steerable(job->front, job->back, NULL, NULL));
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    struct job job = {open_socket(context, ZMQ_ROUTER), open_socket(context, ZMQ_DEALER),
                      open_socket(context, ZMQ_PAIR), 0, 0};
    SECTION("steered");
    steer(context, &job);
    errors(context, &job);
    zmq_close(job.front);
    zmq_close(job.back);
    zmq_close(job.control);
    SHOW(zmq_ctx_term(context));
    return 0;
}
