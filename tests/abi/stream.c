// SPDX-License-Identifier: MPL-2.0
//
// STREAM: connections of plain tcp, in both directions; notifications, closing, ids.
#include "events.h"
#include "plain.h"

enum { BIG = 4 << 20 };

static void bound(void *context) {
    SECTION("bound");
    char endpoint[ENDPOINT_SIZE];
    peer_id id, other;
    void *stream = open_socket(context, ZMQ_STREAM);
    printf("events of a new one: %s\n", events_text(events_of(stream)));
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", stream, &id);
    MUST(send(peer, "hello", 5, 0));
    take("data", stream, &other);
    printf("same id: %d\n", id.size == other.size && memcmp(id.bytes, other.bytes, id.size) == 0);
    give("reply", stream, &id, "world", 0);
    plain_expect("reply", stream, peer, "world");
    give("with more", stream, &id, "one", ZMQ_SNDMORE);
    give("again", stream, &id, "two", 0);
    plain_expect("both", stream, peer, "onetwo");
    printf("events: %s\n", events_text(events_of(stream)));

    int second = plain_connect(endpoint);
    take("second", stream, &other);
    printf("same id: %d\n", id.size == other.size && memcmp(id.bytes, other.bytes, id.size) == 0);
    MUST(send(second, "me", 2, 0));
    take("second's data", stream, &other);
    close(second);
    take("second left", stream, &other);
    settle();
    events_of(stream);
    give("to who left", stream, &other, "x", 0);

    give("goodbye", stream, &id, "bye", 0);
    give("close", stream, &id, "", 0);
    plain_expect("goodbye", stream, peer, "bye");
    plain_end("close", stream, peer);
    expect_none("of its own closing", stream);
    give("to who was closed", stream, &id, "x", 0);
    zmq_close(stream);
}

static void unknown(void *context) {
    SECTION("unknown peers");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    const peer_id nobody = {"nobody", 6};
    const peer_id none = {"", 0};
    void *stream = open_socket(context, ZMQ_STREAM);
    give("without peers", stream, &nobody, "x", 0);
    give("without peers", stream, &nobody, "x", ZMQ_DONTWAIT);
    give("empty id", stream, &none, "x", 0);
    SHOW(zmq_send(stream, "nobody", 6, 0));
    SHOW(zmq_send(stream, "body", 4, 0));
    SHOW(zmq_recv(stream, NULL, 0, ZMQ_DONTWAIT));
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", stream, &id);
    give("unknown beside known", stream, &nobody, "x", 0);
    printf("id without more -> %d\n", zmq_send(stream, id.bytes, id.size, 0) == (int)id.size);
    SHOW(zmq_send(stream, "goes to nobody", 14, 0));
    give("then", stream, &id, "y", 0);
    plain_expect("then", stream, peer, "y");
    close(peer);
    zmq_close(stream);
}

static void silent(void *context) {
    SECTION("without notifications");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    void *stream = open_socket(context, ZMQ_STREAM);
    SHOW(set_int(stream, ZMQ_STREAM_NOTIFY, 0));
    SHOW(set_int(stream, ZMQ_STREAM_NOTIFY, 2));
    SHOW(get_int(stream, ZMQ_STREAM_NOTIFY) != 0 ? -1 : 0);
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    expect_none("connected", stream);
    MUST(send(peer, "hello", 5, 0));
    take("data", stream, &id);
    give("reply", stream, &id, "world", 0);
    plain_expect("reply", stream, peer, "world");
    close(peer);
    expect_none("left", stream);
    settle();
    events_of(stream);
    give("to who left", stream, &id, "x", 0);
    zmq_close(stream);
}

static void connecting(void *context) {
    SECTION("connecting");
    char endpoint[ENDPOINT_SIZE], made[ID_SIZE];
    size_t size = sizeof made;
    peer_id id;
    int listener = plain_listen(endpoint);
    void *stream = open_socket(context, ZMQ_STREAM);
    SHOW(zmq_connect(stream, endpoint));
    SHOW(zmq_getsockopt(stream, ZMQ_ROUTING_ID, made, &size));
    printf("ROUTING_ID has %zu bytes\n", size);
    int peer = accept(listener, NULL, NULL);
    MUST(peer);
    take("connected", stream, &id);
    printf("it is the ROUTING_ID: %d\n", size == id.size && memcmp(made, id.bytes, size) == 0);
    give("to it", stream, &id, "hello", 0);
    plain_expect("to it", stream, peer, "hello");
    MUST(send(peer, "world", 5, 0));
    take("from it", stream, &id);
    close(peer);
    take("left", stream, &id);
    settle();
    events_of(stream);
    give("to who left", stream, &id, "x", 0);
    struct pollfd item = {listener, POLLIN, 0};
    printf("connects again: %d\n", poll(&item, 1, 500 * time_factor()));
    close(listener);
    zmq_close(stream);
}

