// SPDX-License-Identifier: MPL-2.0
//
// A small high-water mark bounds what is in flight to a peer that does not read. An ipc connection is
// writable by poll(2) while a quarter of its send buffer is used. So that quarter and one more send come on
// top. Messages that share a send (up to 8192 bytes) may fill the whole buffer: libzmq's count of them
// varies. The system lets the buffers of tcp grow, unless ZMQ_SNDBUF and ZMQ_RCVBUF fix them. It doubles
// those.
#include "support.h"

#include <sys/un.h>

enum { SHARED_SEND = 8192 };

static size_t system_buffer(void) {
    int sent = 0;
    socklen_t size = sizeof sent;
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    MUST(descriptor);
    MUST(getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sent, &size));
    close(descriptor);
    return (size_t)sent;
}

enum { FIXED = 65536 };

/* Bytes beyond the marks: in the system's buffers, and in what the libraries themselves hold at both ends. */
static size_t beyond_marks(const char *transport, size_t size) {
    const size_t held = size < SHARED_SEND ? 128 * 1024 : 24 * 1024;
    if (strcmp(transport, "tcp") == 0) {
        return held + 4 * FIXED;
    }
    return held + system_buffer() / (size < SHARED_SEND ? 1 : 4);
}

static size_t taken(void *from, const char *body, size_t size) {
    size_t count = 0;
    MUST(zmq_send(from, body, size, 0)); /* the connection is there */
    do {
        count++;
        while (zmq_send(from, body, size, ZMQ_DONTWAIT) != -1) {
            count++;
        }
    } while (wait_for(from, ZMQ_POLLOUT, 2 * QUIET_MS * time_factor()) &&
             zmq_send(from, body, size, ZMQ_DONTWAIT) != -1);
    return count;
}

static void bounded(void *context, const char *transport, int mark, size_t size, bool sender_binds) {
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    MUST(set_int(from, ZMQ_SNDHWM, mark));
    MUST(set_int(to, ZMQ_RCVHWM, mark));
    if (strcmp(transport, "tcp") == 0) {
        MUST(set_int(from, ZMQ_SNDBUF, FIXED));
        MUST(set_int(to, ZMQ_RCVBUF, FIXED));
    }
    if (sender_binds) {
        join(from, to, transport);
    } else {
        join(to, from, transport);
    }
    char *body = calloc(1, size);
    const size_t count = taken(from, body, size);
    const size_t most = 2 * (size_t)mark * size + beyond_marks(transport, size) + 2 * size;
    printf("%s, mark %d, %zu bytes, %s binds: bounded %s\n", transport, mark, size,
           sender_binds ? "sender" : "receiver", count * size <= most ? "yes" : "no");
    fprintf(stderr, "%zu messages, at most %zu\n", count, most / size);
    free(body);
    zmq_close(from);
    zmq_close(to);
}

int main(void) {
    static const int marks[] = {1, 2, 10};
    static const size_t sizes[] = {8000, 8193, 20000, 65536, 262144};
    start();
    void *context = zmq_ctx_new();
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int binds = 0; binds < 2; binds++) {
                bounded(context, "ipc", marks[m], sizes[s], binds);
                bounded(context, "tcp", marks[m], sizes[s], binds);
            }
        }
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
