// SPDX-License-Identifier: MPL-2.0
//
// A job that uses czmq as programs do. Its words on stdout are the same on every libzmq. At the end the tests
// that czmq's library itself holds for its classes (NAME_test), each of which ends the process when it fails.
#include "library.h"

#include <czmq.h>

enum { PATIENCE_MS = 5000, QUIET_MS = 200 };

static void show(const char *what, char *text) {
    printf("%s: %s\n", what, text ? text : "nothing");
    zstr_free(&text);
}

static zsock_t *new_socket(int type) {
    zsock_t *socket = zsock_new(type);
    assert(socket);
    zsock_set_rcvtimeo(socket, PATIENCE_MS);
    return socket;
}

static void connect_to(zsock_t *socket, zsock_t *bound) {
    assert(zsock_connect(socket, "%s", zsock_endpoint(bound)) == 0);
}

/* A pair of sockets over tcp, the second one connected to the first. */
static void join(int first_type, int second_type, zsock_t **first, zsock_t **second) {
    *first = new_socket(first_type);
    *second = new_socket(second_type);
    assert(zsock_bind(*first, "tcp://127.0.0.1:*") > 0);
    connect_to(*second, *first);
}

static void messages(void) {
    zsock_t *pull, *push;
    join(ZMQ_PULL, ZMQ_PUSH, &pull, &push);
    zsock_send(push, "is8bz", -7, "text", (uint64_t)1 << 40, "bytes", (size_t)5);
    int number;
    char *text;
    uint64_t large;
    byte *data;
    size_t size;
    zsock_recv(pull, "is8bz", &number, &text, &large, &data, &size);
    printf("picture: %d %s %llu %zu %.*s\n", number, text, (unsigned long long)large, size, (int)size,
           (char *)data);
    zstr_free(&text);
    free(data);
    zmsg_t *message = zmsg_new();
    zmsg_addstr(message, "head");
    zmsg_addmem(message, "", 0);
    zframe_t *big = zframe_new(NULL, 300000);
    memset(zframe_data(big), 'x', zframe_size(big));
    zmsg_append(message, &big);
    zmsg_send(&message, push);
    message = zmsg_recv(pull);
    printf("message: %zu frames, %zu bytes\n", zmsg_size(message), zmsg_content_size(message));
    show("first", zmsg_popstr(message));
    zframe_t *encoded = zmsg_encode(message);
    zmsg_t *again = zmsg_decode(encoded);
    printf("encoded: %zu bytes, same %d\n", zframe_size(encoded), zmsg_eq(message, again));
    zframe_destroy(&encoded);
    zmsg_destroy(&again);
    zmsg_destroy(&message);
    zsock_destroy(&push);
    zsock_destroy(&pull);
}

static void shouting_actor(zsock_t *pipe, void *unused) {
    (void)unused;
    zsock_signal(pipe, 0);
    for (;;) {
        char *text = zstr_recv(pipe);
        if (!text || streq(text, "$TERM")) {
            zstr_free(&text);
            return;
        }
        zstr_sendf(pipe, "%s!", text);
        zstr_free(&text);
    }
}

static void actors(void) {
    zactor_t *actor = zactor_new(shouting_actor, NULL);
    zstr_send(actor, "hello");
    show("actor", zstr_recv(actor));
    zactor_destroy(&actor);
    printf("actor: %s\n", actor ? "alive" : "gone");
}

/* Shows which messages get from the client to the server under the mechanism that both were given. */
static void try_security(const char *what, zsock_t *server, zsock_t *client, int patience_ms) {
    assert(zsock_bind(server, "tcp://127.0.0.1:*") > 0);
    connect_to(client, server);
    zsock_set_sndtimeo(client, 0); /* one that has been refused already has nowhere to send */
    zstr_send(client, "sealed");
    zsock_set_rcvtimeo(server, patience_ms);
    zframe_t *frame = zframe_recv(server);
    if (frame) {
        const char *user = zframe_meta(frame, "User-Id");
        printf("%s: %.*s, user id of %zu characters\n", what, (int)zframe_size(frame),
               (char *)zframe_data(frame), user ? strlen(user) : 0);
    } else {
        printf("%s: refused\n", what);
    }
    zframe_destroy(&frame);
    zsock_set_linger(client, 0);
    zsock_destroy(&client);
    zsock_destroy(&server);
}

static void command(zactor_t *actor, const char *name, const char *value, const char *more) {
    if (more) {
        zstr_sendx(actor, name, value, more, NULL);
    } else {
        zstr_sendx(actor, name, value, NULL);
    }
    zsock_wait(actor);
}

