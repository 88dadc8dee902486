// SPDX-License-Identifier: MPL-2.0
//
// PUB and SUB: prefixes, duplicates, unsubscribing, only the first frame counts, nothing without
// subscription, wrong directions. The publisher is an XPUB where it must know that a subscription has
// arrived.
#include "support.h"

static void subscribe_and_wait(void *xpub, void *sub, const char *topic) {
    MUST(set_text(sub, ZMQ_SUBSCRIBE, topic));
    expect("publisher hears", xpub);
}

static void prefixes(void *context, const char *transport) {
    SECTION("prefixes over %s", transport);
    static const char *const messages[] = {"", "a", "ab", "abc", "b", "ba", "|ab", "ab|x||y", "A"};
    static const char *const topics[] = {"ab", "b", "abc", "", "\xff"};
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    join(xpub, sub, transport);
    for (size_t t = 0; t < sizeof topics / sizeof *topics; t++) {
        subscribe_and_wait(xpub, sub, topics[t]);
        for (size_t m = 0; m < sizeof messages / sizeof *messages; m++) {
            MUST(send_text(xpub, messages[m], 0));
        }
        MUST(send_text(xpub, "ab: the end", 0));
        char first[32] = "";
        while (strcmp(first, "ab: the end") != 0) {
            printf("  ");
            zmq_msg_t message;
            zmq_msg_init(&message);
            MUST(zmq_msg_recv(&message, sub, 0));
            size_t size = zmq_msg_size(&message);
            memcpy(first, zmq_msg_data(&message), size);
            first[size] = 0;
            int more = zmq_msg_more(&message);
            zmq_msg_close(&message);
            printf("[%s]", first);
            if (more) {
                receive_and_print(sub, 0);
            }
            printf("\n");
        }
    }
    zmq_close(xpub);
    zmq_close(sub);
}

static void counting(void *context, const char *transport) {
    SECTION("subscriptions count over %s", transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    join(xpub, sub, transport);
    subscribe_and_wait(xpub, sub, "a");
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "a"));
    SHOW(set_text(sub, ZMQ_UNSUBSCRIBE, "unknown"));
    SHOW(set_text(sub, ZMQ_UNSUBSCRIBE, ""));
    SHOW(set_text(sub, ZMQ_UNSUBSCRIBE, "a"));
    expect_none("publisher", xpub);
    MUST(send_text(xpub, "a1", 0));
    expect("sub", sub);
    SHOW(set_text(sub, ZMQ_UNSUBSCRIBE, "a"));
    expect("publisher", xpub);
    MUST(send_text(xpub, "a2", 0));
    expect_none("sub", sub);
    SHOW(set_text(sub, ZMQ_UNSUBSCRIBE, "a"));
    expect_none("publisher", xpub);
    zmq_close(xpub);
    zmq_close(sub);
}

static void no_subscription(void *context) {
    SECTION("without subscription or subscriber");
    void *pub = open_socket(context, ZMQ_PUB);
    void *sub = open_socket(context, ZMQ_SUB);
    printf("events of pub %s, of sub %s\n", events_text(events_of(pub)), events_text(events_of(sub)));
    show_send("nobody listens", pub, "x|y", 0);
    join(pub, sub, "inproc");
    events_of(pub);
    show_send("nobody subscribed", pub, "x|y", 0);
    expect_none("sub", sub);
    zmq_close(sub);
    zmq_close(pub);
}

static void before_connect(void *context, const char *transport) {
    SECTION("subscriptions made before connect, and for a second publisher, over %s", transport);
    void *first = open_socket(context, ZMQ_XPUB);
    void *second = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "b"));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "a"));
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "a"));
    join(first, sub, transport);
    expect_sorted("first", first, 2);
    expect_none("first", first);
    join(second, sub, transport);
    expect_sorted("second", second, 2);
    show_send("first", first, "a from first", 0);
    expect("sub", sub);
    show_send("second", second, "b from second", 0);
    expect("sub", sub);
    zmq_close(first);
    zmq_close(second);
    zmq_close(sub);
}

static void fan_out(void *context, const char *transport) {
    SECTION("three subscribers over %s", transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    MUST(set_int(xpub, ZMQ_XPUB_VERBOSE, 1));
    void *subs[3];
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(xpub, transport, endpoint));
    for (int i = 0; i < 3; i++) {
        subs[i] = open_socket(context, ZMQ_SUB);
        MUST(zmq_connect(subs[i], endpoint));
        subscribe_and_wait(xpub, subs[i], i == 2 ? "two" : "");
    }
    show_send("all", xpub, "two|for all", 0);
    show_send("some", xpub, "one|for some", 0);
    for (int i = 0; i < 3; i++) {
        expect("sub", subs[i]);
    }
    for (int i = 0; i < 3; i++) {
        expect_none("sub", subs[i]);
        zmq_close(subs[i]);
    }
    zmq_close(xpub);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        prefixes(context, transports[t]);
        counting(context, transports[t]);
        before_connect(context, transports[t]);
        fan_out(context, transports[t]);
    }
    no_subscription(context);
    SHOW(zmq_ctx_term(context));
    return 0;
}
