// SPDX-License-Identifier: MPL-2.0
//
// CONNECT_ROUTING_ID, odd routing ids.
#include "support.h"

static void connect_id(void *context, const char *transport) {
    SECTION("CONNECT_ROUTING_ID over %s", transport);
    void *router = open_socket(context, ZMQ_ROUTER);
    void *dealer = open_socket(context, ZMQ_DEALER);
    set_text(dealer, ZMQ_ROUTING_ID, "own name");
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(dealer, transport, endpoint));
    SHOW(set_text(router, ZMQ_CONNECT_ROUTING_ID, "chosen"));
    SHOW(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
    SHOW(zmq_connect(router, endpoint));
    show_send("at once", router, "chosen|hello", 0);
    expect("dealer", dealer);
    MUST(send_text(dealer, "answer", 0));
    expect("router", router);
    show_send("by its own name", router, "own name|x", ZMQ_DONTWAIT);

    void *other = open_socket(context, ZMQ_DEALER);
    join_at(other, router, transport, endpoint);
    show_send("the id is used once", router, "chosen|for the first", 0);
    expect("first", dealer);
    expect_none("other", other);
    zmq_close(router);
    zmq_close(dealer);
    zmq_close(other);
}

static void odd_ids(void *context, const char *transport) {
    SECTION("odd ids over %s", transport);
    static const struct {
        const char *bytes;
        size_t size;
    } ids[] = {{"\0zero first", 11}, {"\0", 1}, {"\xff\xfe", 2}, {"\0\1\2\3\4", 5}, {" ", 1}};
    void *router = open_socket(context, ZMQ_ROUTER);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(router, transport, endpoint));
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        void *dealer = open_socket(context, ZMQ_DEALER);
        int result = zmq_setsockopt(dealer, ZMQ_ROUTING_ID, ids[i].bytes, ids[i].size);
        printf("id %zu -> %s\n", i, result == -1 ? errno_name(zmq_errno()) : "ok");
        MUST(zmq_connect(dealer, endpoint));
        MUST(send_text(dealer, "hello", 0));
        expect_none("router", router);
        zmq_close(dealer);
    }
    void *dealer = open_socket(context, ZMQ_DEALER);
    char longest[255];
    memset(longest, 'i', sizeof longest);
    MUST(zmq_setsockopt(dealer, ZMQ_ROUTING_ID, longest, sizeof longest));
    MUST(zmq_connect(dealer, endpoint));
    MUST(send_text(dealer, "longest id", 0));
    expect("router", router);
    zmq_close(dealer);
    zmq_close(router);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        connect_id(context, transports[t]);
        odd_ids(context, transports[t]);
    }
    SHOW(zmq_ctx_term(context));
    return 0;
}
