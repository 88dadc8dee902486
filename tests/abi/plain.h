// SPDX-License-Identifier: MPL-2.0
//
// Plain tcp ends for the programs about sockets that speak no ZMTP, and messages [id|body] to and from them.
#pragma once

#include "support.h"

#include <poll.h>

enum { ID_SIZE = 256 };

typedef struct {
    unsigned char bytes[ID_SIZE];
    size_t size;
} peer_id;

static inline int port_of(const char *endpoint) {
    return atoi(strrchr(endpoint, ':') + 1);
}

static inline int plain_connect(const char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)port_of(endpoint));
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(descriptor);
    MUST(connect(descriptor, (struct sockaddr *)&address, sizeof address));
    return descriptor;
}

static inline int plain_listen(char *endpoint) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(descriptor);
    MUST(bind(descriptor, (struct sockaddr *)&address, size));
    MUST(listen(descriptor, 8));
    MUST(getsockname(descriptor, (struct sockaddr *)&address, &size));
    snprintf(endpoint, ENDPOINT_SIZE, "tcp://127.0.0.1:%d", ntohs(address.sin_port));
    return descriptor;
}

/* Is there something to read at the plain end, in time? A library may act only in calls on its socket. */
static inline bool plain_ready(void *stream, int descriptor) {
    struct pollfd item = {descriptor, POLLIN, 0};
    int ready = 0;
    for (int turn = 0; turn < PATIENCE_MS / 10 * time_factor() && ready == 0; turn++) {
        events_of(stream);
        ready = poll(&item, 1, 10);
    }
    return ready == 1;
}

/* The plain end reads as much as the text has. */
static inline void plain_expect(const char *label, void *stream, int descriptor, const char *text) {
    char bytes[256];
    size_t got = 0;
    while (got < strlen(text) && plain_ready(stream, descriptor)) {
        ssize_t more = recv(descriptor, bytes + got, sizeof bytes - got, 0);
        if (more <= 0) {
            break;
        }
        got += (size_t)more;
    }
    printf("%s: plain end got \"%.*s\"\n", label, (int)got, bytes);
}

/* It finds that the connection was closed. */
static inline void plain_end(const char *label, void *stream, int descriptor) {
    char byte;
    bool ended = plain_ready(stream, descriptor) && recv(descriptor, &byte, 1, 0) == 0;
    printf("%s: plain end %s\n", label, ended ? "reads the end" : "reads no end");
    close(descriptor);
}

/* Receives [id|body], keeps the id. */
static inline void take(const char *label, void *stream, peer_id *from) {
    int size = zmq_recv(stream, from->bytes, ID_SIZE, 0);
    if (size == -1) {
        printf("%s: %s\n", label, errno_name(zmq_errno()));
        return;
    }
    from->size = (size_t)size;
    printf("%s: id of %d from %02x, more %d, ", label, size, from->bytes[0], get_int(stream, ZMQ_RCVMORE));
    receive_and_print(stream, 0);
    printf("\n");
}

static inline void give(const char *label, void *stream, const peer_id *to, const char *text, int flags) {
    int result = zmq_send(stream, to->bytes, to->size, ZMQ_SNDMORE | (flags & ZMQ_DONTWAIT));
    printf("%s: id -> %s, ", label, result == -1 ? errno_name(zmq_errno()) : "ok");
    if (result != -1) {
        result = zmq_send(stream, text, strlen(text), flags);
        printf("body -> %s", result == -1 ? errno_name(zmq_errno()) : "ok");
    }
    printf("\n");
}
