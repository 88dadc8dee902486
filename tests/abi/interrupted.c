// SPDX-License-Identifier: MPL-2.0
//
// Blocking calls that a signal interrupts: EINTR, whether or not the handler asks for restarts.
#include "support.h"

static pthread_t main_thread;
static volatile sig_atomic_t handled, done;

static void on_signal(int number) {
    (void)number;
    handled++;
}

static void install(int flags) {
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, NULL);
}

/* Interrupts until the call is over: nobody can see from outside that it has begun. */
static void *interrupt(void *argument) {
    (void)argument;
    while (!done) {
        pause_ms(20);
        if (!done) {
            pthread_kill(main_thread, SIGUSR1);
        }
    }
    return NULL;
}

#define INTERRUPTED(call)                                                                                    \
    do {                                                                                                     \
        pthread_t thread_;                                                                                   \
        done = 0;                                                                                            \
        handled = 0;                                                                                         \
        pthread_create(&thread_, NULL, interrupt, NULL);                                                     \
        errno = 0;                                                                                           \
        long result_ = (long)(call);                                                                         \
        int code_ = zmq_errno();                                                                             \
        done = 1;                                                                                            \
        pthread_join(thread_, NULL);                                                                         \
        printf("%s -> %ld %s, a signal came: %d\n", #call, result_, result_ == -1 ? errno_name(code_) : "",  \
               handled > 0);                                                                                 \
    } while (0)

static void *patient(void *context, int type) {
    void *made = open_socket(context, type);
    MUST(set_int(made, ZMQ_RCVTIMEO, -1));
    MUST(set_int(made, ZMQ_SNDTIMEO, -1));
    return made;
}

static void receiving(void *context, const char *transport) {
    SECTION("receiving, %s", transport);
    void *pull = patient(context, ZMQ_PULL);
    void *push = patient(context, ZMQ_PUSH);
    join(pull, push, transport);
    MUST(zmq_send(push, "x", 1, 0));
    expect("pull", pull);
    char byte;
    zmq_msg_t message;
    zmq_msg_init(&message);
    INTERRUPTED(zmq_recv(pull, &byte, 1, 0));
    INTERRUPTED(zmq_msg_recv(&message, pull, 0));
    MUST(set_int(pull, ZMQ_RCVTIMEO, 60000));
    INTERRUPTED(zmq_recv(pull, &byte, 1, 0));
    MUST(zmq_send(push, "y", 1, 0));
    expect("pull", pull);
    zmq_msg_close(&message);
    zmq_close(push);
    zmq_close(pull);
}

static void sending(void *context) {
    SECTION("sending");
    void *push = patient(context, ZMQ_PUSH);
    INTERRUPTED(zmq_send(push, "x", 1, 0));
    MUST(set_int(push, ZMQ_SNDTIMEO, 60000));
    INTERRUPTED(zmq_send(push, "x", 1, 0));
    void *pull = patient(context, ZMQ_PULL);
    join(pull, push, "inproc");
    MUST(zmq_send(push, "y", 1, 0));
    expect("pull", pull);
    zmq_close(push);
    zmq_close(pull);
}

static void polling(void *context, const char *transport) {
    SECTION("polling, %s", transport);
    void *pull = patient(context, ZMQ_PULL);
    void *push = patient(context, ZMQ_PUSH);
    join(pull, push, transport);
    int ends[2];
    MUST(pipe(ends));
    zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {NULL, ends[0], ZMQ_POLLIN, 0}};
    INTERRUPTED(zmq_poll(items, 1, -1));
    INTERRUPTED(zmq_poll(items, 1, 60000));
    INTERRUPTED(zmq_poll(items, 2, -1));
    INTERRUPTED(zmq_poll(items, 2, 60000));
    INTERRUPTED(zmq_poll(items + 1, 1, -1));
    close(ends[0]);
    close(ends[1]);
    zmq_close(push);
    zmq_close(pull);
}

static void proxying(void *context) {
    SECTION("proxies");
    void *front = patient(context, ZMQ_PULL);
    void *back = patient(context, ZMQ_PUSH);
    void *control = patient(context, ZMQ_PAIR);
    MUST(zmq_bind(front, "inproc://front"));
    MUST(zmq_bind(back, "inproc://back"));
    MUST(zmq_bind(control, "inproc://control"));
    INTERRUPTED(zmq_proxy(front, back, NULL));
    INTERRUPTED(zmq_proxy_steerable(front, back, NULL, control));
    zmq_close(front);
    zmq_close(back);
    zmq_close(control);
}

static void terminating(void) {
    SECTION("terminating");
    void *context = zmq_ctx_new();
    void *pull = open_socket(context, ZMQ_PULL);
    INTERRUPTED(zmq_ctx_term(context));
    SHOW(zmq_recv(pull, NULL, 0, 0));
    zmq_close(pull);
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    main_thread = pthread_self();
    const int flags[] = {0, SA_RESTART};
    for (int i = 0; i < 2; i++) {
        SECTION("== handler that %s", flags[i] ? "asks for restarts" : "does not ask for restarts");
        install(flags[i]);
        void *context = zmq_ctx_new();
        for (int t = 0; t < TRANSPORTS; t++) {
            receiving(context, transports[t]);
            polling(context, transports[t]);
        }
        sending(context);
        proxying(context);
        SHOW(zmq_ctx_term(context));
        terminating();
    }
    return 0;
}
