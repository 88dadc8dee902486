// SPDX-License-Identifier: MPL-2.0
//
// SOCKS_PROXY: what the proxy hears, that messages pass it, and the events. (libzmq ends the process after
// some failures of the dialogue: those are not here.)
#include "events.h"
#include "plain.h"

typedef struct {
    int listener;
    int reply_type; /* of the address in the answer */
    bool asks_for_login;
    char heard[512]; /* all in hexadecimal, a blank between the steps */
} proxy;

static bool read_all(int descriptor, unsigned char *bytes, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t more = recv(descriptor, bytes + got, size - got, 0);
        if (more <= 0) {
            return false;
        }
        got += (size_t)more;
    }
    return true;
}

/* Reads and notes. */
static bool hear(proxy *self, int client, unsigned char *bytes, size_t size) {
    if (!read_all(client, bytes, size)) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        size_t length = strlen(self->heard);
        snprintf(self->heard + length, sizeof self->heard - length, "%02x", bytes[i]);
    }
    return true;
}

static void step(proxy *self) {
    size_t length = strlen(self->heard);
    snprintf(self->heard + length, sizeof self->heard - length, " ");
}

static bool login(proxy *self, int client) {
    unsigned char bytes[256];
    step(self);
    return hear(self, client, bytes, 2) && hear(self, client, bytes, bytes[1]) &&
           hear(self, client, bytes, 1) && hear(self, client, bytes, bytes[0]) &&
           send(client, "\x01\x00", 2, 0) == 2;
}

/* The port that the client asks for; the host is this one. -1: something went wrong. */
static int negotiate(proxy *self, int client) {
    unsigned char bytes[256], port[2];
    if (!hear(self, client, bytes, 2) || !hear(self, client, bytes, bytes[1]) ||
        send(client, self->asks_for_login ? "\x05\x02" : "\x05\x00", 2, 0) != 2 ||
        (self->asks_for_login && !login(self, client))) {
        return -1;
    }
    step(self);
    if (!hear(self, client, bytes, 4)) {
        return -1;
    }
    size_t size = bytes[3] == 1 ? 4 : 16;
    if (bytes[3] == 3) {
        if (!hear(self, client, bytes, 1)) {
            return -1;
        }
        size = bytes[0];
    }
    if (!hear(self, client, bytes, size) || !read_all(client, port, 2)) {
        return -1;
    }
    return port[0] << 8 | port[1];
}

static void answer(const proxy *self, int client) {
    const char *const answers[] = {"", "\x05\x00\x00\x01\0\0\0\0\0\0", "", "\x05\x00\x00\x03\x04host\0\0",
                                   "\x05\x00\x00\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"};
    const size_t sizes[] = {0, 10, 0, 11, 22};
    for (size_t i = 0; i < sizes[self->reply_type]; i++) { /* byte by byte */
        MUST(send(client, answers[self->reply_type] + i, 1, 0));
    }
}

static bool pass(int from, int to) {
    char bytes[4096];
    ssize_t size = recv(from, bytes, sizeof bytes, 0);
    return size > 0 && send(to, bytes, (size_t)size, MSG_NOSIGNAL) == size;
}

/* One connection, until one side ends it. */
static void *serve(void *argument) {
    proxy *self = argument;
    int client = accept(self->listener, NULL, NULL);
    int port = negotiate(self, client);
    if (port != -1) {
        char endpoint[ENDPOINT_SIZE];
        snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%d", port);
        int server = plain_connect(endpoint);
        answer(self, client);
        struct pollfd items[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        bool open = true;
        while (open && poll(items, 2, -1) > 0) {
            open = (!items[0].revents || pass(client, server)) && (!items[1].revents || pass(server, client));
        }
        close(server);
    }
    close(client);
    close(self->listener);
    return NULL;
}

typedef struct {
    const char *name, *host, *user, *password;
    bool ipv6, asks_for_login;
    int reply_type;
} run;

static void go(void *context, const run *one) {
    SECTION("%s", one->name);
    char endpoint[ENDPOINT_SIZE], text[ENDPOINT_SIZE + 64];
    proxy self = {.reply_type = one->reply_type, .asks_for_login = one->asks_for_login};
    self.listener = plain_listen(endpoint);
    pthread_t thread;
    pthread_create(&thread, NULL, serve, &self);
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    MUST(set_int(push, ZMQ_IPV6, one->ipv6));
    SHOW(set_text(push, ZMQ_SOCKS_PROXY, endpoint + strlen("tcp://")));
    if (one->user) {
        SHOW(set_text(push, ZMQ_SOCKS_USERNAME, one->user));
        SHOW(set_text(push, ZMQ_SOCKS_PASSWORD, one->password));
    }
    void *watcher = watch(context, push, ZMQ_EVENT_ALL);
    MUST(bind_any(pull, "tcp", endpoint));
    snprintf(text, sizeof text, "tcp://%s:%d", one->host, port_of(endpoint));
    SHOW(zmq_connect(push, text));
    show_last_endpoint("last endpoint", push);
    MUST(zmq_send(push, "through", 7, 0));
    expect("pull", pull);
    for (int i = 0; i < 3; i++) {
        show_event("push", watcher);
    }
    MUST(zmq_socket_monitor(push, NULL, 0));
    zmq_close(watcher);
    zmq_close(push);
    zmq_close(pull);
    pthread_join(thread, NULL);
    printf("proxy heard %s\n", self.heard);
}

int main(void) {
    start();
    static const run runs[] = {
        {"an address", "127.0.0.1", NULL, NULL, false, false, 1},
        {"a name, answered by a name", "localhost", NULL, NULL, false, false, 3},
        {"IPv6, answered by IPv6", "[::1]", NULL, NULL, true, false, 4},
        {"IPv4 among IPv6", "127.0.0.1", NULL, NULL, true, false, 1},
        {"login", "127.0.0.1", "user", "secret", false, true, 1},
        {"login without password", "127.0.0.1", "user", "", false, true, 1},
        {"login that is not asked for", "127.0.0.1", "user", "secret", false, false, 1},
    };
    void *context = zmq_ctx_new();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        go(context, &runs[i]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
