// SPDX-License-Identifier: MPL-2.0
//
// Options that hold text or bytes: lengths at their limits, null pointers, reading into short buffers. A null
// pointer with a size is not tried: libzmq reads through it.
#include "support.h"

static unsigned char bytes[600];

static void set_length(void *socket, const char *name, int option, size_t size, bool null) {
    int result = zmq_setsockopt(socket, option, null ? NULL : bytes, size);
    printf("%s set %s of %zu -> %s\n", name, null ? "null" : "bytes", size,
           result == -1 ? errno_name(zmq_errno()) : "ok");
}

static void get_length(void *socket, const char *name, int option, size_t room) {
    unsigned char value[600];
    size_t size = room;
    int result = zmq_getsockopt(socket, option, value, &size);
    printf("%s get into %zu -> %s", name, room, result == -1 ? errno_name(zmq_errno()) : "ok");
    if (result == 0) {
        printf(" size %zu", size);
    }
    printf("\n");
}

static void lengths(void *context, int type, const char *name, int option) {
    static const size_t sizes[] = {0, 1, 2, 4, 15, 16, 17, 32, 254, 255, 256, 257, 600};
    SECTION("%s on %s", name, type_names[type]);
    void *socket = open_socket(context, type);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        set_length(socket, name, option, sizes[i], false);
        get_length(socket, name, option, 600);
    }
    set_length(socket, name, option, 0, true);
    get_length(socket, name, option, 600);
    set_length(socket, name, option, 10, false);
    for (size_t room = 8; room < 13; room++) {
        get_length(socket, name, option, room);
    }
    zmq_close(socket);
}

static void metadata(void *context) {
    static const char *const properties[] = {
        "X-key:value", "X-k:v",         "X-:v",        "X-key:",  "X-key",   ":value",  "key:value",
        "x-key:value", "X-a:b:c",       "X-k::",       "",        ":",       "X:value", "X-",
        "X-abc",       "X-hello:world", "X-key:other", "X-1:234", "X-12:34", "X-\xc3:v"};
    SECTION("METADATA");
    void *socket = open_socket(context, ZMQ_DEALER);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        int result = set_text(socket, 95, properties[i]);
        printf("METADATA \"%s\" -> %s\n", properties[i], result == -1 ? errno_name(zmq_errno()) : "ok");
    }
    get_length(socket, "METADATA", 95, 100);
    zmq_close(socket);
}

static void accept_filter(void *context) {
    static const char *const filters[] = {"127.0.0.1",   "127.0.0.1/8", "127.0.0.1/32", "127.0.0.1/33",
                                          "127.0.0.1/",  "127.0.0.1/x", "127.0.0.1/-1", "::1",
                                          "::1/128",     "::1/129",     "localhost",    "nonsense",
                                          "127.0.0.1:1", "[::1]/64",    "10.0.0.0/8/8", "/8",
                                          "0.0.0.0/0",   "*",           "fe80::1%lo",   "256.0.0.1"};
    SECTION("TCP_ACCEPT_FILTER");
    void *socket = open_socket(context, ZMQ_PULL);
    void *six = open_socket(context, ZMQ_PULL);
    set_int(six, ZMQ_IPV6, 1);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        int result = set_text(socket, ZMQ_TCP_ACCEPT_FILTER, filters[i]);
        printf("\"%s\" -> %s", filters[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        result = set_text(six, ZMQ_TCP_ACCEPT_FILTER, filters[i]);
        printf(", with IPV6 %s\n", result == -1 ? errno_name(zmq_errno()) : "ok");
    }
    SHOW(zmq_setsockopt(socket, ZMQ_TCP_ACCEPT_FILTER, NULL, 0));
    SHOW(zmq_setsockopt(socket, ZMQ_TCP_ACCEPT_FILTER, "", 0));
    zmq_close(six);
    zmq_close(socket);
}

int main(void) {
    start();
    memset(bytes, 'q', sizeof bytes);
    void *context = zmq_ctx_new();
    lengths(context, ZMQ_DEALER, "ROUTING_ID", ZMQ_ROUTING_ID);
    lengths(context, ZMQ_PUSH, "ROUTING_ID", ZMQ_ROUTING_ID);
    lengths(context, ZMQ_ROUTER, "CONNECT_ROUTING_ID", ZMQ_CONNECT_ROUTING_ID);
    lengths(context, ZMQ_DEALER, "CONNECT_ROUTING_ID", ZMQ_CONNECT_ROUTING_ID);
    lengths(context, ZMQ_PAIR, "BINDTODEVICE", ZMQ_BINDTODEVICE);
    lengths(context, ZMQ_XPUB, "XPUB_WELCOME_MSG", ZMQ_XPUB_WELCOME_MSG);
    lengths(context, ZMQ_SUB, "SUBSCRIBE", ZMQ_SUBSCRIBE);
    lengths(context, ZMQ_SUB, "UNSUBSCRIBE", ZMQ_UNSUBSCRIBE);
    lengths(context, ZMQ_XPUB, "SUBSCRIBE", ZMQ_SUBSCRIBE);
    lengths(context, ZMQ_PUB, "LAST_ENDPOINT", ZMQ_LAST_ENDPOINT);
    metadata(context);
    accept_filter(context);

    SECTION("IPC filters");
    void *socket = open_socket(context, ZMQ_PULL);
    static const int filters[] = {ZMQ_IPC_FILTER_PID, ZMQ_IPC_FILTER_UID, ZMQ_IPC_FILTER_GID};
    for (size_t i = 0; i < 3; i++) {
        int one = 1;
        printf("filter %d\n", filters[i]);
        SHOW(zmq_setsockopt(socket, filters[i], &one, sizeof one));
        SHOW(zmq_setsockopt(socket, filters[i], NULL, 0));
        SHOW(zmq_setsockopt(socket, filters[i], &one, 0));
        SHOW(zmq_setsockopt(socket, filters[i], &one, 2));
    }
    zmq_close(socket);

    SECTION("conversion between IPV6 and IPV4ONLY");
    socket = open_socket(context, ZMQ_PULL);
    SHOW(set_int(socket, ZMQ_IPV6, 1));
    SHOW(get_int(socket, ZMQ_IPV4ONLY));
    SHOW(set_int(socket, ZMQ_IPV4ONLY, 1));
    SHOW(get_int(socket, ZMQ_IPV6));
    zmq_close(socket);
    SHOW(zmq_ctx_term(context));
    return 0;
}
