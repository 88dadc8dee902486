// SPDX-License-Identifier: MPL-2.0
//
// fork: what the child gets of calls on the context and the sockets that it inherits. The parent goes on
// undisturbed.
#include "support.h"

#include <sys/wait.h>

enum { CHILD_S = 3 };

typedef struct {
    void *context, *pull, *push;
} parts;

typedef void action(parts *of);

/* One action in a child of its own. */
static void in_child(const char *label, action *what, parts *of) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)(CHILD_S * time_factor()));
        what(of);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) == -1) {
    }
    printf("%s: child %s %d\n", label, WIFSIGNALED(status) ? "ended by signal" : "ended with",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void receive(parts *of) {
    SHOW(zmq_recv(of->pull, NULL, 0, 0));
    SHOW(zmq_recv(of->pull, NULL, 0, ZMQ_DONTWAIT));
}

/* libzmq looks for news only now and then when it sends, and may take the message before it finds out. */
static void send_something(parts *of) {
    zmq_send(of->push, "child", 5, 0);
    zmq_send(of->push, "child", 5, ZMQ_DONTWAIT);
}

static void poll_it(parts *of) {
    zmq_pollitem_t item = {of->pull, 0, ZMQ_POLLIN, 0};
    SHOW(zmq_poll(&item, 1, 500));
    SHOW(zmq_poll(&item, 1, 0));
}

static void options(parts *of) {
    SHOW(get_int(of->pull, ZMQ_TYPE));
    SHOW(set_int(of->pull, ZMQ_LINGER, 0));
    printf("events %s\n", events_of(of->pull) == (int)0x80000000 ? errno_name(zmq_errno()) : "known");
}

static void endpoints(parts *of) {
    SHOW(zmq_bind(of->pull, "tcp://127.0.0.1:*"));
    SHOW(zmq_connect(of->push, "tcp://127.0.0.1:9"));
}

static void new_socket(parts *of) {
    void *made = zmq_socket(of->context, ZMQ_PAIR);
    printf("made %d\n", made != NULL);
    SHOW(zmq_close(made));
}

static void close_both(parts *of) {
    SHOW(zmq_close(of->push));
    SHOW(zmq_close(of->pull));
}

static void shut_down(parts *of) {
    SHOW(zmq_ctx_shutdown(of->context));
}

static void terminate(parts *of) {
    SHOW(zmq_ctx_term(of->context));
}

static void close_and_terminate(parts *of) {
    close_both(of);
    terminate(of);
}

/* A context and sockets that the child makes itself work as anywhere. */
static void own_context(parts *of) {
    (void)of;
    void *context = zmq_ctx_new();
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    join(pull, push, "tcp");
    MUST(zmq_send(push, "new", 3, 0));
    expect("child", pull);
    zmq_close(push);
    zmq_close(pull);
    SHOW(zmq_ctx_term(context));
}

static void go(const char *transport) {
    SECTION("%s", transport);
    parts of;
    of.context = zmq_ctx_new();
    of.pull = open_socket(of.context, ZMQ_PULL);
    of.push = open_socket(of.context, ZMQ_PUSH);
    join(of.pull, of.push, transport);
    MUST(zmq_send(of.push, "first", 5, 0));
    expect("parent", of.pull);
    static const struct {
        const char *name;
        action *what;
    } actions[] = {{"receive", receive},
                   {"send", send_something},
                   {"poll", poll_it},
                   {"options", options},
                   {"endpoints", endpoints},
                   {"new socket", new_socket},
                   {"close", close_both},
                   {"shut down", shut_down},
                   {"terminate", terminate},
                   {"close and terminate", close_and_terminate},
                   {"a context of its own", own_context}};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        in_child(actions[i].name, actions[i].what, &of);
        MUST(zmq_send(of.push, "still", 5, 0));
        expect("parent", of.pull);
    }
    zmq_close(of.push);
    zmq_close(of.pull);
    SHOW(zmq_ctx_term(of.context));
}

int main(void) {
    start();
    for (int t = 0; t < TRANSPORTS; t++) {
        go(transports[t]);
    }
    return 0;
}
