// SPDX-License-Identifier: MPL-2.0
//
// Creating, moving, copying and closing messages: sizes, contents, the properties, the errors.
#include "support.h"

static void show_message(const char *label, const zmq_msg_t *message) {
    zmq_msg_t *writable = (zmq_msg_t *)(uintptr_t)message;
    printf("%s: size %zu, more %d, MORE %d, SHARED %d [", label, zmq_msg_size(message), zmq_msg_more(message),
           zmq_msg_get(message, ZMQ_MORE), zmq_msg_get(message, ZMQ_SHARED));
    print_body(zmq_msg_data(writable), zmq_msg_size(message));
    printf("]\n");
}

static void make(zmq_msg_t *message, size_t size, int byte) {
    MUST(zmq_msg_init_size(message, size));
    memset(zmq_msg_data(message), byte, size);
}

static void sizes(void) {
    static const size_t tried[] = {0,  1,  28, 29,  30,  31,  32,   33,     34,
                                   63, 64, 65, 255, 256, 257, 8192, 1 << 20};
    SECTION("copies and moves by size");
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        zmq_msg_t a, b, c;
        make(&a, tried[i], 'a');
        zmq_msg_init(&b);
        make(&c, 3, 'c');
        printf("size %zu\n", tried[i]);
        SHOW(zmq_msg_copy(&b, &a));
        show_message("source", &a);
        show_message("copy", &b);
        SHOW(zmq_msg_copy(&c, &b));
        show_message("copy of the copy", &c);
        SHOW(zmq_msg_close(&a));
        show_message("copy after the source closed", &b);
        SHOW(zmq_msg_move(&c, &b));
        show_message("moved", &c);
        show_message("moved from", &b);
        SHOW(zmq_msg_move(&c, &b));
        show_message("moved from the empty one", &c);
        zmq_msg_close(&b);
        zmq_msg_close(&c);
    }
}

static void same_message(void) {
    SECTION("source and destination the same");
    zmq_msg_t a;
    make(&a, 5, 'a');
    SHOW(zmq_msg_move(&a, &a));
    show_message("moved to itself", &a);
    zmq_msg_close(&a);
    make(&a, 100, 'b');
    SHOW(zmq_msg_move(&a, &a));
    show_message("moved to itself", &a);
    zmq_msg_close(&a);
}

static void closed(void) {
    SECTION("closed messages");
    zmq_msg_t a, b;
    zmq_msg_init(&a);
    SHOW(zmq_msg_close(&a));
    SHOW(zmq_msg_close(&a));
    make(&b, 40, 'b');
    SHOW(zmq_msg_close(&b));
    SHOW(zmq_msg_close(&b));
    make(&b, 4, 'b');
    SHOW(zmq_msg_copy(&b, &a));
    SHOW(zmq_msg_move(&b, &a));
    SHOW(zmq_msg_copy(&a, &b));
    SHOW(zmq_msg_move(&a, &b));
    show_message("destination not open: the source", &b);
    zmq_msg_close(&b);

    void *context = zmq_ctx_new();
    void *socket = open_socket(context, ZMQ_PAIR);
    zmq_msg_init(&a);
    zmq_msg_close(&a);
    /* zmq_msg_send of a closed message ends a libzmq process, so it is not tried. */
    SHOW(zmq_msg_recv(&a, socket, ZMQ_DONTWAIT));
    zmq_close(socket);
    zmq_ctx_term(context);
}

static void properties(void) {
    SECTION("properties");
    zmq_msg_t a;
    make(&a, 40, 'a');
    for (int property = -1; property < 8; property++) {
        int value = zmq_msg_get(&a, property);
        printf("get %d -> %s%d\n", property, value == -1 ? errno_name(zmq_errno()) : "", value);
        SHOW(zmq_msg_set(&a, property, 1));
    }
    static const char *const names[] = {"Socket-Type",  "Identity",   "Routing-Id", "User-Id",
                                        "Peer-Address", "X-anything", "",           "socket-type"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("gets \"%s\": ", names[i]);
        SHOW_PTR(zmq_msg_gets(&a, names[i]));
    }
    zmq_msg_close(&a);
    SHOW(zmq_msg_init_size(&a, SIZE_MAX));
    SHOW(zmq_msg_init_size(&a, SIZE_MAX - 100));
    SHOW(zmq_msg_init_size(&a, (size_t)1 << 62));
    SHOW(sizeof(zmq_msg_t));
}

int main(void) {
    start();
    sizes();
    same_message();
    closed();
    properties();
    return 0;
}
