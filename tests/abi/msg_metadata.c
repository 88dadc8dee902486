// SPDX-License-Identifier: MPL-2.0
//
// zmq_msg_gets on received messages: what each transport and each pair of types gives, and properties of the
// application.
#include "support.h"

static const char *const names[] = {
    "Socket-Type", "Identity",    "Routing-Id", "User-Id", "Peer-Address", "X-app", "x-app",
    "X-other",     "socket-type", "Resource",   ""};

static void show_properties(zmq_msg_t *message) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        errno = 0;
        const char *value = zmq_msg_gets(message, names[i]);
        printf("  \"%s\": ", names[i]);
        if (value && strncmp(value, "localhost:", 10) == 0) {
            int user = -1, group = -1, process = -1;
            sscanf(value, "localhost:%d:%d:%d", &user, &group, &process);
            printf("localhost, own user %d, own group %d, own process %d\n", user == (int)getuid(),
                   group == (int)getgid(), process == (int)getpid());
        } else if (value) {
            printf("\"%s\"\n", value);
        } else {
            printf("%s\n", errno_name(zmq_errno()));
        }
    }
}

static void receive_and_show(void *socket) {
    zmq_msg_t message;
    int more = 1;
    for (int frame = 0; more; frame++) {
        zmq_msg_init(&message);
        MUST(zmq_msg_recv(&message, socket, 0));
        printf(" frame %d\n", frame);
        show_properties(&message);
        more = zmq_msg_more(&message);
        zmq_msg_t copy;
        zmq_msg_init(&copy);
        zmq_msg_copy(&copy, &message);
        zmq_msg_close(&message);
        const char *type = zmq_msg_gets(&copy, "Socket-Type");
        printf("  copy knows the type: %s\n", type ? type : "no");
        zmq_msg_close(&copy);
    }
}

static void exchange(int from_type, int to_type, const char *transport, bool sender_binds) {
    SECTION("%s to %s over %s, %s binds", type_names[from_type], type_names[to_type], transport,
            sender_binds ? "sender" : "receiver");
    void *context = zmq_ctx_new();
    void *from = open_socket(context, from_type);
    void *to = open_socket(context, to_type);
    set_text(from, ZMQ_ROUTING_ID, "sender");
    set_text(to, ZMQ_ROUTING_ID, "receiver");
    MUST(set_text(from, 95, "X-app:one"));
    MUST(set_text(from, 95, "X-other:two"));
    if (sender_binds) {
        join(from, to, transport);
    } else {
        join(to, from, transport);
    }
    MUST(send_text(from, "first|second", 0));
    receive_and_show(to);
    zmq_close(from);
    zmq_close(to);
    zmq_ctx_term(context);
}

int main(void) {
    start();
    for (int t = 0; t < TRANSPORTS; t++) {
        for (int binds = 0; binds < 2; binds++) {
            exchange(ZMQ_DEALER, ZMQ_ROUTER, transports[t], binds);
            exchange(ZMQ_PUSH, ZMQ_PULL, transports[t], binds);
            exchange(ZMQ_REQ, ZMQ_REP, transports[t], binds);
            exchange(ZMQ_PAIR, ZMQ_PAIR, transports[t], binds);
        }
    }
    return 0;
}
