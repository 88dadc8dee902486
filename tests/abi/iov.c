// SPDX-License-Identifier: MPL-2.0
//
// zmq_sendiov and zmq_recviov: several buffers in one call.
#include "support.h"

#include <sys/uio.h>

static char one[] = "one", two[] = "two!", none[] = "", four[] = "4";
static struct iovec pieces[4] = {{one, 3}, {two, 4}, {none, 0}, {four, 1}};

static void show_buffers(const struct iovec *buffers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("buffer %zu: [", i);
        print_body(buffers[i].iov_base, buffers[i].iov_len);
        printf("] %s\n", buffers[i].iov_base ? "to be freed" : "null");
        free(buffers[i].iov_base);
    }
}

static void receive_buffers(void *socket, size_t room) {
    struct iovec buffers[4];
    size_t count = room;
    SHOW(zmq_recviov(socket, buffers, &count, 0));
    printf("of %zu: %zu, more %d\n", room, count, get_int(socket, ZMQ_RCVMORE));
    show_buffers(buffers, count);
}

static void messages(void *a, void *b) {
    SECTION("each a message");
    SHOW(zmq_sendiov(a, pieces, 3, 0));
    expect("b", b);
    expect("b", b);
    expect("b", b);
    SECTION("frames of one message");
    SHOW(zmq_sendiov(a, pieces, 4, ZMQ_SNDMORE));
    expect("b", b);
    SECTION("received");
    MUST(zmq_sendiov(a, pieces, 4, ZMQ_SNDMORE));
    receive_buffers(b, 4);
    MUST(zmq_sendiov(a, pieces, 4, ZMQ_SNDMORE));
    receive_buffers(b, 3);
    receive_buffers(b, 4);
    MUST(zmq_sendiov(a, pieces, 2, 0));
    receive_buffers(b, 4);
    receive_buffers(b, 4);
}

static void errors(void *context, void *a, void *b) {
    SECTION("errors");
    struct iovec buffers[2];
    size_t count = 2;
    SHOW(zmq_sendiov(a, pieces, 0, 0));
    SHOW(zmq_sendiov(a, NULL, 1, 0));
    SHOW(zmq_sendiov(NULL, pieces, 1, 0));
    SHOW(zmq_recviov(b, NULL, &count, 0));
    SHOW(zmq_recviov(b, buffers, NULL, 0));
    SHOW(zmq_recviov(NULL, buffers, &count, 0));
    SHOW(zmq_recviov(b, buffers, &count, ZMQ_DONTWAIT));
    printf("count %zu\n", count);
    SHOW(zmq_recviov(b, buffers, &count, ZMQ_DONTWAIT));
    void *push = open_socket(context, ZMQ_PUSH);
    count = 2;
    SHOW(zmq_sendiov(push, pieces, 2, ZMQ_DONTWAIT));
    SHOW(zmq_recviov(push, buffers, &count, 0));
    printf("count %zu\n", count);
    zmq_close(push);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    void *a = open_socket(context, ZMQ_PAIR);
    void *b = open_socket(context, ZMQ_PAIR);
    join(a, b, "inproc");
    messages(a, b);
    errors(context, a, b);
    zmq_close(a);
    zmq_close(b);
    SHOW(zmq_ctx_term(context));
    return 0;
}
