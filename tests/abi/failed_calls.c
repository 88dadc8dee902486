// SPDX-License-Identifier: MPL-2.0
//
// The message of a zmq_msg_send or a zmq_msg_recv that fails: its size, and whether it says that more
// follows.
#include "support.h"

static void show(const char *type, const char *call, int result, zmq_msg_t *message) {
    printf("%s %s: %d %s, size %zu, more %d\n", type, call, result,
           result == -1 ? errno_name(zmq_errno()) : "", zmq_msg_size(message), zmq_msg_more(message));
}

static void receiving(void *socket, const char *type, size_t size) {
    zmq_msg_t message;
    zmq_msg_init_size(&message, size);
    show(type, "receives at once", zmq_msg_recv(&message, socket, ZMQ_DONTWAIT), &message);
    zmq_msg_close(&message);
    zmq_msg_init_size(&message, size);
    show(type, "waits", zmq_msg_recv(&message, socket, 0), &message);
    zmq_msg_close(&message);
}

static void sending(void *socket, const char *type, size_t size) {
    zmq_msg_t message;
    zmq_msg_init_size(&message, size);
    int result = zmq_msg_send(&message, socket, ZMQ_DONTWAIT | ZMQ_SNDMORE);
    show(type, "sends with more", result, &message);
    if (result == -1) {
        show(type, "sends it again", zmq_msg_send(&message, socket, ZMQ_DONTWAIT), &message);
    }
    zmq_msg_close(&message);
}

int main(void) {
    start();
    static const size_t sizes[] = {0, 3, 5000, 100000};
    void *context = zmq_ctx_new();
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            void *socket = open_socket(context, type);
            MUST(set_int(socket, ZMQ_RCVTIMEO, 5));
            receiving(socket, type_names[type], sizes[i]);
            sending(socket, type_names[type], sizes[i]);
            zmq_close(socket);
        }
    }
    zmq_msg_t message;
    zmq_msg_init_size(&message, 3);
    show("no socket", "sends with more", zmq_msg_send(&message, NULL, ZMQ_SNDMORE), &message);
    void *socket = open_socket(context, ZMQ_DEALER);
    zmq_ctx_shutdown(context);
    show("ended", "sends with more", zmq_msg_send(&message, socket, ZMQ_SNDMORE), &message);
    show("ended", "receives", zmq_msg_recv(&message, socket, 0), &message);
    zmq_msg_close(&message);
    zmq_close(socket);
    SHOW(zmq_ctx_term(context));
    return 0;
}