static void plain_client(const char *what, const char *password, int patience_ms) {
    zsock_t *server = new_socket(ZMQ_PULL);
    zsock_t *client = new_socket(ZMQ_PUSH);
    zsock_set_zap_domain(server, "global");
    zsock_set_plain_server(server, 1);
    zsock_set_plain_username(client, "admin");
    zsock_set_plain_password(client, password);
    try_security(what, server, client, patience_ms);
}

static void curve_client(const char *what, zcert_t *server_cert, zcert_t *client_cert, int patience_ms) {
    zsock_t *server = new_socket(ZMQ_PULL);
    zsock_t *client = new_socket(ZMQ_PUSH);
    zsock_set_zap_domain(server, "global");
    zcert_apply(server_cert, server);
    zsock_set_curve_server(server, 1);
    zcert_apply(client_cert, client);
    zsock_set_curve_serverkey(client, zcert_public_txt(server_cert));
    try_security(what, server, client, patience_ms);
}

static void security(void) {
    FILE *passwords = fopen("passwords", "w");
    fputs("admin=right\n", passwords);
    fclose(passwords);
    zactor_t *auth = zactor_new(zauth, NULL);
    command(auth, "PLAIN", "passwords", NULL);
    plain_client("plain, right password", "right", PATIENCE_MS);
    plain_client("plain, wrong password", "wrong", QUIET_MS);
    zcert_t *server = zcert_new(), *known = zcert_new(), *stranger = zcert_new();
    zsys_dir_create("certificates");
    zcert_set_meta(known, "name", "known");
    zcert_save_public(known, "certificates/known.txt");
    command(auth, "CURVE", "certificates", NULL);
    curve_client("curve, known", server, known, PATIENCE_MS);
    curve_client("curve, stranger", server, stranger, QUIET_MS);
    command(auth, "CURVE", CURVE_ALLOW_ANY, NULL);
    curve_client("curve, anybody", server, stranger, PATIENCE_MS);
    zactor_destroy(&auth);
    zcert_t *loaded = zcert_load("certificates/known.txt");
    printf("certificate: named %s, public part same %d\n", zcert_meta(loaded, "name"),
           streq(zcert_public_txt(loaded), zcert_public_txt(known)));
    zcert_destroy(&loaded);
    zcert_destroy(&server);
    zcert_destroy(&known);
    zcert_destroy(&stranger);
}

static void proxy(void) {
    zsock_t *capture = zsock_new_pull("inproc://captured");
    zsock_set_rcvtimeo(capture, PATIENCE_MS);
    zactor_t *actor = zactor_new(zproxy, NULL);
    command(actor, "FRONTEND", "PULL", "inproc://front");
    command(actor, "BACKEND", "PUSH", "inproc://back");
    command(actor, "CAPTURE", "inproc://captured", NULL);
    zsock_t *push = zsock_new_push("inproc://front");
    zsock_t *pull = zsock_new_pull(">inproc://back");
    zsock_set_rcvtimeo(pull, PATIENCE_MS);
    zstr_send(push, "through");
    show("proxy", zstr_recv(pull));
    show("captured", zstr_recv(capture));
    zstr_send(actor, "PAUSE");
    zsock_wait(actor);
    zstr_send(push, "held");
    zsock_set_rcvtimeo(pull, QUIET_MS);
    show("paused", zstr_recv(pull));
    zstr_send(actor, "RESUME");
    zsock_wait(actor);
    zsock_set_rcvtimeo(pull, PATIENCE_MS);
    show("resumed", zstr_recv(pull));
    zactor_destroy(&actor);
    zsock_destroy(&push);
    zsock_destroy(&pull);
    zsock_destroy(&capture);
}

/* The speaker's and the listener's beacon find each other where the machine has an interface for it. */
static void beacon(void) {
    zactor_t *speaker = zactor_new(zbeacon, NULL), *listener = zactor_new(zbeacon, NULL);
    zactor_t *both[] = {speaker, listener};
    bool able = true;
    for (int i = 0; i < 2; i++) {
        zsock_send(both[i], "si", "CONFIGURE", 39123);
        char *host = zstr_recv(both[i]);
        able = able && host && *host;
        zstr_free(&host);
    }
    if (able) {
        zsock_send(listener, "sb", "SUBSCRIBE", "Z", (size_t)1);
        zsock_send(speaker, "sbi", "PUBLISH", "Zlighthouse", (size_t)11, 100);
        zsock_set_rcvtimeo(listener, PATIENCE_MS);
        zmsg_t *heard = zmsg_recv(listener);
        zmsg_first(heard);
        zframe_t *frame = heard ? zmsg_next(heard) : NULL;
        printf("beacon: %.*s\n", frame ? (int)zframe_size(frame) : 0,
               frame ? (char *)zframe_data(frame) : "");
        zmsg_destroy(&heard);
    } else {
        printf("beacon: no interface\n");
    }
    zactor_destroy(&speaker);
    zactor_destroy(&listener);
}

