// SPDX-License-Identifier: MPL-2.0
// Sockets learn of the beginnings and ends of their connections: ZMQ_HELLO_MSG, ZMQ_DISCONNECT_MSG,
// ZMQ_HICCUP_MSG, ZMQ_ROUTER_NOTIFY (zmq_setsockopt(3)); zmq_socket_get_peer_state.
#include "draft_rig.hpp"

namespace zlink::conformance {
namespace {

class greetings : public transport_test {
  protected:
    // Until the other side of a lost connection is there again.
    void rebind(socket &server, const std::string &endpoint) {
        ASSERT_TRUE(eventually([&] { return server.bind(endpoint) == 0; }));
    }
};

TEST_P(greetings, a_new_peer_is_greeted_by_either_side) {
    socket server(owner, ZMQ_SERVER);
    server.set(ZMQ_HELLO_MSG, "hello from the server");
    socket client(owner, ZMQ_CLIENT);
    client.set(ZMQ_HELLO_MSG, std::string_view("hi\0there", 8));
    ASSERT_EQ(client.connect(bind(server)), 0);
    message greeting;
    ASSERT_EQ(greeting.receive(server), 0);
    EXPECT_EQ(greeting.body(), std::string("hi\0there", 8));
    EXPECT_EQ(client.receive(), "hello from the server");
    ASSERT_EQ(greeting.send(server), 0) << "the greeting says who it is from";
    EXPECT_EQ(client.receive(), std::string("hi\0there", 8));
}

TEST_P(greetings, routers_and_dealers_greet_too) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_HELLO_MSG, "hello");
    const std::string endpoint = bind(router);
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_ROUTING_ID, "d");
    dealer.set(ZMQ_HELLO_MSG, "hi");
    ASSERT_EQ(dealer.connect(endpoint), 0);
    EXPECT_EQ(router.receive(), "d|hi");
    EXPECT_EQ(dealer.receive(), "hello");
    socket peer(owner, ZMQ_REQ);
    peer.set(ZMQ_HELLO_MSG, "accepted, and without effect here");
    peer.set(ZMQ_ROUTING_ID, "r");
    socket silent(owner, ZMQ_ROUTER); // a REQ takes a greeting for a reply that cannot be
    ASSERT_EQ(peer.connect(bind(silent)), 0);
    ASSERT_EQ(peer.send("question"), 0);
    EXPECT_EQ(silent.receive(), "r||question");
}

TEST_P(greetings, peers_greet) {
    socket bound(owner, ZMQ_PEER), caller(owner, ZMQ_PEER);
    bound.set(ZMQ_HELLO_MSG, "hello");
    caller.set(ZMQ_HELLO_MSG, "not this");
    caller.set(ZMQ_HELLO_MSG, "");
    const std::string endpoint = bind(bound);
    caller.prepare_for(endpoint);
    ASSERT_NE(zmq_connect_peer(caller.handle(), endpoint.c_str()), 0U);
    EXPECT_EQ(caller.receive(), "hello");
    EXPECT_TRUE(bound.quiet());
}

TEST_P(greetings, a_lost_peer_leaves_a_message) {
    socket server(owner, ZMQ_SERVER);
    server.set(ZMQ_DISCONNECT_MSG, "gone");
    const std::string endpoint = bind(server);
    socket stays = connected(ZMQ_CLIENT, endpoint);
    message first, last;
    {
        socket leaves = connected(ZMQ_CLIENT, endpoint);
        ASSERT_EQ(leaves.send("first"), 0);
        ASSERT_EQ(first.receive(server), 0);
        ASSERT_EQ(leaves.send("second"), 0);
        ASSERT_TRUE(server.ready(ZMQ_POLLIN));
    }
    EXPECT_EQ(server.receive(), "second");
    ASSERT_EQ(last.receive(server), 0);
    EXPECT_EQ(last.body(), "gone");
    EXPECT_EQ(last.routing_id(), first.routing_id());
    EXPECT_TRUE(
        eventually([&] { return message("too late").to(last.routing_id()).send(server) == EHOSTUNREACH; }));
    EXPECT_TRUE(server.quiet());
}

TEST_P(greetings, a_router_hears_who_was_lost) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_DISCONNECT_MSG, "gone");
    const std::string endpoint = bind(router);
    {
        socket dealer = connected(ZMQ_DEALER, endpoint, "d");
        ASSERT_EQ(dealer.send("a|b"), 0);
        EXPECT_EQ(router.receive(), "d|a|b");
    }
    EXPECT_EQ(router.receive(), "d|gone");
    EXPECT_TRUE(router.quiet());
}

TEST_P(greetings, a_peer_that_is_dropped_by_us_leaves_none) {
    socket server(owner, ZMQ_SERVER);
    server.set(ZMQ_DISCONNECT_MSG, "gone");
    socket client = connected(ZMQ_CLIENT, bind(server));
    ASSERT_EQ(client.send("x"), 0);
    message request;
    ASSERT_EQ(request.receive(server), 0);
    EXPECT_EQ(zmq_disconnect_peer(server.handle(), request.routing_id()), 0);
    EXPECT_TRUE(server.quiet());
}

ZLINK_OVER_EVERY_TRANSPORT(greetings);

class reconnections : public greetings {};

