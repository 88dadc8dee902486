// SPDX-License-Identifier: MPL-2.0
//
// MAXMSGSIZE applies to command frames after the handshake as it does to messages: a longer one ends the
// connection. A command that the socket does not know is passed over, whatever its size.
#include "plain.h"

enum { LIMIT = 100 };

static const char subscribe[] = "\11SUBSCRIBE", cancel[] = "\6CANCEL", join_[] = "\4JOIN",
                  leave[] = "\5LEAVE", unknown[] = "\10WHATEVER";
enum { PEER_TYPE_SIZE = 4 };

/* Connects and shakes hands as a peer with ZMTP 3.1 and NULL. `type` has four letters. */
static int raw_peer(const char *endpoint, const char *type) {
    char greeting[64] = "\xff\0\0\0\0\0\0\0\0\x7f\3\1NULL";
    char ready[28] = "\4\32\5READY\13Socket-Type\0\0\0\4";
    memcpy(ready + sizeof ready - PEER_TYPE_SIZE, type, PEER_TYPE_SIZE);
    int peer = plain_connect(endpoint);
    char theirs[64], head[2], body[256];
    MUST(send(peer, greeting, sizeof greeting, MSG_NOSIGNAL));
    MUST(recv(peer, theirs, sizeof theirs, MSG_WAITALL));
    MUST(send(peer, ready, sizeof ready, MSG_NOSIGNAL));
    MUST(recv(peer, head, sizeof head, MSG_WAITALL));
    MUST(recv(peer, body, (unsigned char)head[1], MSG_WAITALL));
    return peer;
}

/* One frame with a long header: `start` and as many 'x' as make `size` bytes. */
static void send_frame(int peer, char flags, const char *start, size_t start_size, size_t size) {
    char *frame = malloc(9 + size);
    frame[0] = (char)(flags | 2);
    for (int i = 0; i < 8; i++) {
        frame[1 + i] = (char)((uint64_t)size >> (56 - 8 * i));
    }
    memset(frame + 9, 'x', size);
    memcpy(frame + 9, start, start_size);
    size_t sent = 0;
    while (sent < 9 + size) {
        ssize_t part = send(peer, frame + sent, 9 + size - sent, MSG_NOSIGNAL);
        if (part == -1) {
            break; /* the other side has ended the connection: the caller sees that */
        }
        sent += (size_t)part;
    }
    free(frame);
}

/* Does the library end the connection? It answers a PING when it stays. */
static const char *fate(int peer) {
    send(peer, "\4\7\4PING\0\0", 9, MSG_NOSIGNAL);
    for (;;) {
        unsigned char head[2], body[256];
        if (recv(peer, head, sizeof head, MSG_WAITALL) != sizeof head ||
            recv(peer, body, head[1], MSG_WAITALL) != head[1]) {
            return "ends";
        }
        if (head[0] == 4 && memcmp(body, "\4PONG", 5) == 0) {
            return "stays";
        }
    }
}

static void one(void *context, int type, const char *peer_type, int64_t limit, const char *name,
                const char *start, size_t start_size, size_t size) {
    char endpoint[ENDPOINT_SIZE];
    void *bound = open_socket(context, type);
    MUST(zmq_setsockopt(bound, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    MUST(bind_any(bound, "tcp", endpoint));
    int peer = raw_peer(endpoint, peer_type);
    send_frame(peer, 4, start, start_size, size);
    printf("%s, limit %d, %s of %zu: %s\n", type_names[type], (int)limit, name, size, fate(peer));
    close(peer);
    zmq_close(bound);
}

static void limits(void *context) {
    static const struct {
        int type;
        const char *peer_type;
        const char *name;
        const char *start;
    } rows[] = {
        {ZMQ_XPUB, "XSUB", "SUBSCRIBE", subscribe}, {ZMQ_PUB, "XSUB", "SUBSCRIBE", subscribe},
        {ZMQ_XPUB, "XSUB", "CANCEL", cancel},       {ZMQ_PULL, "PUSH", "SUBSCRIBE", subscribe},
        {ZMQ_XPUB, "XSUB", "JOIN", join_},          {ZMQ_XPUB, "XSUB", "LEAVE", leave},
        {ZMQ_XPUB, "XSUB", "unknown", unknown},     {ZMQ_PULL, "PUSH", "unknown", unknown},
    };
    static const size_t sizes[] = {LIMIT - 1, LIMIT, LIMIT + 1, 255, 256, 9000, 2000000};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        SECTION("%s, %s", type_names[rows[r].type], rows[r].name);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            one(context, rows[r].type, rows[r].peer_type, LIMIT, rows[r].name, rows[r].start,
                strlen(rows[r].start), sizes[s]);
        }
        one(context, rows[r].type, rows[r].peer_type, -1, rows[r].name, rows[r].start, strlen(rows[r].start),
            2000000);
    }
}

/* A long topic arrives whole where there is no limit. */
static void long_topic(void *context) {
    SECTION("a topic of 20000 bytes");
    size_t size = 20000;
    char *topic = malloc(size);
    memset(topic, 't', size);
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(zmq_setsockopt(sub, ZMQ_SUBSCRIBE, topic, size));
    join(xpub, sub, "tcp");
    expect("subscription", xpub);
    MUST(zmq_send(xpub, topic, size, 0));
    expect("message", sub);
    MUST(zmq_setsockopt(sub, ZMQ_UNSUBSCRIBE, topic, size));
    expect("cancellation", xpub);
    zmq_close(sub);
    zmq_close(xpub);
    free(topic);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    limits(context);
    long_topic(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
