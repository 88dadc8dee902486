// SPDX-License-Identifier: MPL-2.0
//
// ZMQ_XPUB_NODROP at both ends of a proxy. A subscriber that polls and does not read holds the publisher up
// after some messages, and none of them is lost.
#include "support.h"

struct sides {
    void *front;
    void *back;
};

static void *forward(void *argument) {
    struct sides *both = argument;
    zmq_proxy(both->front, both->back, NULL);
    zmq_close(both->front);
    zmq_close(both->back);
    return NULL;
}

static void *bounded(void *context, int type, int mark) {
    void *socket = open_socket(context, type);
    MUST(set_int(socket, ZMQ_SNDHWM, mark));
    MUST(set_int(socket, ZMQ_RCVHWM, mark));
    if (type == ZMQ_XPUB || type == ZMQ_PUB) {
        MUST(set_int(socket, ZMQ_XPUB_NODROP, 1));
    }
    return socket;
}

/* The publisher gives the proxy time where there is no room, and the subscriber looks for messages. */
static int pass(void *publisher, void *subscriber) {
    int count = 0;
    for (int refused = 0; refused < QUIET_MS * time_factor() && count < 1000;) {
        if (zmq_send(publisher, "message", 7, ZMQ_DONTWAIT) == -1) {
            refused++;
            pause_ms(2);
        } else {
            refused = 0;
            count++;
            events_of(subscriber);
        }
    }
    return count;
}

static void through(int type, int mark) {
    SECTION("%s, mark %d", type_names[type], mark);
    void *context = zmq_ctx_new();
    struct sides both = {bounded(context, ZMQ_XSUB, mark), bounded(context, ZMQ_XPUB, mark)};
    MUST(set_int(both.back, ZMQ_SNDTIMEO, -1));
    MUST(zmq_bind(both.front, "inproc://front"));
    MUST(zmq_bind(both.back, "inproc://back"));
    void *publisher = bounded(context, type, mark);
    void *subscriber = bounded(context, ZMQ_SUB, mark);
    MUST(zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "", 0));
    MUST(zmq_connect(publisher, "inproc://front"));
    MUST(zmq_connect(subscriber, "inproc://back"));
    pthread_t thread;
    pthread_create(&thread, NULL, forward, &both);
    if (type == ZMQ_XPUB) {
        expect("subscription", publisher);
    } else {
        settle_peers(publisher);
    }
    const int passed = pass(publisher, subscriber);
    printf("passed %d\n", passed);
    printf("received %d\n", drain(subscriber));
    printf("room again %d\n", pass(publisher, subscriber) == passed);
    zmq_close(publisher);
    zmq_close(subscriber);
    zmq_ctx_shutdown(context);
    pthread_join(thread, NULL);
    zmq_ctx_term(context);
}

int main(void) {
    start();
    through(ZMQ_XPUB, 10);
    through(ZMQ_PUB, 10);
    through(ZMQ_XPUB, 4);
    return 0;
}
