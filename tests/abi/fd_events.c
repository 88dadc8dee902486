// SPDX-License-Identifier: MPL-2.0
//
// ZMQ_FD and ZMQ_EVENTS used the way event loops use them: wait for the descriptor, ask for EVENTS, handle
// until there are none. No wakeup may get lost that way.
#include "support.h"

#include <poll.h>

static int descriptor_of(void *socket) {
    int descriptor = -1;
    size_t size = sizeof descriptor;
    MUST(zmq_getsockopt(socket, ZMQ_FD, &descriptor, &size));
    return descriptor;
}

/* Waits as an event loop does; false when nothing came in time. */
static bool wait_events(void *socket, int wanted, int timeout_ms) {
    struct pollfd entry = {descriptor_of(socket), POLLIN, 0};
    while ((events_of(socket) & wanted) == 0) {
        if (poll(&entry, 1, timeout_ms) <= 0) {
            return false;
        }
    }
    return true;
}

enum { MESSAGES = 20000 };

static void *send_many(void *socket) {
    for (int i = 0; i < MESSAGES; i++) {
        while (zmq_send(socket, &i, sizeof i, ZMQ_DONTWAIT) == -1) {
            if (!wait_events(socket, ZMQ_POLLOUT, PATIENCE_MS)) {
                printf("sender: lost wakeup at %d\n", i);
                return NULL;
            }
        }
    }
    return NULL;
}

static void stream(void *context, const char *transport, int mark) {
    void *from = open_socket(context, ZMQ_PUSH);
    void *to = open_socket(context, ZMQ_PULL);
    MUST(set_int(from, ZMQ_SNDHWM, mark));
    MUST(set_int(to, ZMQ_RCVHWM, mark));
    join(to, from, transport);
    pthread_t thread;
    pthread_create(&thread, NULL, send_many, from);
    int expected = 0;
    while (expected < MESSAGES && wait_events(to, ZMQ_POLLIN, PATIENCE_MS)) {
        int value;
        while (zmq_recv(to, &value, sizeof value, ZMQ_DONTWAIT) != -1) {
            if (value != expected++) {
                printf("out of order: %d\n", value);
            }
        }
    }
    pthread_join(thread, NULL);
    printf("%s, marks of %d: received %d of %d in order\n", transport, mark, expected, (int)MESSAGES);
    zmq_close(from);
    zmq_close(to);
}

static void lock_step(void *context, const char *transport) {
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    join(rep, req, transport);
    int done = 0;
    for (; done < 500; done++) {
        char byte = 'q';
        bool ok = wait_events(req, ZMQ_POLLOUT, PATIENCE_MS) && zmq_send(req, &byte, 1, ZMQ_DONTWAIT) == 1 &&
                  wait_events(rep, ZMQ_POLLIN, PATIENCE_MS) && zmq_recv(rep, &byte, 1, ZMQ_DONTWAIT) == 1 &&
                  wait_events(rep, ZMQ_POLLOUT, PATIENCE_MS) && zmq_send(rep, &byte, 1, ZMQ_DONTWAIT) == 1 &&
                  wait_events(req, ZMQ_POLLIN, PATIENCE_MS) && zmq_recv(req, &byte, 1, ZMQ_DONTWAIT) == 1;
        if (!ok) {
            break;
        }
    }
    printf("%s: %d round trips\n", transport, done);
    zmq_close(rep);
    zmq_close(req);
}

/* A REQ sends and waits for its descriptor, without a look at EVENTS in between: the reply is told of. */
static void burst(void *context, const char *transport) {
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    join(rep, req, transport);
    struct pollfd entry = {descriptor_of(req), POLLIN, 0};
    int done = 0;
    for (; done < 50; done++) {
        char byte = 'q';
        MUST(zmq_send(req, &byte, 1, 0));
        MUST(zmq_recv(rep, &byte, 1, 0));
        MUST(zmq_send(rep, &byte, 1, 0));
        bool told = false;
        while (!told && poll(&entry, 1, PATIENCE_MS) == 1) {
            told = (events_of(req) & ZMQ_POLLIN) != 0;
        }
        if (!told || zmq_recv(req, &byte, 1, ZMQ_DONTWAIT) != 1) {
            break;
        }
    }
    printf("%s: %d round trips without EVENTS after the send\n", transport, done);
    zmq_close(rep);
    zmq_close(req);
}

/* The descriptor is asked for while the reply is under way. */
static void late_descriptor(void *context, const char *transport) {
    void *rep = open_socket(context, ZMQ_REP);
    void *req = open_socket(context, ZMQ_REQ);
    join(rep, req, transport);
    char byte = 'q';
    MUST(zmq_send(req, &byte, 1, 0));
    MUST(zmq_recv(rep, &byte, 1, 0));
    struct pollfd entry = {descriptor_of(req), POLLIN, 0};
    MUST(zmq_send(rep, &byte, 1, 0));
    bool told = false;
    while (!told && poll(&entry, 1, PATIENCE_MS) == 1) {
        told = (events_of(req) & ZMQ_POLLIN) != 0;
    }
    printf("%s: told of the reply, late descriptor: %d\n", transport, told);
    zmq_close(rep);
    zmq_close(req);
}

static void descriptor(void *context) {
    SECTION("the descriptor");
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    int first = descriptor_of(pull);
    printf("valid %d, the same each time %d, of another socket another %d\n", first >= 0,
           first == descriptor_of(pull), first != descriptor_of(push));
    join(pull, push, "inproc");
    events_of(pull);
    struct pollfd entry = {first, POLLIN, 0};
    printf("quiet when there is nothing: %d\n", poll(&entry, 1, 20) == 0);
    MUST(zmq_send(push, "x", 1, 0));
    printf("readable after a message: %d\n", poll(&entry, 1, PATIENCE_MS) == 1);
    printf("events %s\n", events_text(events_of(pull)));
    printf("events asked again %s\n", events_text(events_of(pull)));
    receive_now("message", pull);
    printf("events %s\n", events_text(events_of(pull)));
    printf("quiet again: %d\n", poll(&entry, 1, 20) == 0);
    zmq_close(push);
    zmq_close(pull);
}

/* An event loop that waits for the descriptor before it has asked for EVENTS is told to ask. */
static void after_bind_and_connect(void *context) {
    SECTION("after bind and connect");
    void *pull = open_socket(context, ZMQ_PULL);
    void *push = open_socket(context, ZMQ_PUSH);
    struct pollfd before = {descriptor_of(pull), POLLIN, 0};
    MUST(zmq_bind(pull, "tcp://127.0.0.1:*"));
    printf("bound, descriptor from before: %d\n", poll(&before, 1, 0));
    char endpoint[ENDPOINT_SIZE];
    size_t size = sizeof endpoint;
    MUST(zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, endpoint, &size));
    MUST(zmq_connect(push, endpoint));
    usleep(SETTLE_MS * 1000); /* connected: what came of it is not lost when the descriptor is asked for */
    struct pollfd after = {descriptor_of(push), POLLIN, 0};
    printf("connected, descriptor from after: %d\n", poll(&after, 1, PATIENCE_MS));
    printf("events %s\n", events_text(events_of(push)));
    printf("quiet then: %d\n", poll(&after, 1, 20) == 0);
    zmq_close(push);
    zmq_close(pull);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    descriptor(context);
    after_bind_and_connect(context);
    SECTION("streams driven by the descriptors");
    for (int t = 0; t < TRANSPORTS; t++) {
        stream(context, transports[t], 1000);
        stream(context, transports[t], 2);
        lock_step(context, transports[t]);
        burst(context, transports[t]);
        late_descriptor(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
