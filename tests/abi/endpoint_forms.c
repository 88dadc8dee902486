// SPDX-License-Identifier: MPL-2.0
//
// Bind forms and what LAST_ENDPOINT makes of them, and that a peer reaches what it names.
#include "support.h"

struct form {
    const char *endpoint;
    bool six;
};

static const struct form forms[] = {
    {"tcp://127.0.0.1:*", false},  {"tcp://127.0.0.1:0", false},
    {"tcp://*:*", false},          {"tcp://*:0", false},
    {"tcp://0.0.0.0:*", false},    {"tcp://lo:*", false},
    {"tcp://localhost:*", false},  {"tcp://[127.0.0.1]:*", false},
    {"tcp://[*]:*", false},        {"tcp://127.0.0.1:*", true},
    {"tcp://*:*", true},           {"tcp://[::1]:*", true},
    {"tcp://::1:*", true},         {"tcp://[::]:*", true},
    {"tcp://lo:*", true},          {"tcp://[::ffff:127.0.0.1]:*", true},
    {"tcp://localhost:*", true},   {"tcp://[*]:*", true},
    {"tcp://0.0.0.0:*", true},     {"tcp://[::1%lo]:*", true},
    {"tcp://[::1%1]:*", true},     {"tcp://lo:0;127.0.0.1:*", false},
    {"tcp://127.0.0.2:*", false},  {"tcp://127.1:*", false},
    {"tcp://127.0.0.1:00", false}, {"tcp://127.0.0.1:*x", false},
    {"tcp://127.0.0.1:**", false},
};

/* Connects to the port of the bound endpoint at the loopback address of the family. */
static void reach(void *context, void *bound, const char *host, bool six) {
    char endpoint[ENDPOINT_SIZE];
    size_t size = sizeof endpoint;
    MUST(zmq_getsockopt(bound, ZMQ_LAST_ENDPOINT, endpoint, &size));
    char target[ENDPOINT_SIZE];
    snprintf(target, sizeof target, "tcp://%s%s", host, strrchr(endpoint, ':'));
    void *peer = open_socket(context, ZMQ_PUSH);
    set_int(peer, ZMQ_IPV6, six);
    MUST(zmq_connect(peer, target));
    MUST(zmq_send(peer, host, strlen(host), 0));
    printf("  reached by ");
    expect(host, bound);
    zmq_close(peer);
}

static void tcp_forms(void *context) {
    SECTION("tcp");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        void *socket = open_socket(context, ZMQ_PULL);
        set_int(socket, ZMQ_IPV6, forms[i].six);
        int result = zmq_bind(socket, forms[i].endpoint);
        printf("bind \"%s\"%s -> %s\n", forms[i].endpoint, forms[i].six ? " with IPV6" : "",
               result == -1 ? errno_name(zmq_errno()) : "ok");
        show_last_endpoint("  last endpoint", socket);
        char endpoint[ENDPOINT_SIZE];
        size_t size = sizeof endpoint;
        if (result == 0 && zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0) {
            bool any = strstr(endpoint, "0.0.0.0") || strstr(endpoint, "[::]");
            if (any || strstr(endpoint, "//127.0.0.1") || strstr(endpoint, "ffff:127")) {
                reach(context, socket, "127.0.0.1", false);
            }
            if (strstr(endpoint, "[::]") || strstr(endpoint, "[::1]")) {
                reach(context, socket, "[::1]", true);
            }
            printf("  unbind by the last endpoint -> %s\n",
                   zmq_unbind(socket, endpoint) == -1 ? errno_name(zmq_errno()) : "ok");
        }
        zmq_close(socket);
    }
}

