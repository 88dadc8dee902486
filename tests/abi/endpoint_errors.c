// SPDX-License-Identifier: MPL-2.0
//
// Bind and connect with every kind of malformed endpoint: the error that is given at once.
#include "support.h"

static const char *const endpoints[] = {
    // no transport, unknown transport
    "", ":", "://", "tcp", "tcp:", "tcp:/", "inproc", "nonsense", "//127.0.0.1:5555", "127.0.0.1:5555",
    "http://127.0.0.1:5555", "TCP://127.0.0.1:*", "Inproc://x", "tcp ://127.0.0.1:1", " tcp://127.0.0.1:1",
    "udp://127.0.0.1:5555", "udp://nonsense", "udp://", "x://y",
    // no address
    "tcp://", "ipc://", "inproc://",
    // tcp
    "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://:", "tcp://:5555", "tcp://*",
    "tcp://*:", "tcp://127.0.0.1:x", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:65536",
    "tcp://127.0.0.1:99999999999", "tcp://127.0.0.1:5555x", "tcp://127.0.0.1: 5555", "tcp://127.0.0.1:5555 ",
    "tcp://127.0.0.1:+5555", "tcp://127.0.0.1:0x50", "tcp://127.0.0.1:1:2", "tcp://127.0.0.1:!",
    "tcp://256.0.0.1:5555", "tcp://1.2.3:5555", "tcp://1:5555", "tcp://::1:5555", "tcp://[::1]:5555",
    "tcp://[::1]", "tcp://[::1]:", "tcp://[::1:5555", "tcp://::1]:5555", "tcp://[]:5555", "tcp://[*]:5555",
    "tcp://[nonsense]:5555", "tcp://[127.0.0.1]:5555", "tcp://nosuchinterface0:5555",
    "tcp://no.such.host.invalid:5555", "tcp://!:5555", "tcp://a b:5555", "tcp://127.0.0.1:5555/path",
    "tcp://203.0.113.1:5555",
    // source address forms
    "tcp://;127.0.0.1:5555", "tcp://127.0.0.1:0;", "tcp://;", "tcp://127.0.0.1;127.0.0.1:5555",
    "tcp://127.0.0.1:0;127.0.0.1", "tcp://nonsense:0;127.0.0.1:5555", "tcp://127.0.0.1:x;127.0.0.1:5555",
    "tcp://*:0;127.0.0.1:5555", "tcp://127.0.0.1:0;nonsense:x", "tcp://lo:0;127.0.0.1:5555",
    // ipc
    "ipc://@", "ipc:///no/such/directory/name", "ipc:///", "ipc:///tmp", "ipc:///dev/null/x",
    "ipc:///tmp/"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaa",
    "ipc://"
    "@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaa"};

/* Binding to these takes a port or depends on the machine; endpoint_bind_forms.c binds to free ports. */
static const char *const connect_only[] = {"tcp://:5555",
                                           "tcp://*:",
                                           "tcp://1:5555",
                                           "tcp://1.2.3:5555",
                                           "tcp://127.0.0.1:-1",
                                           "tcp://127.0.0.1:99999999999",
                                           "tcp://127.0.0.1:5555x",
                                           "tcp://127.0.0.1: 5555",
                                           "tcp://127.0.0.1:5555 ",
                                           "tcp://127.0.0.1:+5555",
                                           "tcp://::1:5555",
                                           "tcp://[::1]:5555",
                                           "tcp://[*]:5555",
                                           "tcp://[127.0.0.1]:5555",
                                           "tcp://127.0.0.1:5555/path",
                                           "tcp://*:0;127.0.0.1:5555",
                                           "tcp://lo:0;127.0.0.1:5555"};

static bool is_connect_only(const char *endpoint) {
    for (size_t i = 0; i < sizeof connect_only / sizeof *connect_only; i++) {
        if (strcmp(endpoint, connect_only[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void try_all(void *context, int type, bool bind, bool six) {
    SECTION("%s on %s%s", bind ? "bind" : "connect", type_names[type], six ? " with IPV6" : "");
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
        if (bind && is_connect_only(endpoints[i])) {
            continue;
        }
        void *socket = open_socket(context, type);
        set_int(socket, ZMQ_IPV6, six);
        int result = bind ? zmq_bind(socket, endpoints[i]) : zmq_connect(socket, endpoints[i]);
        printf("\"%s\" -> %s\n", endpoints[i], result == -1 ? errno_name(zmq_errno()) : "ok");
        show_last_endpoint("  last endpoint", socket);
        zmq_close(socket);
    }
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int bind = 0; bind < 2; bind++) {
        try_all(context, ZMQ_PAIR, bind, false);
        try_all(context, ZMQ_SUB, bind, false);
        try_all(context, ZMQ_DEALER, bind, true);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
