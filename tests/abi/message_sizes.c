// SPDX-License-Identifier: MPL-2.0
//
// Bodies of sizes around every limit of framing and buffering arrive whole, in order, in both directions.
#include "support.h"

static const size_t sizes[] = {0,     1,     28,    29,    30,     31,     32,      33,      34,
                               63,    64,    127,   128,   254,    255,    256,     257,     511,
                               512,   1023,  1024,  4095,  4096,   8191,   8192,    8193,    16384,
                               32768, 65535, 65536, 65537, 131072, 262144, 1048575, 1048576, 3000000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void fill_pattern(unsigned char *data, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; i++) {
        data[i] = (unsigned char)(i * 31 + i / 251 + seed);
    }
}

static bool has_pattern(const unsigned char *data, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; i++) {
        if (data[i] != (unsigned char)(i * 31 + i / 251 + seed)) {
            return false;
        }
    }
    return true;
}

struct sender {
    void *socket;
    bool multipart;
};

static void *send_all(void *argument) {
    const struct sender *job = argument;
    for (unsigned i = 0; i < SIZES; i++) {
        zmq_msg_t message;
        MUST(zmq_msg_init_size(&message, sizes[i]));
        fill_pattern(zmq_msg_data(&message), sizes[i], i);
        MUST(zmq_msg_send(&message, job->socket, job->multipart && i + 1 < SIZES ? ZMQ_SNDMORE : 0));
    }
    return NULL;
}

static void run(void *context, const char *transport, bool multipart, bool connecter_sends) {
    SECTION("%s, %s, the %s one sends", transport, multipart ? "one message" : "many messages",
            connecter_sends ? "connected" : "bound");
    void *bound = open_socket(context, ZMQ_PAIR);
    void *connected = open_socket(context, ZMQ_PAIR);
    join(bound, connected, transport);
    struct sender job = {connecter_sends ? connected : bound, multipart};
    void *to = connecter_sends ? bound : connected;
    pthread_t thread;
    pthread_create(&thread, NULL, send_all, &job);
    int whole = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        MUST(zmq_msg_recv(&message, to, 0));
        bool right = zmq_msg_size(&message) == sizes[i] && has_pattern(zmq_msg_data(&message), sizes[i], i) &&
                     zmq_msg_more(&message) == (multipart && i + 1 < SIZES);
        whole += right;
        if (!right) {
            printf("wrong: number %u, size %zu\n", i, zmq_msg_size(&message));
        }
        zmq_msg_close(&message);
    }
    pthread_join(thread, NULL);
    printf("right %d of %d\n", whole, (int)SIZES);
    zmq_close(bound);
    zmq_close(connected);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        for (int way = 0; way < 4; way++) {
            run(context, transports[t], way & 1, way & 2);
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
