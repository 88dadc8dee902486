// SPDX-License-Identifier: MPL-2.0
//
// High-water marks over tcp and ipc. They are exact while no peer is connected. While a peer does not read,
// the number of messages is from the larger mark up to a few over their sum. Messages are much larger than
// the system's buffers.
#include "support.h"

enum { LIMIT = 3000, BODY_SIZE = 1 << 20, ON_THE_WAY = 3 };
static char body[BODY_SIZE];
static const int marks[] = {1, 2, 5, 10};
enum { MARKS = sizeof marks / sizeof *marks };

static void without_a_peer(void *context, const char *transport, int type, int mark) {
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint(transport, endpoint);
    void *from = open_socket(context, type);
    MUST(set_int(from, ZMQ_SNDHWM, mark));
    MUST(set_int(from, ZMQ_RECONNECT_IVL, 10));
    printf("%s with SNDHWM %d takes %d unconnected", type_names[type], mark, fill(from, LIMIT));
    MUST(zmq_connect(from, endpoint));
    int taken = fill(from, LIMIT);
    printf(", %d connected to nobody", taken);
    void *to = open_socket(context, type == ZMQ_PUSH ? ZMQ_PULL : type);
    MUST(zmq_bind(to, endpoint));
    char text[8];
    int received = 0;
    while (received < taken && zmq_recv(to, text, sizeof text, 0) == 1) {
        received++;
    }
    printf(", %d come\n", received + drain(to));
    zmq_close(from);
    zmq_close(to);
}

/* Until there has been no room for QUIET_MS. */
static int fill_large(void *socket) {
    int count = 0;
    while (zmq_send(socket, body, sizeof body, 0) != -1) {
        count++;
    }
    return count;
}

static void peer_that_does_not_read(void *context, const char *transport, int send_mark, int receive_mark) {
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    MUST(set_int(from, ZMQ_SNDHWM, send_mark));
    MUST(set_int(from, ZMQ_SNDBUF, 8192));
    MUST(set_int(from, ZMQ_SNDTIMEO, QUIET_MS * time_factor()));
    MUST(set_int(to, ZMQ_RCVHWM, receive_mark));
    MUST(set_int(to, ZMQ_RCVBUF, 8192));
    join(to, from, transport);
    int taken = fill_large(from);
    int least = send_mark > receive_mark ? send_mark : receive_mark;
    printf("SNDHWM %d, RCVHWM %d: at least the larger %d", send_mark, receive_mark, taken >= least);
    printf(", at most the sum %d", taken <= send_mark + receive_mark + ON_THE_WAY);
    int received = 0;
    char part[8];
    while (received < taken && zmq_recv(to, part, sizeof part, 0) == BODY_SIZE) {
        received++;
    }
    printf(", all come %d\n", received == taken);
    zmq_close(from);
    zmq_close(to);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 1; t < TRANSPORTS; t++) {
        SECTION("%s", transports[t]);
        static const int types[] = {ZMQ_PUSH, ZMQ_DEALER, ZMQ_PAIR};
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            for (int m = 0; m < MARKS; m++) {
                without_a_peer(context, transports[t], types[i], marks[m]);
            }
            without_a_peer(context, transports[t], types[i], 1000);
        }
        for (int s = 0; s < MARKS; s++) {
            for (int r = 0; r < MARKS; r++) {
                peer_that_does_not_read(context, transports[t], marks[s], marks[r]);
            }
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
