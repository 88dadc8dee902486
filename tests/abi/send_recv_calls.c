// SPDX-License-Identifier: MPL-2.0
//
// Results of the send and receive calls: truncation, empty messages, null buffers of no size, odd flags, the
// const and the deprecated forms. Also the content of a message after a failed receive.
#include "support.h"

static void truncation(void *a, void *b) {
    SECTION("truncation");
    static const size_t sizes[] = {0, 1, 5, 10, 300};
    static char body[300];
    memset(body, 'b', sizeof body);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t room = 0; room < 12; room += 3) {
            MUST(zmq_send(a, body, sizes[i], 0));
            char into[16] = "...............";
            int result = zmq_recv(b, into, room, 0);
            printf("message of %zu into %zu -> %d \"%s\"\n", sizes[i], room, result, into);
        }
    }
    SHOW(zmq_send(a, NULL, 0, 0));
    SHOW(zmq_recv(b, NULL, 0, 0));
    SHOW(zmq_send(a, "abc", 3, ZMQ_SNDMORE));
    SHOW(zmq_send(a, "def", 3, 0));
    char into[2];
    SHOW(zmq_recv(b, into, 1, 0));
    SHOW(get_int(b, ZMQ_RCVMORE));
    SHOW(zmq_recv(b, NULL, 0, 0));
}

static void flags(void *a, void *b) {
    SECTION("flags");
    static const int tried[] = {0, 1, 2, 3, 4, 8, 16, 0x100, -1};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        int result = zmq_send(a, "x", 1, tried[i]);
        printf("send with flags %d -> %s\n", tried[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        if (result != -1 && (tried[i] & ZMQ_SNDMORE)) {
            MUST(zmq_send(a, "end", 3, 0));
        }
    }
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        char byte;
        int result = zmq_recv(b, &byte, 1, tried[i]);
        printf("recv with flags %d -> %s\n", tried[i], result == -1 ? errno_name(zmq_errno()) : "ok");
    }
    drain_now(b);
}

static void constants(void *a, void *b) {
    SECTION("constant data");
    static const char text[] = "constant";
    static char large[5000];
    SHOW(zmq_send_const(a, text, 8, ZMQ_SNDMORE));
    SHOW(zmq_send_const(a, large, sizeof large, ZMQ_SNDMORE));
    SHOW(zmq_send_const(a, text, 0, ZMQ_SNDMORE));
    SHOW(zmq_send_const(a, NULL, 0, 0));
    expect("b", b);
}

static void messages(void *a, void *b) {
    SECTION("messages");
    zmq_msg_t message;
    zmq_msg_init_size(&message, 3);
    memcpy(zmq_msg_data(&message), "old", 3);
    SHOW(zmq_msg_recv(&message, b, ZMQ_DONTWAIT));
    printf("size after a failed receive %zu\n", zmq_msg_size(&message));
    SHOW(zmq_send(a, "new content", 11, 0));
    SHOW(zmq_msg_recv(&message, b, 0));
    printf("size %zu\n", zmq_msg_size(&message));
    SHOW(zmq_sendmsg(a, &message, 0));
    printf("size %zu\n", zmq_msg_size(&message));
    SHOW(zmq_recvmsg(b, &message, 0));
    printf("size %zu\n", zmq_msg_size(&message));
    zmq_msg_t copy;
    zmq_msg_init(&copy);
    zmq_msg_copy(&copy, &message);
    SHOW(zmq_msg_send(&message, a, 0));
    printf("copy after the send: size %zu\n", zmq_msg_size(&copy));
    SHOW(zmq_msg_send(&message, a, 0));
    SHOW(zmq_msg_send(&copy, a, 0));
    expect("b", b);
    expect("b", b);
    expect("b", b);
    zmq_msg_close(&message);
    zmq_msg_close(&copy);
}

/* A receive that cannot be leaves the message alone. */
static void kept(void *context) {
    SECTION("messages after receives that cannot be");
    static const int types[] = {ZMQ_PUSH, ZMQ_PUB, ZMQ_REQ};
    for (size_t t = 0; t <= sizeof types / sizeof *types; t++) {
        void *socket = t == 0 ? NULL : open_socket(context, types[t - 1]);
        zmq_msg_t message;
        zmq_msg_init_size(&message, 3);
        SHOW(zmq_msg_recv(&message, socket, ZMQ_DONTWAIT));
        printf("size %zu\n", zmq_msg_size(&message));
        zmq_msg_close(&message);
        if (socket != NULL) {
            zmq_close(socket);
        }
    }
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        SECTION("%s", transports[t]);
        void *a = open_socket(context, ZMQ_PAIR);
        void *b = open_socket(context, ZMQ_PAIR);
        join(a, b, transports[t]);
        truncation(a, b);
        constants(a, b);
        messages(a, b);
        if (t == 0) {
            flags(a, b);
        }
        zmq_close(a);
        zmq_close(b);
    }
    kept(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