TEST_P(reconnections, a_connection_that_hiccups_leaves_a_message_and_is_greeted_again) {
    socket client(owner, ZMQ_CLIENT);
    client.set(ZMQ_RECONNECT_IVL, 1);
    client.set(ZMQ_HICCUP_MSG, "hiccup");
    client.set(ZMQ_HELLO_MSG, "hello");
    std::string endpoint;
    {
        socket server(owner, ZMQ_SERVER);
        endpoint = bind(server);
        ASSERT_EQ(client.connect(endpoint), 0);
        EXPECT_EQ(server.receive(), "hello");
    }
    EXPECT_EQ(client.receive(), "hiccup");
    socket server(owner, ZMQ_SERVER);
    rebind(server, endpoint);
    ASSERT_TRUE(eventually([&] { return !client.ready(ZMQ_POLLIN, 1) && server.ready(ZMQ_POLLIN, 1); }));
    EXPECT_EQ(server.receive(), "hello");
}

TEST_P(reconnections, dealers_hiccup_and_others_do_not) {
    socket dealer(owner, ZMQ_DEALER), pull(owner, ZMQ_PULL);
    for (socket *one : {&dealer, &pull}) {
        one->set(ZMQ_RECONNECT_IVL, 1);
        one->set(ZMQ_HICCUP_MSG, "hiccup");
    }
    {
        socket router(owner, ZMQ_ROUTER), push(owner, ZMQ_PUSH);
        ASSERT_EQ(dealer.connect(bind(router)), 0);
        ASSERT_EQ(pull.connect(bind(push)), 0);
        ASSERT_EQ(dealer.send("x"), 0);
        EXPECT_EQ(router.receive_frames().back(), "x");
        ASSERT_EQ(push.send("y"), 0);
        EXPECT_EQ(pull.receive(), "y");
    }
    EXPECT_EQ(dealer.receive(), "hiccup");
    EXPECT_TRUE(pull.quiet());
}

TEST_P(reconnections, a_router_is_notified_of_beginnings_and_ends) {
    for (const int notified :
         {0, ZMQ_NOTIFY_CONNECT, ZMQ_NOTIFY_DISCONNECT, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT}) {
        socket router(owner, ZMQ_ROUTER);
        router.set(ZMQ_ROUTER_NOTIFY, notified);
        EXPECT_EQ(router.get(ZMQ_ROUTER_NOTIFY), notified);
        const std::string endpoint = bind(router);
        {
            socket dealer = connected(ZMQ_DEALER, endpoint, "d");
            if ((notified & ZMQ_NOTIFY_CONNECT) != 0) {
                EXPECT_EQ(router.receive(), "d|");
            }
            ASSERT_EQ(dealer.send("x"), 0);
            EXPECT_EQ(router.receive(), "d|x");
        }
        if ((notified & ZMQ_NOTIFY_DISCONNECT) != 0) {
            EXPECT_EQ(router.receive(), "d|");
        }
        EXPECT_TRUE(router.quiet());
    }
}

TEST(router_notify, is_read_from_every_type_and_set_where_there_is_a_router) {
    context owner;
    for (int type = ZMQ_PAIR; type <= ZMQ_CHANNEL; ++type) {
        SCOPED_TRACE(type);
        socket asked(owner, type);
        EXPECT_EQ(asked.get(ZMQ_ROUTER_NOTIFY), 0);
        const int both = ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT;
        const int done = zmq_setsockopt(asked.handle(), ZMQ_ROUTER_NOTIFY, &both, sizeof both);
        const bool settable = type == ZMQ_ROUTER || type == ZMQ_REP;
        EXPECT_EQ(done, settable ? 0 : -1);
        EXPECT_EQ(asked.get(ZMQ_ROUTER_NOTIFY), settable ? both : 0);
    }
}

TEST_P(reconnections, a_router_that_connects_is_notified_each_time) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_NOTIFY, ZMQ_NOTIFY_CONNECT | ZMQ_NOTIFY_DISCONNECT);
    router.set(ZMQ_RECONNECT_IVL, 1);
    std::string endpoint;
    {
        socket dealer(owner, ZMQ_DEALER);
        dealer.set(ZMQ_ROUTING_ID, "d");
        endpoint = bind(dealer);
        ASSERT_EQ(router.connect(endpoint), 0);
        EXPECT_EQ(router.receive(), "d|");
    }
    EXPECT_EQ(router.receive(), "d|");
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_ROUTING_ID, "d");
    rebind(dealer, endpoint);
    EXPECT_EQ(router.receive(), "d|");
}

ZLINK_OVER_CONNECTIONS(reconnections);

class peer_states : public transport_test {};

TEST_P(peer_states, tell_what_a_router_may_do_with_a_peer) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_SNDHWM, 1);
    const auto state = [&] { return zmq_socket_get_peer_state(router.handle(), "d", 1); };
    EXPECT_EQ(state(), -1);
    EXPECT_EQ(errno, EHOSTUNREACH);
    const std::string endpoint = bind(router);
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_ROUTING_ID, "d");
    dealer.set(ZMQ_RCVHWM, 1);
    ASSERT_EQ(dealer.connect(endpoint), 0);
    ASSERT_EQ(dealer.send("x"), 0);
    ASSERT_TRUE(router.ready(ZMQ_POLLIN));
    EXPECT_EQ(state(), ZMQ_POLLIN | ZMQ_POLLOUT);
    EXPECT_EQ(router.receive(), "d|x");
    EXPECT_EQ(state(), ZMQ_POLLOUT);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string body(300'000, 'x');
    while (router.send(frames{"d", body}, ZMQ_DONTWAIT) == 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
    ASSERT_TRUE(eventually([&] {
        return state() == 0 || router.send(frames{"d", body}, ZMQ_DONTWAIT) == 0;
    }));
    EXPECT_EQ(zmq_socket_get_peer_state(dealer.handle(), "d", 1), -1);
    EXPECT_EQ(errno, ENOTSUP);
}

ZLINK_OVER_EVERY_TRANSPORT(peer_states);

} // namespace
} // namespace zlink::conformance