static void named(void *context) {
    SECTION("named by CONNECT_ROUTING_ID");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    const peer_id mine = {"server", 6};
    int listener = plain_listen(endpoint);
    void *stream = open_socket(context, ZMQ_STREAM);
    SHOW(set_text(stream, ZMQ_CONNECT_ROUTING_ID, "server"));
    SHOW(zmq_connect(stream, endpoint));
    give("at once", stream, &mine, "early", 0);
    int peer = accept(listener, NULL, NULL);
    MUST(peer);
    plain_expect("at once", stream, peer, "early");
    take("connected", stream, &id);
    give("later", stream, &mine, "late", 0);
    plain_expect("later", stream, peer, "late");
    SHOW(zmq_connect(stream, endpoint));
    int second = accept(listener, NULL, NULL);
    MUST(second);
    take("second", stream, &id);
    give("close", stream, &mine, "", 0);
    plain_end("close", stream, peer);
    MUST(send(second, "still here", 10, 0));
    take("second", stream, &id);
    SHOW(zmq_disconnect(stream, endpoint));
    plain_end("disconnected", stream, second);
    expect_none("disconnected", stream);
    close(listener);
    zmq_close(stream);
}

static void both(void *context) {
    SECTION("STREAM to STREAM");
    char endpoint[ENDPOINT_SIZE];
    peer_id here, there;
    void *server = open_socket(context, ZMQ_STREAM);
    void *client = open_socket(context, ZMQ_STREAM);
    join_at(server, client, "tcp", endpoint);
    take("server", server, &here);
    take("client", client, &there);
    give("client", client, &there, "hello", 0);
    take("server", server, &here);
    give("server", server, &here, "world", 0);
    take("client", client, &there);
    SHOW(zmq_disconnect(client, endpoint));
    settle();
    events_of(client);
    take("server", server, &here);
    zmq_close(client);
    SHOW(zmq_unbind(server, endpoint));
    zmq_close(server);
}

/* The connection that is made again has the id of the first. */
static void again(void *context) {
    SECTION("connected again");
    char endpoint[ENDPOINT_SIZE];
    peer_id first, id;
    int listener = plain_listen(endpoint);
    void *stream = open_socket(context, ZMQ_STREAM);
    MUST(set_int(stream, ZMQ_RECONNECT_IVL, 20));
    MUST(zmq_connect(stream, endpoint));
    int peer = accept(listener, NULL, NULL);
    take("connected", stream, &first);
    close(peer);
    take("left", stream, &id);
    peer = accept(listener, NULL, NULL);
    take("connected", stream, &id);
    printf("same id: %d\n", id.size == first.size && memcmp(id.bytes, first.bytes, id.size) == 0);
    give("to it", stream, &first, "hello", 0);
    plain_expect("to it", stream, peer, "hello");
    give("close", stream, &first, "", 0);
    plain_end("close", stream, peer);
    struct pollfd item = {listener, POLLIN, 0};
    printf("connects again: %d\n", poll(&item, 1, QUIET_MS * time_factor()));
    SHOW(zmq_disconnect(stream, endpoint));
    close(listener);
    zmq_close(stream);
}

/* Bytes that came before the end are delivered before the news of it. */
static void endings(void *context) {
    SECTION("endings");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    void *stream = open_socket(context, ZMQ_STREAM);
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    MUST(send(peer, "last words", 10, 0));
    close(peer);
    take("connected", stream, &id);
    take("words", stream, &id);
    take("left", stream, &id);
    peer = plain_connect(endpoint);
    take("connected", stream, &id);
    MUST(shutdown(peer, SHUT_WR));
    take("shut down", stream, &id);
    settle();
    events_of(stream);
    give("to it", stream, &id, "x", 0);
    plain_end("shut down", stream, peer);
    peer = plain_connect(endpoint);
    take("connected", stream, &id);
    SHOW(zmq_unbind(stream, endpoint));
    plain_end("unbound", stream, peer);
    expect_none("unbound", stream);
    zmq_close(stream);
}

