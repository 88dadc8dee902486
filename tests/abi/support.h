// SPDX-License-Identifier: MPL-2.0
//
// Tools that every behaviour program shares. A program prints facts that must be the same on every library
// with this ABI: results, names of error codes, contents, counts. Never addresses, ports, process ids or
// times.
//
// A program never waits longer than the watchdog; it waits for events (expect, wait_for) and, only where it
// must show that nothing happens, for QUIET_MS.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <zmq.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WATCHDOG_S = 60, PATIENCE_MS = 5000, QUIET_MS = 120, SETTLE_MS = 150, ENDPOINT_SIZE = 256 };

static const struct {
    int code;
    const char *name;
} errno_names[] = {
    {EAGAIN, "EAGAIN"},
    {EINVAL, "EINVAL"},
    {EFAULT, "EFAULT"},
    {ENOTSOCK, "ENOTSOCK"},
    {ENOTSUP, "ENOTSUP"},
    {EPROTONOSUPPORT, "EPROTONOSUPPORT"},
    {ENOBUFS, "ENOBUFS"},
    {ENETDOWN, "ENETDOWN"},
    {EADDRINUSE, "EADDRINUSE"},
    {EADDRNOTAVAIL, "EADDRNOTAVAIL"},
    {ECONNREFUSED, "ECONNREFUSED"},
    {EINPROGRESS, "EINPROGRESS"},
    {EMSGSIZE, "EMSGSIZE"},
    {EAFNOSUPPORT, "EAFNOSUPPORT"},
    {ENETUNREACH, "ENETUNREACH"},
    {ECONNABORTED, "ECONNABORTED"},
    {ECONNRESET, "ECONNRESET"},
    {ENOTCONN, "ENOTCONN"},
    {ETIMEDOUT, "ETIMEDOUT"},
    {EHOSTUNREACH, "EHOSTUNREACH"},
    {ENETRESET, "ENETRESET"},
    {EFSM, "EFSM"},
    {ENOCOMPATPROTO, "ENOCOMPATPROTO"},
    {ETERM, "ETERM"},
    {EMTHREAD, "EMTHREAD"},
    {ENOENT, "ENOENT"},
    {ENODEV, "ENODEV"},
    {EMFILE, "EMFILE"},
    {ENOMEM, "ENOMEM"},
    {EINTR, "EINTR"},
    {EBADF, "EBADF"},
    {EACCES, "EACCES"},
    {EPERM, "EPERM"},
    {ENAMETOOLONG, "ENAMETOOLONG"},
    {ENOTDIR, "ENOTDIR"},
    {EISDIR, "EISDIR"},
    {ENXIO, "ENXIO"},
};

static inline const char *errno_name(int code) {
    for (size_t i = 0; i < sizeof errno_names / sizeof *errno_names; i++) {
        if (errno_names[i].code == code) {
            return errno_names[i].name;
        }
    }
    static char other[32];
    snprintf(other, sizeof other, "errno %d", code);
    return other;
}

static inline int time_factor(void) {
    const char *text = getenv("ABI_TIME_FACTOR");
    return text && atoi(text) > 0 ? atoi(text) : 1;
}

static const char *const type_names[] = {"PAIR",   "PUB",  "SUB",  "REQ",  "REP",  "DEALER",
                                         "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM"};

/* Which library answers goes to stderr, where the runner checks it and no comparison sees it. */
static inline void start(void) {
    alarm((unsigned)(WATCHDOG_S * time_factor()));
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    Dl_info info;
    int (*probe)(void) = zmq_errno;
    void *address;
    memcpy(&address, &probe, sizeof address);
    if (dladdr(address, &info) && info.dli_fname) {
        fprintf(stderr, "library: %s\n", info.dli_fname);
    }
}

static inline void show_result(const char *text, long result) {
    if (result == -1) {
        int code = zmq_errno();
        printf("%s -> -1 %s\n", text, errno_name(code));
    } else {
        printf("%s -> %ld\n", text, result);
    }
}

static inline void show_pointer(const char *text, const void *result) {
    if (result) {
        printf("%s -> non-null\n", text);
    } else {
        printf("%s -> NULL %s\n", text, errno_name(zmq_errno()));
    }
}

#define SHOW(call) show_result(#call, (errno = 0, (long)(call)))
#define SHOW_PTR(call) show_pointer(#call, (errno = 0, (call)))
#define SECTION(...) (printf("-- "), printf(__VA_ARGS__), printf("\n"))

