// SPDX-License-Identifier: MPL-2.0
//
// zmq_poll: sockets and descriptors, every event, timeouts, level semantics, odd arguments.
#include "support.h"

static const char *revents_text(short events) {
    static char text[32];
    snprintf(text, sizeof text, "%s%s%s%s%s", events & ZMQ_POLLIN ? "IN " : "",
             events & ZMQ_POLLOUT ? "OUT " : "", events & ZMQ_POLLERR ? "ERR " : "",
             events & ZMQ_POLLPRI ? "PRI " : "", events ? "" : "none ");
    text[strlen(text) - 1] = 0;
    return text;
}

static void show_poll(const char *label, zmq_pollitem_t *items, int count, long timeout_ms) {
    for (int i = 0; i < count; i++) {
        items[i].revents = 0x40;
    }
    errno = 0;
    int result = zmq_poll(items, count, timeout_ms);
    printf("%s -> %d%s%s", label, result, result == -1 ? " " : "",
           result == -1 ? errno_name(zmq_errno()) : "");
    for (int i = 0; i < count && result != -1; i++) {
        printf(", %s", revents_text(items[i].revents));
    }
    printf("\n");
}

static void sockets(void *context) {
    SECTION("sockets");
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(push, ZMQ_SNDHWM, 1));
    MUST(set_int(pull, ZMQ_RCVHWM, 1));
    zmq_pollitem_t items[] = {{push, -1, ZMQ_POLLIN | ZMQ_POLLOUT, 0},
                              {pull, -1, ZMQ_POLLIN | ZMQ_POLLOUT, 0}};
    show_poll("unconnected", items, 2, 0);
    show_poll("unconnected, waited", items, 2, 20);
    join(pull, push, "inproc");
    show_poll("connected", items, 2, 0);
    show_poll("connected, no timeout", items, 2, -1);
    MUST(zmq_send(push, "x", 1, 0));
    MUST(zmq_send(push, "y", 1, 0));
    show_poll("full", items, 2, 0);
    show_poll("full again", items, 2, -1);
    items[1].events = ZMQ_POLLOUT;
    show_poll("not asked for IN", items, 2, 0);
    items[1].events = 0;
    show_poll("asked for nothing", items, 2, 0);
    items[1].events = ZMQ_POLLERR | ZMQ_POLLPRI;
    show_poll("asked for ERR and PRI", items, 2, 0);
    items[1].events = ZMQ_POLLIN;
    char byte;
    MUST(zmq_recv(pull, &byte, 1, 0));
    show_poll("one left", items + 1, 1, 0);
    MUST(zmq_recv(pull, &byte, 1, 0));
    show_poll("empty", items, 2, 20);
    zmq_pollitem_t twice[] = {
        {push, -1, ZMQ_POLLOUT, 0}, {push, -1, ZMQ_POLLOUT, 0}, {push, -1, ZMQ_POLLIN, 0}};
    show_poll("the same socket three times", twice, 3, 0);
    zmq_close(push);
    zmq_close(pull);
}

static void descriptors(void *context) {
    SECTION("descriptors");
    int pipe_ends[2];
    MUST(pipe(pipe_ends));
    zmq_pollitem_t items[] = {{NULL, pipe_ends[0], ZMQ_POLLIN, 0}, {NULL, pipe_ends[1], ZMQ_POLLOUT, 0}};
    show_poll("pipe", items, 2, 0);
    show_poll("read end only", items, 1, 20);
    MUST(write(pipe_ends[1], "ab", 2));
    show_poll("written", items, 2, -1);
    show_poll("still", items, 1, -1);
    items[0].events = ZMQ_POLLOUT;
    show_poll("OUT of a read end", items, 1, 0);
    items[0].events = ZMQ_POLLIN;
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    join(a, b, "inproc");
    zmq_pollitem_t mixed[] = {
        {a, 0, ZMQ_POLLIN, 0}, {NULL, pipe_ends[0], ZMQ_POLLIN, 0}, {b, 0, ZMQ_POLLOUT, 0}};
    show_poll("mixed", mixed, 3, -1);
    char bytes[2];
    MUST(read(pipe_ends[0], bytes, 2));
    show_poll("mixed, pipe empty", mixed, 3, -1);
    show_poll("mixed, nothing", mixed, 2, 20);
    MUST(zmq_send(b, "x", 1, 0));
    show_poll("mixed, message", mixed, 2, -1);
    MUST(write(pipe_ends[1], "c", 1));
    show_poll("mixed, both", mixed, 2, -1);
    MUST(close(pipe_ends[1]));
    MUST(read(pipe_ends[0], bytes, 1));
    show_poll("other end closed", items, 1, 20);
    MUST(close(pipe_ends[0]));
    show_poll("closed descriptor", items, 1, 0);
    zmq_pollitem_t negative = {NULL, -1, ZMQ_POLLIN, 0};
    show_poll("descriptor -1", &negative, 1, 20);
    int two[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, two));
    zmq_pollitem_t peer = {NULL, two[0], ZMQ_POLLIN | ZMQ_POLLOUT | ZMQ_POLLERR, 0};
    show_poll("socket pair", &peer, 1, 0);
    MUST(close(two[1]));
    show_poll("socket pair, other end closed", &peer, 1, 0);
    MUST(close(two[0]));
    zmq_close(a);
    zmq_close(b);
}

static void odd_arguments(void *context) {
    SECTION("odd arguments");
    zmq_pollitem_t item = {context, 0, ZMQ_POLLIN, 0};
    show_poll("a context", &item, 1, 0);
    SHOW(zmq_poll(NULL, 0, 0));
    SHOW(zmq_poll(NULL, 0, 10));
    SHOW(zmq_poll(&item, 0, 0));
    SHOW(zmq_poll(NULL, 1, 0));
    SHOW(zmq_poll(NULL, -1, 0));
    SHOW(zmq_poll(&item, -1, 0));
    void *socket = open_socket(context, ZMQ_PULL);
    zmq_pollitem_t good = {socket, 0, ZMQ_POLLIN, 0};
    show_poll("timeout -2 and a readable socket is not tried; timeout 1", &good, 1, 1);
    zmq_close(socket);
}

static void *send_later(void *socket) {
    settle();
    MUST(zmq_send(socket, "x", 1, 0));
    return NULL;
}

static void *write_later(void *descriptor) {
    settle();
    MUST(write(*(int *)descriptor, "x", 1));
    return NULL;
}

static void woken(void *context) {
    SECTION("woken while waiting");
    for (int t = 0; t < TRANSPORTS; t++) {
        void *from = open_socket(context, ZMQ_PUSH);
        void *to = open_socket(context, ZMQ_PULL);
        void *idle = open_socket(context, ZMQ_PULL);
        join(to, from, transports[t]);
        int ends[2];
        MUST(pipe(ends));
        zmq_pollitem_t items[] = {
            {idle, 0, ZMQ_POLLIN, 0}, {to, 0, ZMQ_POLLIN, 0}, {NULL, ends[0], ZMQ_POLLIN, 0}};
        pthread_t thread;
        pthread_create(&thread, NULL, send_later, from);
        show_poll(transports[t], items, 3, -1);
        pthread_join(thread, NULL);
        receive_now("message", to);
        pthread_create(&thread, NULL, write_later, &ends[1]);
        show_poll("descriptor", items, 3, PATIENCE_MS);
        pthread_join(thread, NULL);
        close(ends[0]);
        close(ends[1]);
        zmq_close(from);
        zmq_close(to);
        zmq_close(idle);
    }
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    sockets(context);
    descriptors(context);
    odd_arguments(context);
    woken(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