static void pieces(void *context) {
    SECTION("pieces");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    void *stream = open_socket(context, ZMQ_STREAM);
    MUST(set_int(stream, ZMQ_HANDSHAKE_IVL, 50));
    MUST(set_int(stream, ZMQ_HEARTBEAT_IVL, 20));
    MUST(set_int(stream, ZMQ_HEARTBEAT_TIMEOUT, 40));
    const int64_t limit = 4;
    MUST(zmq_setsockopt(stream, ZMQ_MAXMSGSIZE, &limit, sizeof limit));
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", stream, &id);
    char *body = calloc(1, 100000);
    MUST(send(peer, body, 100000, 0));
    int total = 0, longest = 0;
    while (total < 100000) {
        zmq_recv(stream, NULL, 0, 0);
        int size = zmq_recv(stream, NULL, 0, 0);
        MUST(size);
        total += size;
        longest = size > longest ? size : longest;
    }
    printf("%d bytes, in pieces of up to 8192: %d\n", total, longest <= 8192);
    expect_none("no limit of time or size", stream);
    give("reply", stream, &id, "ok", 0);
    plain_expect("reply", stream, peer, "ok");
    free(body);
    close(peer);
    zmq_close(stream);
}

static void full(void *context) {
    SECTION("a peer that does not read");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    void *stream = open_socket(context, ZMQ_STREAM);
    MUST(set_int(stream, ZMQ_SNDHWM, 4));
    MUST(set_int(stream, ZMQ_SNDTIMEO, 100));
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", stream, &id);
    char *body = calloc(1, BIG);
    int sent = 0, code = 0;
    while (sent < 100 && code == 0) {
        if (zmq_send(stream, id.bytes, id.size, ZMQ_SNDMORE) == -1 || zmq_send(stream, body, BIG, 0) == -1) {
            code = zmq_errno();
        } else {
            sent++;
        }
    }
    printf("sent some: %d, then %s\n", sent >= 4 && sent < 100, errno_name(code));
    printf("events: %s\n", events_text(events_of(stream)));
    free(body);
    close(peer);
    zmq_close(stream);
}

static void properties(void *context) {
    SECTION("properties of messages");
    char endpoint[ENDPOINT_SIZE];
    void *stream = open_socket(context, ZMQ_STREAM);
    MUST(bind_any(stream, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    for (int frame = 0; frame < 2; frame++) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        MUST(zmq_msg_recv(&message, stream, 0));
        static const char *const names[] = {"Peer-Address", "Socket-Type", "Identity", "Routing-Id",
                                            "User-Id"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const char *value = zmq_msg_gets(&message, names[i]);
            printf("frame %d, %s: %s\n", frame, names[i], value ? value : errno_name(zmq_errno()));
        }
        printf("frame %d, descriptor: %d\n", frame, zmq_msg_get(&message, ZMQ_SRCFD) > 0);
        zmq_msg_close(&message);
    }
    close(peer);
    zmq_close(stream);
}

static void events(void *context) {
    SECTION("events");
    char endpoint[ENDPOINT_SIZE];
    peer_id id;
    void *server = open_socket(context, ZMQ_STREAM);
    void *watcher = watch(context, server, ZMQ_EVENT_ALL);
    MUST(bind_any(server, "tcp", endpoint));
    int peer = plain_connect(endpoint);
    take("connected", server, &id);
    show_event("server", watcher);
    show_event("server", watcher);
    close(peer);
    take("left", server, &id);
    show_event("server", watcher);
    show_event("server", watcher);
    show_no_event("server", watcher);
    MUST(zmq_socket_monitor(server, NULL, 0));
    zmq_close(watcher);

    void *client = open_socket(context, ZMQ_STREAM);
    watcher = watch(context, client, ZMQ_EVENT_ALL);
    MUST(zmq_connect(client, endpoint));
    take("connected", client, &id);
    show_event("client", watcher);
    show_event("client", watcher);
    give("close", client, &id, "", 0);
    settle();
    events_of(client);
    show_no_event("client", watcher);
    MUST(zmq_socket_monitor(client, NULL, 0));
    zmq_close(watcher);
    zmq_close(client);
    zmq_close(server);
}

static void elsewhere(void *context) {
    SECTION("other transports");
    void *stream = open_socket(context, ZMQ_STREAM);
    SHOW(zmq_bind(stream, "ipc://@zlink-abi-stream"));
    SHOW(zmq_bind(stream, "inproc://stream"));
    SHOW(zmq_connect(stream, "udp://127.0.0.1:5555"));
    zmq_close(stream);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    bound(context);
    unknown(context);
    silent(context);
    connecting(context);
    named(context);
    both(context);
    again(context);
    endings(context);
    pieces(context);
    full(context);
    properties(context);
    events(context);
    elsewhere(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
