// SPDX-License-Identifier: MPL-2.0
//
// NULL, PLAIN and CURVE with an authenticator (ZAP): what it is asked, and what becomes of its answers.
#include "security.h"

static void answer(void *handler, const char *const *frames, size_t metadata_size) {
    for (int i = 0; frames[i]; i++) {
        bool last = !frames[i + 1];
        size_t size = last && metadata_size ? metadata_size : strlen(frames[i]);
        MUST(zmq_send(handler, frames[i], size, last ? 0 : ZMQ_SNDMORE));
    }
}

static void show_properties(void *socket) {
    static const char *const names[] = {"User-Id", "role",         "X-own",    "Socket-Type",
                                        "user-id", "Peer-Address", "Identity", "X-other"};
    zmq_msg_t message;
    zmq_msg_init(&message);
    MUST(zmq_msg_recv(&message, socket, 0));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = zmq_msg_gets(&message, names[i]);
        printf("  \"%s\": %s%s%s\n", names[i], value ? "\"" : "", value ? value : "none", value ? "\"" : "");
    }
    zmq_msg_close(&message);
}

/* One handshake with that answer; what the client hears is told where it does not depend on the moment. */
static void ask(enum mechanism chosen, const char *what, const char *const *frames, size_t metadata_size,
                bool client_hears) {
    printf("%s, %s\n", mechanism_names[chosen], what);
    void *context = zmq_ctx_new();
    void *handler = open_socket(context, ZMQ_REP);
    MUST(zmq_bind(handler, "inproc://zeromq.zap.01"));
    void *server = open_socket(context, ZMQ_PULL);
    serve_with(server, chosen);
    MUST(set_text(server, ZMQ_ZAP_DOMAIN, "domain"));
    MUST(set_text(server, ZMQ_ROUTING_ID, "server"));
    void *of_server = watch_handshakes(context, server);
    void *client = open_socket(context, ZMQ_PUSH);
    call_with(client, chosen);
    MUST(set_text(client, ZMQ_ROUTING_ID, "client"));
    MUST(set_text(client, 95, "X-own:mine"));
    MUST(set_int(client, ZMQ_RECONNECT_IVL, 60000));
    void *of_client = watch_handshakes(context, client);
    join(server, client, "tcp");
    expect("asked", handler);
    answer(handler, frames, metadata_size);
    expect_handshake("server", of_server);
    if (client_hears) {
        expect_handshake("client", of_client);
    }
    if (strcmp(frames[2], "200") == 0 && client_hears) {
        MUST(zmq_send(client, "hello", 5, 0));
        show_properties(server);
    }
    zmq_close(client);
    zmq_close(server);
    zmq_close(of_server);
    zmq_close(of_client);
    zmq_close(handler);
    SHOW(zmq_ctx_term(context));
}

static void all_answers(enum mechanism chosen) {
    SECTION("answers under %s", mechanism_names[chosen]);
    static const char role[] = "\4role\0\0\0\5admin\5X-own\0\0\0\5other";
    ask(chosen, "200", (const char *const[]){"1.0", "1", "200", "OK", "joe", role, NULL}, sizeof role - 1,
        true);
    ask(chosen, "200, nobody", (const char *const[]){"1.0", "1", "200", "", "", "", NULL}, 0, true);
    ask(chosen, "300", (const char *const[]){"1.0", "1", "300", "later", "", "", NULL}, 0, false);
    ask(chosen, "400", (const char *const[]){"1.0", "1", "400", "no", "", "", NULL}, 0, true);
    ask(chosen, "500", (const char *const[]){"1.0", "1", "500", "oh", "", "", NULL}, 0, true);
    ask(chosen, "201", (const char *const[]){"1.0", "1", "201", "", "", "", NULL}, 0, false);
    ask(chosen, "empty status", (const char *const[]){"1.0", "1", "", "", "", "", NULL}, 0, false);
    ask(chosen, "version", (const char *const[]){"1.1", "1", "200", "", "", "", NULL}, 0, false);
    ask(chosen, "request id", (const char *const[]){"1.0", "2", "200", "", "", "", NULL}, 0, false);
    ask(chosen, "five frames", (const char *const[]){"1.0", "1", "200", "", "", NULL}, 0, false);
    ask(chosen, "seven frames", (const char *const[]){"1.0", "1", "200", "", "", "", "", NULL}, 0, false);
    ask(chosen, "metadata", (const char *const[]){"1.0", "1", "200", "", "", "\377abc", NULL}, 0, false);
}

static void nobody_to_ask(enum mechanism chosen, const char *domain, bool enforced) {
    printf("%s, domain \"%s\"%s\n", mechanism_names[chosen], domain, enforced ? ", enforced" : "");
    void *context = zmq_ctx_new();
    void *server = open_socket(context, ZMQ_PULL);
    serve_with(server, chosen);
    if (*domain) {
        MUST(set_text(server, ZMQ_ZAP_DOMAIN, domain));
    }
    MUST(set_int(server, 93, enforced));
    void *of_server = watch_handshakes(context, server);
    void *client = open_socket(context, ZMQ_PUSH);
    call_with(client, chosen);
    MUST(set_int(client, ZMQ_RECONNECT_IVL, 60000));
    join(server, client, "tcp");
    expect_handshake("server", of_server);
    zmq_close(client);
    zmq_close(server);
    zmq_close(of_server);
    SHOW(zmq_ctx_term(context));
}

static void strangers(enum mechanism of_server, enum mechanism of_client, bool wrong_key) {
    printf("server with %s, client with %s%s\n", mechanism_names[of_server], mechanism_names[of_client],
           wrong_key ? " and another server's key" : "");
    void *context = zmq_ctx_new();
    void *server = open_socket(context, ZMQ_PULL);
    serve_with(server, of_server);
    void *monitor = watch_handshakes(context, server);
    void *client = open_socket(context, ZMQ_PUSH);
    call_with(client, of_client);
    if (wrong_key) {
        MUST(set_text(client, ZMQ_CURVE_SERVERKEY, client_public));
    }
    /* The message waits before there is a server: a client that has given its peer up takes none. */
    char endpoint[ENDPOINT_SIZE];
    unused_endpoint("tcp", endpoint);
    MUST(set_int(client, ZMQ_RECONNECT_IVL, 20));
    MUST(zmq_connect(client, endpoint));
    MUST(zmq_send(client, "secret", 6, 0));
    MUST(zmq_bind(server, endpoint));
    expect_handshake("server", monitor);
    expect_none("server", server);
    zmq_close(client);
    zmq_close(server);
    zmq_close(monitor);
    SHOW(zmq_ctx_term(context));
}

int main(void) {
    start();
    for (int chosen = 0; chosen < MECHANISMS; chosen++) {
        all_answers((enum mechanism)chosen);
    }
    SECTION("nobody to ask");
    for (int chosen = 0; chosen < MECHANISMS; chosen++) {
        nobody_to_ask((enum mechanism)chosen, "", false);
        nobody_to_ask((enum mechanism)chosen, "domain", false);
        nobody_to_ask((enum mechanism)chosen, "domain", true);
        if (chosen != WITH_PLAIN) { /* libzmq 4.3.4 ends the process there */
            nobody_to_ask((enum mechanism)chosen, "", true);
        }
    }
    SECTION("strangers");
    strangers(WITH_CURVE, WITH_CURVE, true);
    strangers(WITH_CURVE, WITH_NULL, false);
    strangers(WITH_CURVE, WITH_PLAIN, false);
    strangers(WITH_PLAIN, WITH_NULL, false);
    strangers(WITH_NULL, WITH_CURVE, false);
    return 0;
}
