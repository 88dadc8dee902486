// SPDX-License-Identifier: MPL-2.0
//
// TCP_ACCEPT_FILTER and the IPC filters: who is let in.
#include "support.h"

#include <sys/types.h>

static void deliver(void *context, void *pull, const char *transport, const char *label) {
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_RECONNECT_IVL, 20));
    join(pull, push, transport);
    MUST(zmq_send(push, "hello", 5, 0));
    expect_none(label, pull);
    zmq_close(push);
    zmq_close(pull);
}

static void tcp(void *context) {
    SECTION("tcp");
    static const char *const lists[][3] = {{NULL},
                                           {"127.0.0.1", NULL},
                                           {"127.0.0.0/8", NULL},
                                           {"0.0.0.0/0", NULL},
                                           {"10.0.0.0/8", NULL},
                                           {"127.0.0.2/32", NULL},
                                           {"10.0.0.0/8", "127.0.0.1/31", NULL}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        void *pull = open_socket(context, ZMQ_PULL);
        char label[64] = "filters";
        for (int k = 0; k < 3 && lists[i][k]; k++) {
            MUST(set_text(pull, ZMQ_TCP_ACCEPT_FILTER, lists[i][k]));
            strcat(strcat(label, " "), lists[i][k]);
        }
        deliver(context, pull, "tcp", label);
    }
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_text(pull, ZMQ_TCP_ACCEPT_FILTER, "10.0.0.0/8"));
    MUST(zmq_setsockopt(pull, ZMQ_TCP_ACCEPT_FILTER, NULL, 0));
    deliver(context, pull, "tcp", "cleared");
}

static void ipc(void *context, const char *name, int option, int own) {
    SECTION("ipc, %s", name);
    void *pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, option, own));
    deliver(context, pull, "ipc", "own");
    pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, option, own + 1));
    deliver(context, pull, "ipc", "other");
    pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, option, own + 1));
    MUST(set_int(pull, option, own));
    deliver(context, pull, "ipc", "other and own");
    pull = open_socket(context, ZMQ_PULL);
    MUST(set_int(pull, option, own + 1));
    MUST(zmq_setsockopt(pull, option, NULL, 0));
    deliver(context, pull, "ipc", "cleared");
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    tcp(context);
    ipc(context, "process", ZMQ_IPC_FILTER_PID, (int)getpid());
    ipc(context, "user", ZMQ_IPC_FILTER_UID, (int)getuid());
    ipc(context, "group", ZMQ_IPC_FILTER_GID, (int)getgid());
    SHOW(zmq_ctx_term(context));
    return 0;
}