/* A step the program relies on: its failure is a line of output and the end. */
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        if ((long)(call) == -1) {                                                                            \
            printf("FAILED %s: %s\n", #call, errno_name(zmq_errno()));                                       \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static inline int set_int(void *socket, int option, int value) {
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

static inline int set_text(void *socket, int option, const char *value) {
    return zmq_setsockopt(socket, option, value, strlen(value));
}

/* The option's value, or INT_MIN and errno. */
static inline int get_int(void *socket, int option) {
    int value = 0;
    size_t size = sizeof value;
    return zmq_getsockopt(socket, option, &value, &size) == 0 ? value : (int)0x80000000;
}

/* Blocking calls give up after PATIENCE_MS and close never keeps the context. */
static inline void *open_socket(void *context, int type) {
    void *socket = zmq_socket(context, type);
    if (!socket) {
        printf("FAILED zmq_socket of type %d: %s\n", type, errno_name(zmq_errno()));
        exit(1);
    }
    set_int(socket, ZMQ_LINGER, 0);
    set_int(socket, ZMQ_SNDTIMEO, PATIENCE_MS * time_factor());
    set_int(socket, ZMQ_RCVTIMEO, PATIENCE_MS * time_factor());
    return socket;
}

/* Makes the library look at its pending control work for this socket. */
static inline int events_of(void *socket) {
    return get_int(socket, ZMQ_EVENTS);
}

static inline const char *events_text(int events) {
    static const char *const texts[] = {"none", "IN", "OUT", "IN|OUT"};
    return events >= 0 && events < 4 ? texts[events] : "invalid";
}

static inline bool wait_for(void *socket, int events, long timeout_ms) {
    zmq_pollitem_t item = {socket, 0, (short)events, 0};
    return zmq_poll(&item, 1, timeout_ms) > 0;
}

/* For what has no event to wait for: tries `condition` until it holds or patience ends. */
#define WAIT_UNTIL(condition)                                                                                \
    do {                                                                                                     \
        for (int turn_ = 0; turn_ < PATIENCE_MS * time_factor() && !(condition); turn_++) {                  \
            pause_ms(1);                                                                                     \
        }                                                                                                    \
    } while (0)

static inline void pause_ms(long duration_ms) {
    struct timespec left = {duration_ms / 1000, (duration_ms % 1000) * 1000000L};
    while (nanosleep(&left, &left) == -1) {
    }
}

/* The one blind wait, for what libzmq lets nobody observe. */
static inline void settle(void) {
    pause_ms(SETTLE_MS * time_factor());
}

/* libzmq lets nobody observe when it has forgotten a peer, and takes several turns of its control work. */
static inline void settle_peers(void *socket) {
    for (int turn = 0; turn < 4; turn++) {
        pause_ms(SETTLE_MS * time_factor() / 2);
        get_int(socket, ZMQ_EVENTS);
    }
}

/* Prints bytes: text as it is, the rest as \xNN; ids made by the library and long bodies in short. */
static inline void print_body(const unsigned char *data, size_t size) {
    if (size == 5 && data[0] == 0) {
        printf("<made-up id>");
        return;
    }
    if (size > 64) {
        bool uniform = true;
        for (size_t i = 1; i < size; i++) {
            uniform = uniform && data[i] == data[0];
        }
        printf("<%zu bytes%s %02x>", size, uniform ? " all" : " from", data[0]);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        if (isprint(data[i])) {
            putchar(data[i]);
        } else {
            printf("\\x%02x", data[i]);
        }
    }
}

/* Receives one whole message and prints it as [frame|frame]; prints the error instead when there is none. */
static inline bool receive_and_print(void *socket, int flags) {
    for (int frame = 0;; frame++) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        if (zmq_msg_recv(&message, socket, flags) == -1) {
            printf(frame ? "...%s" : "%s", errno_name(zmq_errno()));
            zmq_msg_close(&message);
            return false;
        }
        putchar(frame ? '|' : '[');
        print_body(zmq_msg_data(&message), zmq_msg_size(&message));
        int more = zmq_msg_more(&message);
        zmq_msg_close(&message);
        if (!more) {
            putchar(']');
            return true;
        }
    }
}

/* The next message of the socket, waited for: RCVTIMEO as open_socket set it. */
static inline bool expect(const char *label, void *socket) {
    printf("%s: ", label);
    bool received = receive_and_print(socket, 0);
    printf("\n");
    return received;
}

static inline int compare_texts(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The next `count` single-frame messages of at most 31 bytes, in sorted order: for what has no order of its
 * own. */
static inline void expect_sorted(const char *label, void *socket, int count) {
    char texts[8][80] = {{0}};
    for (int i = 0; i < count && i < 8; i++) {
        unsigned char body[31];
        int size = zmq_recv(socket, body, sizeof body, 0);
        if (size == -1) {
            snprintf(texts[i], sizeof texts[i], "%s", errno_name(zmq_errno()));
        }
        for (int k = 0; k < size && k < 31; k++) {
            snprintf(texts[i] + strlen(texts[i]), 5, isprint(body[k]) ? "%c" : "<%02x>", body[k]);
        }
    }
    qsort(texts, (size_t)count, sizeof texts[0], compare_texts);
    for (int i = 0; i < count; i++) {
        printf("%s: %s\n", label, texts[i]);
    }
}

/* Shows that no message comes (or the one that does). A message that a socket drops on receive may wake it
 * for nothing.
 */
static inline void expect_none(const char *label, void *socket) {
    printf("%s: ", label);
    wait_for(socket, ZMQ_POLLIN, QUIET_MS * time_factor());
    receive_and_print(socket, ZMQ_DONTWAIT);
    printf("\n");
}

/* Shows the result of a receive at this moment. */
static inline void receive_now(const char *label, void *socket) {
    printf("%s: ", label);
    receive_and_print(socket, ZMQ_DONTWAIT);
    printf("\n");
}

/* Sends "a|b|c" as three frames; -1 at the first frame that fails. */
static inline int send_text(void *socket, const char *text, int flags) {
    for (;;) {
        const char *bar = strchr(text, '|');
        size_t size = bar ? (size_t)(bar - text) : strlen(text);
        int result = zmq_send(socket, text, size, flags | (bar ? ZMQ_SNDMORE : 0));
        if (result == -1 || !bar) {
            return result;
        }
        text = bar + 1;
    }
}

static inline void show_send(const char *label, void *socket, const char *text, int flags) {
    int result = send_text(socket, text, flags);
    printf("%s: send [%s] -> %s\n", label, text, result == -1 ? errno_name(zmq_errno()) : "ok");
}

static const char *const transports[] = {"inproc", "tcp", "ipc"};
enum { TRANSPORTS = 3 };

/* Binds to a free endpoint of the transport and writes the text to connect to. */
static inline int bind_any(void *socket, const char *transport, char *endpoint) {
    static int serial = 0;
    if (strcmp(transport, "inproc") == 0) {
        snprintf(endpoint, ENDPOINT_SIZE, "inproc://endpoint-%d", ++serial);
        return zmq_bind(socket, endpoint);
    }
    if (strcmp(transport, "ipc") == 0) {
        snprintf(endpoint, ENDPOINT_SIZE, "ipc://@zlink-abi-%d-%d", (int)getpid(), ++serial);
        return zmq_bind(socket, endpoint);
    }
    if (zmq_bind(socket, "tcp://127.0.0.1:*") == -1) {
        return -1;
    }
    size_t size = ENDPOINT_SIZE;
    return zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size);
}

/* An endpoint nobody is bound to and nobody was: a library may take its time to release one. */
static inline void unused_endpoint(const char *transport, char *endpoint) {
    static int serial = 0;
    if (strcmp(transport, "tcp") != 0) {
        bool inproc = strcmp(transport, "inproc") == 0;
        snprintf(endpoint, ENDPOINT_SIZE, "%s-%d-%d", inproc ? "inproc://unused" : "ipc://@zlink-abi-unused",
                 (int)getpid(), ++serial);
        return;
    }
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    MUST(descriptor);
    /* Below the ports that the kernel gives to connections and to wildcards: none of these takes it
     * meanwhile. */
    do {
        address.sin_port = htons((uint16_t)(20000 + ((int)getpid() * 31 + ++serial) % 12000));
    } while (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0);
    close(descriptor);
    snprintf(endpoint, ENDPOINT_SIZE, "tcp://127.0.0.1:%d", ntohs(address.sin_port));
}

/* Two sockets of one context joined over the transport; a bound, b connected. */
static inline void join_at(void *a, void *b, const char *transport, char *endpoint) {
    MUST(bind_any(a, transport, endpoint));
    MUST(zmq_connect(b, endpoint));
}

static inline void join(void *a, void *b, const char *transport) {
    char endpoint[ENDPOINT_SIZE];
    join_at(a, b, transport, endpoint);
}

/* Sends until EAGAIN and says how many were taken; stops at limit. libzmq sees the room a reader made only
 * when it handles its commands. */
static inline int fill(void *socket, int limit) {
    int count = 0;
    events_of(socket);
    while (count < limit && zmq_send(socket, "x", 1, ZMQ_DONTWAIT) != -1) {
        count++;
    }
    return count;
}

/* Receives until nothing came for QUIET_MS and says how many did. */
static inline int drain(void *socket) {
    int count = 0;
    while (wait_for(socket, ZMQ_POLLIN, QUIET_MS * time_factor())) {
        char body[8];
        while (zmq_recv(socket, body, sizeof body, ZMQ_DONTWAIT) != -1) {
            count++;
        }
    }
    return count;
}

/* Receives what is there at this moment, for inproc where a sent message is. */
static inline int drain_now(void *socket) {
    int count = 0;
    char body[8];
    while (zmq_recv(socket, body, sizeof body, ZMQ_DONTWAIT) != -1) {
        count++;
    }
    return count;
}

/* Copies the endpoint with what changes from run to run replaced: the tcp port, the name of an ipc wildcard.
 */
static inline const char *masked(const char *endpoint) {
    static char text[ENDPOINT_SIZE + 16];
    snprintf(text, sizeof text, "%s", endpoint);
    char *colon = strrchr(text, ':');
    if (strncmp(text, "tcp://", 6) == 0 && colon && isdigit((unsigned char)colon[1])) {
        strcpy(colon, strcmp(colon, ":0") == 0 ? ":ZERO" : ":PORT");
    }
    return text;
}

static inline void show_last_endpoint(const char *label, void *socket) {
    char endpoint[ENDPOINT_SIZE] = "";
    size_t size = sizeof endpoint;
    if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size) == -1) {
        printf("%s: %s\n", label, errno_name(zmq_errno()));
        return;
    }
    printf("%s: \"%s\" %s\n", label, masked(endpoint),
           size == strlen(endpoint) + 1 ? "size with its zero" : "other size");
}