static int on_timer(zloop_t *loop, int timer, void *push) {
    (void)loop;
    (void)timer;
    return zstr_send(push, "tick");
}

static int on_message(zloop_t *loop, zsock_t *reader, void *count) {
    (void)loop;
    show("loop", zstr_recv(reader));
    return ++*(int *)count == 3 ? -1 : 0;
}

static void reactors(void) {
    zsock_t *pull, *push, *idle_pull, *idle_push;
    join(ZMQ_PULL, ZMQ_PUSH, &pull, &push);
    join(ZMQ_PULL, ZMQ_PUSH, &idle_pull, &idle_push);
    int count = 0;
    zloop_t *loop = zloop_new();
    zloop_timer(loop, 5, 3, on_timer, push);
    zloop_reader(loop, pull, on_message, &count);
    zloop_start(loop);
    zloop_destroy(&loop);
    zpoller_t *poller = zpoller_new(idle_pull, pull, NULL);
    printf("poller: quiet %d", zpoller_wait(poller, 20) == NULL);
    printf(", expired %d, terminated %d\n", zpoller_expired(poller), zpoller_terminated(poller));
    zstr_send(push, "polled");
    printf("poller: the right one %d\n", zpoller_wait(poller, PATIENCE_MS) == pull);
    show("polled", zstr_recv(pull));
    zpoller_remove(poller, pull);
    zstr_send(idle_push, "x");
    printf("poller: the other one %d\n", zpoller_wait(poller, PATIENCE_MS) == idle_pull);
    zpoller_destroy(&poller);
    zsock_destroy(&push);
    zsock_destroy(&pull);
    zsock_destroy(&idle_push);
    zsock_destroy(&idle_pull);
}

static void watch(void) {
    zsock_t *server = new_socket(ZMQ_ROUTER);
    zactor_t *monitor = zactor_new(zmonitor, server);
    zsock_set_rcvtimeo(monitor, PATIENCE_MS);
    zstr_sendx(monitor, "LISTEN", "LISTENING", "ACCEPTED", "HANDSHAKE_SUCCEEDED", "DISCONNECTED", "CLOSED",
               NULL);
    command(monitor, "START", NULL, NULL);
    zsock_bind(server, "tcp://127.0.0.1:*");
    zsock_t *client = new_socket(ZMQ_DEALER);
    zsock_set_identity(client, "client");
    connect_to(client, server);
    zstr_send(client, "question");
    zmsg_t *question = zmsg_recv(server);
    zmsg_send(&question, server);
    show("routed back", zstr_recv(client));
    zsock_destroy(&client);
    for (int i = 0; i < 4; i++) {
        zmsg_t *event = zmsg_recv(monitor);
        show("event", event ? zmsg_popstr(event) : NULL);
        zmsg_destroy(&event);
    }
    zactor_destroy(&monitor);
    zsock_destroy(&server);
}

static void subscriptions(void) {
    zsock_t *pub = new_socket(ZMQ_XPUB), *sub = new_socket(ZMQ_SUB);
    assert(zsock_bind(pub, "tcp://127.0.0.1:*") > 0);
    zsock_set_subscribe(sub, "wanted");
    connect_to(sub, pub);
    zframe_t *subscription = zframe_recv(pub);
    printf("subscription: %d %.*s\n", zframe_data(subscription)[0], (int)zframe_size(subscription) - 1,
           (char *)zframe_data(subscription) + 1);
    zframe_destroy(&subscription);
    zstr_send(pub, "unwanted");
    zstr_send(pub, "wanted 1");
    show("published", zstr_recv(sub));
    zsock_destroy(&sub);
    zsock_destroy(&pub);
}

#define CLASS(name)                                                                                          \
    { #name, name##_test }
static const struct {
    const char *name;
    void (*test)(bool verbose);
} classes[] = {
    CLASS(zframe),  CLASS(zmsg),       CLASS(zstr),    CLASS(zsock),   CLASS(zactor), CLASS(zloop),
    CLASS(zpoller), CLASS(zproxy),     CLASS(zcert),   CLASS(zarmour), CLASS(zauth),  CLASS(zmonitor),
    CLASS(zbeacon), CLASS(zcertstore), CLASS(zgossip), CLASS(zuuid),   CLASS(zsys),
};

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    zsys_set_logstream(stderr);
    tell_library();
    messages();
    actors();
    security();
    proxy();
    beacon();
    reactors();
    watch();
    subscriptions();
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        printf("-- czmq's own test of %s\n", classes[i].name);
        classes[i].test(false);
    }
    return 0;
}