static void connect_forms(void *context) {
    static const char *const hosts[] = {
        "127.0.0.1",      "localhost",    "[127.0.0.1]", "127.0.0.1:0;127.0.0.1", "127.0.0.2:0;127.0.0.1",
        "lo:0;127.0.0.1", "*:0;127.0.0.1"};
    SECTION("tcp connect forms that reach 127.0.0.1");
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        void *bound = open_socket(context, ZMQ_PULL);
        void *peer = open_socket(context, ZMQ_PUSH);
        char endpoint[ENDPOINT_SIZE];
        MUST(bind_any(bound, "tcp", endpoint));
        char target[2 * ENDPOINT_SIZE];
        snprintf(target, sizeof target, "tcp://%s%s", hosts[i], strrchr(endpoint, ':'));
        int result = zmq_connect(peer, target);
        printf("connect to %s -> %s\n", hosts[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        show_last_endpoint("  last endpoint", peer);
        if (result == 0) {
            MUST(zmq_send(peer, "hello", 5, 0));
            zmq_msg_t message;
            zmq_msg_init(&message);
            MUST(zmq_msg_recv(&message, bound, 0));
            const char *address = zmq_msg_gets(&message, "Peer-Address");
            printf("  received from %s\n", address ? address : "nobody");
            zmq_msg_close(&message);
        }
        zmq_close(peer);
        zmq_close(bound);
    }
}

static void ipc_path_forms(void *context) {
    SECTION("ipc");
    char endpoint[ENDPOINT_SIZE];
    char path[64];
    snprintf(path, sizeof path, "/tmp/zlink-abi-%d", (int)getpid());
    snprintf(endpoint, sizeof endpoint, "ipc://%s", path);
    void *socket = open_socket(context, ZMQ_PULL);
    void *peer = open_socket(context, ZMQ_PUSH);
    int bound = zmq_bind(socket, endpoint);
    printf("bind to a path -> %s\n", bound == -1 ? errno_name(zmq_errno()) : "ok");
    char last[ENDPOINT_SIZE];
    size_t size = sizeof last;
    MUST(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, last, &size));
    printf("last endpoint is what was given: %d, with its zero: %d\n", strcmp(last, endpoint) == 0,
           size == strlen(endpoint) + 1);
    printf("the file is there: %d\n", access(path, F_OK) == 0);
    MUST(zmq_connect(peer, endpoint));
    size = sizeof last;
    MUST(zmq_getsockopt(peer, ZMQ_LAST_ENDPOINT, last, &size));
    printf("last endpoint of connect is what was given: %d\n", strcmp(last, endpoint) == 0);
    MUST(zmq_send(peer, "hello", 5, 0));
    expect("received", socket);
    printf("unbind -> %s\n", zmq_unbind(socket, endpoint) == -1 ? errno_name(zmq_errno()) : "ok");
    printf("unbind again -> %s\n", zmq_unbind(socket, endpoint) == -1 ? errno_name(zmq_errno()) : "ok");
    settle();
    printf("the file stays: %d\n", access(path, F_OK) == 0);

    MUST(zmq_bind(socket, endpoint));
    void *second = open_socket(context, ZMQ_PULL);
    int again = zmq_bind(second, endpoint);
    printf("second bind to the path -> %s\n", again == -1 ? errno_name(zmq_errno()) : "ok");
    if (again == 0) {
        void *third = open_socket(context, ZMQ_PUSH);
        MUST(zmq_connect(third, endpoint));
        MUST(zmq_send(third, "to the second", 13, 0));
        expect("the second has the path", second);
        zmq_close(third);
    }
    zmq_close(second);
    zmq_close(socket);
    zmq_close(peer);
    unlink(path);
}

static void ipc_abstract_forms(void *context) {
    SECTION("ipc, abstract");
    char endpoint[ENDPOINT_SIZE];
    void *socket = open_socket(context, ZMQ_PULL);
    void *peer = open_socket(context, ZMQ_PUSH);
    snprintf(endpoint, sizeof endpoint, "ipc://@zlink-abi-%d", (int)getpid());
    printf("bind -> %s\n", zmq_bind(socket, endpoint) == -1 ? errno_name(zmq_errno()) : "ok");
    char last[ENDPOINT_SIZE];
    size_t size = sizeof last;
    MUST(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, last, &size));
    printf("last endpoint is what was given: %d\n", strcmp(last, endpoint) == 0);
    MUST(zmq_connect(peer, endpoint));
    MUST(zmq_send(peer, "hello", 5, 0));
    expect("received", socket);
    void *second = open_socket(context, ZMQ_PULL);
    printf("second bind -> %s\n", zmq_bind(second, endpoint) == -1 ? errno_name(zmq_errno()) : "ok");
    zmq_close(second);
    zmq_close(peer);
    zmq_close(socket);
}

static void ipc_wildcard_forms(void *context) {
    SECTION("ipc, wildcard");
    void *socket = open_socket(context, ZMQ_PULL);
    void *second = open_socket(context, ZMQ_PULL);
    SHOW(zmq_bind(socket, "ipc://*"));
    SHOW(zmq_bind(second, "ipc://*"));
    char last[ENDPOINT_SIZE];
    char other[ENDPOINT_SIZE];
    size_t size = sizeof last;
    MUST(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, last, &size));
    size = sizeof other;
    MUST(zmq_getsockopt(second, ZMQ_LAST_ENDPOINT, other, &size));
    printf("two names: %d, of a file: %d, in TMPDIR: %d\n", strcmp(last, other) != 0,
           access(last + 6, F_OK) == 0, strncmp(last + 6, "/tmp/", 5) == 0);
    SHOW(zmq_unbind(socket, "ipc://*"));
    printf("unbind by the last endpoint -> %s\n",
           zmq_unbind(socket, last) == -1 ? errno_name(zmq_errno()) : "ok");
    WAIT_UNTIL(access(last + 6, F_OK) != 0);
    printf("the file is gone: %d\n", access(last + 6, F_OK) != 0);
    zmq_close(second);
    zmq_close(socket);
}

int main(void) {
    start();
    setenv("TMPDIR", "/tmp", 1);
    void *context = zmq_ctx_new();
    tcp_forms(context);
    connect_forms(context);
    ipc_path_forms(context);
    ipc_abstract_forms(context);
    ipc_wildcard_forms(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
