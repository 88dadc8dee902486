// SPDX-License-Identifier: MPL-2.0
//
// Arguments: a part (hears, manual, welcome, messages, xsub) and a transport.
//
// XPUB: what it hears with VERBOSE, VERBOSER, MANUAL, MANUAL_LAST_VALUE, WELCOME_MSG, ONLY_FIRST_SUBSCRIBE
// and when subscribers go; messages of subscribers that are no subscriptions.
#include "support.h"

enum { MANUAL_LAST_VALUE = 98, ONLY_FIRST_SUBSCRIBE = 108 };

static void hears(void *context, const char *name, int option, const char *transport) {
    SECTION("%s over %s", name, transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    if (option) {
        SHOW(set_int(xpub, option, 1));
    }
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(xpub, transport, endpoint));
    void *a = open_socket(context, ZMQ_SUB);
    void *b = open_socket(context, ZMQ_SUB);
    MUST(zmq_connect(a, endpoint));
    MUST(zmq_connect(b, endpoint));
    MUST(set_text(a, ZMQ_SUBSCRIBE, "T"));
    expect("a subscribes", xpub);
    MUST(set_text(b, ZMQ_SUBSCRIBE, "T"));
    expect_none("b subscribes", xpub);
    MUST(set_text(b, ZMQ_SUBSCRIBE, "T"));
    expect_none("b subscribes again", xpub);
    MUST(set_text(b, ZMQ_UNSUBSCRIBE, "T"));
    expect_none("b unsubscribes once", xpub);
    MUST(set_text(b, ZMQ_UNSUBSCRIBE, "T"));
    expect_none("b unsubscribes", xpub);
    MUST(set_text(b, ZMQ_SUBSCRIBE, "U"));
    expect_none("b subscribes U", xpub);
    MUST(zmq_close(b));
    expect_none("b goes", xpub);
    MUST(zmq_close(a));
    expect_none("a goes", xpub);
    zmq_close(xpub);
}

static void switched_off(void *context) {
    SECTION("VERBOSE and VERBOSER switched off again");
    static const int sequences[][2] = {{ZMQ_XPUB_VERBOSER, ZMQ_XPUB_VERBOSE},
                                       {ZMQ_XPUB_VERBOSE, ZMQ_XPUB_VERBOSER}};
    for (int i = 0; i < 2; i++) {
        void *xpub = open_socket(context, ZMQ_XPUB);
        void *xsub = open_socket(context, ZMQ_XSUB);
        MUST(set_int(xpub, sequences[i][0], 1));
        MUST(set_int(xpub, sequences[i][1], 0));
        join(xpub, xsub, "inproc");
        for (int k = 0; k < 2; k++) {
            MUST(zmq_send(xsub, "\1T", 2, 0));
            expect_none("subscribe", xpub);
        }
        for (int k = 0; k < 2; k++) {
            MUST(zmq_send(xsub, "\0T", 2, 0));
            expect_none("unsubscribe", xpub);
        }
        zmq_close(xpub);
        zmq_close(xsub);
    }
}

static void manual(void *context, const char *transport) {
    SECTION("MANUAL over %s", transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *sub = open_socket(context, ZMQ_SUB);
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "X"));
    SHOW(set_int(xpub, ZMQ_XPUB_MANUAL, 1));
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "X"));
    join(xpub, sub, transport);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "A"));
    expect("xpub", xpub);
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "B"));
    show_send("xpub", xpub, "A", 0);
    show_send("xpub", xpub, "B: taken for A", 0);
    expect("sub", sub); /* a SUB filters for itself too */
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "B"));
    expect("xpub", xpub);
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "B"));
    show_send("xpub", xpub, "B: wanted", 0);
    expect("sub", sub);
    MUST(set_text(sub, ZMQ_UNSUBSCRIBE, "B"));
    expect("xpub", xpub);
    SHOW(set_text(xpub, ZMQ_UNSUBSCRIBE, "B"));
    show_send("xpub", xpub, "B: no more", 0);
    expect_none("sub", sub);
    SHOW(set_text(xpub, ZMQ_UNSUBSCRIBE, "unknown"));
    SHOW(zmq_setsockopt(xpub, ZMQ_SUBSCRIBE, "", 0));
    zmq_close(sub);
    expect_none("xpub", xpub);
    zmq_close(xpub);
}

static void manual_raw(void *context, int option) {
    SECTION("option %d with two XSUBs", option);
    void *xpub = open_socket(context, ZMQ_XPUB);
    SHOW(set_int(xpub, option, 1));
    void *a = open_socket(context, ZMQ_XSUB);
    void *b = open_socket(context, ZMQ_XSUB);
    char endpoint[ENDPOINT_SIZE];
    join_at(xpub, a, "inproc", endpoint);
    MUST(zmq_connect(b, endpoint));
    MUST(zmq_send(a, "\1A", 2, 0));
    expect("xpub", xpub);
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "XA"));
    show_send("xpub", xpub, "XA", 0);
    MUST(zmq_send(b, "\1B", 2, 0));
    expect("xpub", xpub);
    SHOW(set_text(xpub, ZMQ_SUBSCRIBE, "XA"));
    show_send("to the last subscriber or all", xpub, "XA once more", 0);
    show_send("next", xpub, "XA third", 0);
    for (int i = 0; i < 4; i++) {
        expect_none("a", a);
    }
    for (int i = 0; i < 3; i++) {
        expect_none("b", b);
    }
    zmq_close(a);
    expect_none("xpub after a left", xpub);
    zmq_close(b);
    expect_none("xpub after b left", xpub);
    zmq_close(xpub);
}

