// SPDX-License-Identifier: MPL-2.0
//
// zmq_msg_init_data: the free function is called exactly once, with its arguments, when the last user of the
// data is done. That holds after copies, moves and sends too.
#include "support.h"

static char body[100000];
static int hint = 7;
static int freed;
static int wrong;

static void count_free(void *data, void *given) {
    if (data != body || given != &hint) {
        __atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
    }
    __atomic_fetch_add(&freed, 1, __ATOMIC_SEQ_CST);
}

static int frees(void) {
    return __atomic_load_n(&freed, __ATOMIC_SEQ_CST);
}

static void show_frees(const char *when) {
    printf("%s: %d calls, %d with wrong arguments\n", when, frees(), wrong);
}

static void make(zmq_msg_t *message, size_t size) {
    freed = 0;
    MUST(zmq_msg_init_data(message, body, size, count_free, &hint));
}

static void alone(size_t size) {
    SECTION("size %zu", size);
    zmq_msg_t a, b;
    make(&a, size);
    printf("data is the caller's: %d, shared %d\n", zmq_msg_data(&a) == body, zmq_msg_get(&a, ZMQ_SHARED));
    show_frees("made");
    zmq_msg_close(&a);
    show_frees("closed");

    make(&a, size);
    zmq_msg_init(&b);
    zmq_msg_copy(&b, &a);
    printf("copy has the same data: %d, shared %d and %d\n", zmq_msg_data(&b) == body,
           zmq_msg_get(&a, ZMQ_SHARED), zmq_msg_get(&b, ZMQ_SHARED));
    zmq_msg_close(&a);
    show_frees("source closed");
    zmq_msg_close(&b);
    show_frees("copy closed");

    make(&a, size);
    zmq_msg_init(&b);
    zmq_msg_move(&b, &a);
    zmq_msg_close(&a);
    show_frees("moved from closed");
    zmq_msg_close(&b);
    show_frees("moved to closed");

    make(&a, size);
    zmq_msg_init(&b);
    zmq_msg_copy(&a, &b);
    show_frees("overwritten by a copy of an empty one");
    zmq_msg_close(&a);

    MUST(zmq_msg_init_data(&a, body, size, NULL, NULL));
    printf("constant data is the caller's: %d\n", zmq_msg_data(&a) == body);
    zmq_msg_close(&a);
    show_frees("constant closed");
}

static void sent(const char *transport, size_t size) {
    SECTION("sent over %s, size %zu", transport, size);
    void *context = zmq_ctx_new();
    void *from = open_socket(context, ZMQ_PAIR);
    void *to = open_socket(context, ZMQ_PAIR);
    join(to, from, transport);
    zmq_msg_t a, received;
    make(&a, size);
    zmq_msg_t copy;
    zmq_msg_init(&copy);
    zmq_msg_copy(&copy, &a);
    SHOW(zmq_msg_send(&a, from, 0));
    printf("sent message is now of size %zu\n", zmq_msg_size(&a));
    show_frees("sent, a copy kept");
    zmq_msg_close(&a);
    zmq_msg_init(&received);
    SHOW(zmq_msg_recv(&received, to, 0));
    zmq_msg_close(&received);
    show_frees("received and closed, a copy kept");
    zmq_msg_close(&copy);
    WAIT_UNTIL(frees() > 0);
    show_frees("copy closed");

    make(&a, size);
    SHOW(zmq_msg_send(&a, from, 0));
    zmq_msg_init(&received);
    SHOW(zmq_msg_recv(&received, to, 0));
    zmq_msg_close(&received);
    WAIT_UNTIL(frees() > 0);
    show_frees("sent and received");
    zmq_close(from);
    zmq_close(to);
    zmq_ctx_term(context);
    show_frees("context ended");
}

static void unsent(void) {
    SECTION("failing and pending sends");
    void *context = zmq_ctx_new();
    void *socket = open_socket(context, ZMQ_PUSH);
    zmq_msg_t a;
    make(&a, 100);
    SHOW(zmq_msg_send(&a, socket, ZMQ_DONTWAIT));
    printf("message after a failed send is of size %zu\n", zmq_msg_size(&a));
    show_frees("failed");
    zmq_msg_close(&a);
    show_frees("closed");
    make(&a, 100);
    MUST(zmq_connect(socket, "inproc://later"));
    SHOW(zmq_msg_send(&a, socket, ZMQ_DONTWAIT));
    show_frees("pending");
    zmq_close(socket);
    zmq_ctx_term(context);
    show_frees("pending, context ended");
    freed = 0;
}

int main(void) {
    start();
    memset(body, 'd', sizeof body);
    static const size_t sizes[] = {0, 1, 30, 33, 34, 100, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        alone(sizes[i]);
        for (int t = 0; t < TRANSPORTS; t++) {
            sent(transports[t], sizes[i]);
        }
    }
    unsent();
    return 0;
}
