// SPDX-License-Identifier: MPL-2.0
//
// disconnect and close: their effect on messages on both sides, and connecting again.
#include "support.h"

static void receiver_disconnects(void *context, const char *transport) {
    SECTION("receiver disconnects over %s", transport);
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    char endpoint[ENDPOINT_SIZE];
    join_at(push, pull, transport, endpoint);
    MUST(send_text(push, "one", 0));
    expect("pull", pull);
    SHOW(zmq_disconnect(pull, endpoint));
    WAIT_UNTIL(events_of(pull) == 0 && !(events_of(push) & ZMQ_POLLOUT)); /* libzmq works in calls of both */
    show_send("push", push, "two", ZMQ_DONTWAIT);
    receive_now("pull", pull);
    SHOW(zmq_connect(pull, endpoint));
    MUST(send_text(push, "three", 0));
    expect("pull", pull);
    zmq_close(push);
    zmq_close(pull);
}

static void received_before(void *context, const char *transport) {
    SECTION("what had arrived when the receiver disconnects, over %s", transport);
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    char endpoint[ENDPOINT_SIZE];
    join_at(push, pull, transport, endpoint);
    MUST(send_text(push, "one|a", 0));
    MUST(send_text(push, "two|b", 0));
    printf("arrived %d\n", wait_for(pull, ZMQ_POLLIN, PATIENCE_MS));
    settle();
    SHOW(zmq_disconnect(pull, endpoint));
    expect_none("pull", pull);
    expect_none("pull", pull);
    zmq_close(push);
    zmq_close(pull);
}

static void sender_disconnects(void *context, const char *transport, int linger) {
    SECTION("sender disconnects with LINGER %d over %s", linger, transport);
    void *push = open_socket(context, ZMQ_PUSH);
    void *pull = open_socket(context, ZMQ_PULL);
    char endpoint[ENDPOINT_SIZE];
    MUST(bind_any(pull, transport, endpoint));
    MUST(set_int(push, ZMQ_LINGER, linger));
    MUST(zmq_connect(push, endpoint));
    MUST(send_text(push, "handshake is over", 0));
    expect("pull", pull);
    MUST(send_text(push, "one|a", 0));
    SHOW(zmq_disconnect(push, endpoint));
    show_send("push", push, "two", ZMQ_DONTWAIT);
    if (linger != 0) {
        expect("pull", pull);
    }
    SHOW(zmq_connect(push, endpoint));
    MUST(send_text(push, "three", 0));
    if (linger != 0) {
        expect("pull", pull);
    }
    zmq_close(push);
    zmq_close(pull);
}

static void of_several(void *context) {
    SECTION("one of two connections");
    void *push = open_socket(context, ZMQ_PUSH);
    void *pulls[2];
    char endpoints[2][ENDPOINT_SIZE];
    for (int i = 0; i < 2; i++) {
        pulls[i] = open_socket(context, ZMQ_PULL);
        MUST(bind_any(pulls[i], i ? "tcp" : "ipc", endpoints[i]));
        MUST(zmq_connect(push, endpoints[i]));
    }
    MUST(send_text(push, "1", 0));
    MUST(send_text(push, "2", 0));
    expect("first", pulls[0]);
    expect("second", pulls[1]);
    SHOW(zmq_disconnect(push, endpoints[0]));
    MUST(send_text(push, "3", 0));
    MUST(send_text(push, "4", 0));
    expect("second", pulls[1]);
    expect("second", pulls[1]);
    zmq_close(push);
    zmq_close(pulls[0]);
    zmq_close(pulls[1]);
}

static void reconnects(void *context, const char *transport) {
    SECTION("the bound side closes and another takes its endpoint over %s", transport);
    char endpoint[ENDPOINT_SIZE];
    void *dealer = open_socket(context, ZMQ_DEALER);
    MUST(set_int(dealer, ZMQ_RECONNECT_IVL, 10));
    set_text(dealer, ZMQ_ROUTING_ID, "D");
    for (int round = 0; round < 3; round++) {
        void *router = open_socket(context, ZMQ_ROUTER);
        if (round == 0) {
            join_at(router, dealer, transport, endpoint);
        } else {
            bool bound = false;
            WAIT_UNTIL((bound = zmq_bind(router, endpoint) == 0));
            printf("bound %d\n", bound);
        }
        MUST(set_int(router, ZMQ_ROUTER_MANDATORY, 1));
        bool known = false;
        WAIT_UNTIL((known = send_text(router, "D|hello", ZMQ_DONTWAIT) != -1));
        printf("the dealer came %d\n", known);
        expect("dealer", dealer);
        MUST(send_text(dealer, "answer", 0));
        expect("router", router);
        MUST(zmq_close(router));
    }
    zmq_close(dealer);
}

int main(void) {
    start();
    void *context = zmq_ctx_new();
    for (int t = 0; t < TRANSPORTS; t++) {
        receiver_disconnects(context, transports[t]);
        received_before(context, transports[t]);
        sender_disconnects(context, transports[t], -1);
    }
    sender_disconnects(context, "tcp", 0);
    of_several(context);
    reconnects(context, "tcp");
    reconnects(context, "ipc");
    SHOW(zmq_ctx_term(context));
    return 0;
}
