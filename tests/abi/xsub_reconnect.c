// SPDX-License-Identifier: MPL-2.0
//
// Messages that wait for a publisher's connection are lost with it: the next publisher is told the topics,
// and gets later messages.
#include "plain.h"

/* Shakes hands as an XPUB with ZMTP 3.1 and NULL. */
static int accept_as_xpub(int listener) {
    char greeting[64] = "\xff\0\0\0\0\0\0\0\0\x7f\3\1NULL";
    char ready[28] = "\4\32\5READY\13Socket-Type\0\0\0\4XPUB";
    char theirs[64], head[2], body[256];
    int peer = accept(listener, NULL, NULL);
    MUST(peer);
    MUST(send(peer, greeting, sizeof greeting, MSG_NOSIGNAL));
    MUST(recv(peer, theirs, sizeof theirs, MSG_WAITALL));
    MUST(send(peer, ready, sizeof ready, MSG_NOSIGNAL));
    MUST(recv(peer, head, sizeof head, MSG_WAITALL));
    MUST(recv(peer, body, (unsigned char)head[1], MSG_WAITALL));
    return peer;
}

static void show_frame(void *xsub, int peer) {
    unsigned char header[9];
    static unsigned char body[10000];
    if (!plain_ready(xsub, peer) || recv(peer, header, 2, MSG_WAITALL) != 2) {
        printf("nothing\n");
        return;
    }
    size_t size = header[1];
    if (header[0] & 2) {
        MUST(recv(peer, header + 2, 7, MSG_WAITALL));
        size = (size_t)header[7] * 256 + header[8];
    }
    MUST(recv(peer, body, size, MSG_WAITALL));
    printf("flags %d, %zu bytes: %.20s\n", header[0], size, body);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    char endpoint[ENDPOINT_SIZE];
    int listener = plain_listen(endpoint);
    int small = 4096;
    MUST(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small));
    void *xsub = open_socket(context, ZMQ_XSUB);
    MUST(set_int(xsub, ZMQ_SNDHWM, 0));
    MUST(set_int(xsub, ZMQ_SNDBUF, small));
    MUST(set_int(xsub, ZMQ_RECONNECT_IVL, 4 * SETTLE_MS * time_factor()));
    MUST(zmq_connect(xsub, endpoint));
    int peer = accept_as_xpub(listener);
    settle_peers(xsub);
    static char body[10000];
    for (int i = 0; i < 2000; i++) {
        snprintf(body, 20, "before %d", i);
        MUST(zmq_send(xsub, body, sizeof body, 0));
    }
    settle();
    close(peer);
    settle();
    events_of(xsub);
    for (int i = 0; i < 3; i++) {
        snprintf(body, 20, "after %d", i);
        MUST(zmq_send(xsub, body, sizeof body, 0));
    }
    peer = accept_as_xpub(listener);
    for (int i = 0; i < 3; i++) {
        show_frame(xsub, peer);
    }
    close(peer);
    close(listener);
    zmq_close(xsub);
    SHOW(zmq_ctx_term(context));
    return 0;
}