static void welcome(void *context, const char *transport) {
    SECTION("WELCOME_MSG over %s", transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    SHOW(set_text(xpub, ZMQ_XPUB_WELCOME_MSG, "Welcome"));
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(xpub, transport, endpoint));
    void *sub = open_socket(context, ZMQ_SUB);
    MUST(set_text(sub, ZMQ_SUBSCRIBE, "W"));
    MUST(zmq_connect(sub, endpoint));
    expect("xpub", xpub);
    expect("sub", sub);
    void *other = open_socket(context, ZMQ_SUB);
    MUST(set_text(other, ZMQ_SUBSCRIBE, "x"));
    MUST(zmq_connect(other, endpoint));
    expect("xpub", xpub);
    expect_none("not subscribed to it", other);
    SHOW(zmq_setsockopt(xpub, ZMQ_XPUB_WELCOME_MSG, NULL, 0));
    void *last = open_socket(context, ZMQ_SUB);
    MUST(set_text(last, ZMQ_SUBSCRIBE, ""));
    MUST(zmq_connect(last, endpoint));
    expect("xpub", xpub);
    expect_none("cleared", last);
    zmq_close(last);
    zmq_close(other);
    zmq_close(sub);
    zmq_close(xpub);
}

static void user_messages(void *context, int only_first, const char *transport) {
    SECTION("messages of subscribers over %s%s", transport, only_first ? ", ONLY_FIRST_SUBSCRIBE" : "");
    static const char *const messages[] = {"hello",    "",      "\2x",          "\1T",
                                           "\1T|more", "x|\1U", "\1V|\1W|tail", "|\1Y"};
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *xsub = open_socket(context, ZMQ_XSUB);
    MUST(set_int(xpub, ONLY_FIRST_SUBSCRIBE, only_first));
    MUST(set_int(xsub, ONLY_FIRST_SUBSCRIBE, only_first));
    join(xpub, xsub, transport);
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        printf("%zu\n", i);
        show_send("xsub", xsub, messages[i], 0);
        expect_none("xpub", xpub);
        expect_none("xpub", xpub);
        expect_none("xpub", xpub);
    }
    zmq_close(xsub);
    expect_sorted("xpub after the subscriber left", xpub, only_first ? 3 : 5);
    expect_none("xpub after the subscriber left", xpub);
    zmq_close(xpub);
}

static void from_xsub(void *context, const char *transport) {
    SECTION("XSUB over %s", transport);
    void *xpub = open_socket(context, ZMQ_XPUB);
    void *xsub = open_socket(context, ZMQ_XSUB);
    printf("events of xsub %s\n", events_text(events_of(xsub)));
    show_send("without peers", xsub, "x", ZMQ_DONTWAIT);
    SHOW(zmq_send(xsub, "\0T", 2, 0));
    join(xpub, xsub, transport);
    expect_none("unknown unsubscription", xpub);
    SHOW(zmq_send(xsub, "\1T", 2, 0));
    expect("subscribe", xpub);
    SHOW(zmq_send(xsub, "\1T", 2, 0));
    expect_none("again", xpub);
    SHOW(zmq_send(xsub, "\1", 1, 0));
    expect("subscribe all", xpub);
    show_send("xpub", xpub, "anything|x", 0);
    expect("xsub", xsub);
    SHOW(zmq_send(xsub, "\0", 1, 0));
    expect("unsubscribe all", xpub);
    SHOW(zmq_send(xsub, "\0T", 2, 0));
    expect_none("unsubscribe", xpub);
    SHOW(zmq_send(xsub, "\0T", 2, 0));
    expect_none("unsubscribe", xpub);
    SHOW(zmq_send(xsub, "\0T", 2, 0));
    expect_none("once too often", xpub);
    show_send("xpub", xpub, "T|x", 0);
    expect_none("xsub", xsub);
    zmq_close(xpub);
    zmq_close(xsub);
}

int main(int argc, char **argv) {
    start();
    const char *part = argc > 1 ? argv[1] : "hears";
    const char *transport = argc > 2 ? argv[2] : "inproc";
    void *context = zmq_ctx_new();
    if (strcmp(part, "hears") == 0) {
        hears(context, "no option", 0, transport);
        hears(context, "VERBOSE", ZMQ_XPUB_VERBOSE, transport);
        hears(context, "VERBOSER", ZMQ_XPUB_VERBOSER, transport);
        switched_off(context);
    } else if (strcmp(part, "manual") == 0) {
        manual(context, transport);
        manual_raw(context, ZMQ_XPUB_MANUAL);
        manual_raw(context, MANUAL_LAST_VALUE);
    } else if (strcmp(part, "welcome") == 0) {
        welcome(context, transport);
    } else if (strcmp(part, "messages") == 0) {
        user_messages(context, 0, transport);
        user_messages(context, 1, transport);
    } else {
        from_xsub(context, transport);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
