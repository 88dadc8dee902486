// SPDX-License-Identifier: MPL-2.0
// A socket whose thread makes no call: its peers and monitors hear what they are owed nevertheless. Each test
// gives the idle socket its last call before the peer waits.
#include "bare_peer.hpp"

namespace zlink::conformance {
namespace {

class idle_sockets : public transport_test {
  protected:
    // A bound socket with ZMQ_HELLO_MSG.
    std::string greeting_from(socket &bound) {
        bound.set(ZMQ_HELLO_MSG, "hello");
        return bind(bound);
    }
    // A DEALER that says hello to everybody it connects to.
    socket greeting_dealer() {
        socket dealer(owner, ZMQ_DEALER);
        dealer.set(ZMQ_HELLO_MSG, "hello");
        dealer.set(ZMQ_ROUTING_ID, "d");
        return dealer;
    }
    // A socket that binds the name after `idle` has connected to it.
    socket late_binder(int type, const std::string &endpoint) {
        socket binder(owner, type);
        EXPECT_EQ(binder.bind(endpoint), 0);
        return binder;
    }
    // An XPUB, and a SUB that has connected to it.
    struct subscription {
        explicit subscription(idle_sockets &test)
            : publisher(test.owner, ZMQ_XPUB), subscriber(test.owner, ZMQ_SUB) {
            EXPECT_EQ(subscriber.connect(test.bind(publisher)), 0);
            subscriber.set(ZMQ_SUBSCRIBE, "topic");
            EXPECT_EQ(publisher.receive(), "\1topic");
        }
        socket publisher;
        socket subscriber;
    };
    static constexpr int queued = 100;
    static void queue_messages(socket &push) {
        push.set(ZMQ_LINGER, -1);
        for (int count = 0; count < queued; ++count)
            EXPECT_EQ(push.send(std::string(10000, 'x')), 0);
    }
    static void expect_queued(socket &pull) {
        for (int count = 0; count < queued; ++count)
            ASSERT_EQ(pull.receive(), std::string(10000, 'x'));
    }
};

TEST_P(idle_sockets, a_router_says_hello) {
    socket idle(owner, ZMQ_ROUTER);
    const std::string endpoint = greeting_from(idle);
    EXPECT_EQ(connected(ZMQ_DEALER, endpoint).receive(), "hello");
    EXPECT_EQ(connected(ZMQ_DEALER, endpoint).receive(), "hello");
}

TEST_P(idle_sockets, a_server_says_hello) {
    socket idle(owner, ZMQ_SERVER);
    EXPECT_EQ(connected(ZMQ_CLIENT, greeting_from(idle)).receive(), "hello");
}

TEST_P(idle_sockets, a_dealer_says_hello_to_who_binds_later) {
    socket idle = greeting_dealer();
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(idle.connect(endpoint), 0);
    socket router = late_binder(ZMQ_ROUTER, endpoint);
    EXPECT_EQ(router.receive(), "d|hello");
}

TEST_P(idle_sockets, hello_comes_before_messages) {
    socket idle = greeting_dealer();
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(idle.connect(endpoint), 0);
    ASSERT_EQ(idle.send("first"), 0);
    socket router = late_binder(ZMQ_ROUTER, endpoint);
    EXPECT_EQ(router.receive(), "d|hello");
    EXPECT_EQ(router.receive(), "d|first");
}

TEST_P(idle_sockets, a_subscriber_tells_a_publisher_that_binds_later) {
    socket idle(owner, ZMQ_SUB);
    idle.set(ZMQ_SUBSCRIBE, "topic");
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(idle.connect(endpoint), 0);
    EXPECT_EQ(late_binder(ZMQ_XPUB, endpoint).receive(), "\1topic");
}

TEST_P(idle_sockets, a_subscriber_tells_what_it_wants_no_more) {
    subscription one(*this);
    one.subscriber.set(ZMQ_UNSUBSCRIBE, "topic");
    EXPECT_EQ(one.publisher.receive(), std::string("\0topic", 6));
}

TEST_P(idle_sockets, a_publisher_hears_of_a_subscriber_that_closes) {
    subscription one(*this);
    one.subscriber.close();
    EXPECT_EQ(one.publisher.receive(), std::string("\0topic", 6));
}

TEST_P(idle_sockets, a_disconnected_endpoint_sends_what_was_queued) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    socket idle = connected(ZMQ_PUSH, endpoint);
    queue_messages(idle);
    ASSERT_EQ(idle.disconnect(endpoint), 0);
    expect_queued(pull);
}

TEST_P(idle_sockets, a_closed_socket_sends_what_was_queued) {
    socket pull(owner, ZMQ_PULL);
    socket push = connected(ZMQ_PUSH, bind(pull));
    queue_messages(push);
    push.close();
    expect_queued(pull);
}

// The id of a lost peer goes to the next one, although the ROUTER has heard of neither.
TEST_P(idle_sockets, a_router_knows_its_peers_in_the_call_that_asks_for_them) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_HANDOVER, 1);
    const std::string endpoint = bind(router);
    {
        socket lost = connected(ZMQ_DEALER, endpoint, "one");
        ASSERT_EQ(lost.send("from the first"), 0);
        EXPECT_EQ(router.receive(), "one|from the first");
    }
    socket next = connected(ZMQ_DEALER, endpoint, "one");
    ASSERT_EQ(next.send("from the second"), 0);
    EXPECT_EQ(router.receive(), "one|from the second");
    ASSERT_EQ(router.send("one|answer"), 0);
    EXPECT_EQ(next.receive(), "answer");
}

ZLINK_OVER_EVERY_TRANSPORT(idle_sockets);

class idle_connections : public idle_sockets {
  protected:
    // Until the other side of a lost connection is there again.
    socket bound_again(int type, const std::string &endpoint) {
        socket server(owner, type);
        EXPECT_TRUE(eventually([&] { return server.bind(endpoint) == 0; }));
        return server;
    }
    static socket monitor_of(context &shared, socket &watched, int events) {
        const std::string endpoint = unused_endpoint("inproc");
        EXPECT_EQ(zmq_socket_monitor(watched.handle(), endpoint.c_str(), events), 0);
        socket monitor(shared, ZMQ_PAIR);
        EXPECT_EQ(monitor.connect(endpoint), 0);
        return monitor;
    }
};

TEST_P(idle_connections, hello_is_said_to_each_connection) {
    socket idle = greeting_dealer();
    idle.set(ZMQ_RECONNECT_IVL, 1);
    std::string endpoint;
    {
        socket first(owner, ZMQ_ROUTER);
        endpoint = bind(first);
        ASSERT_EQ(idle.connect(endpoint), 0);
        EXPECT_EQ(first.receive(), "d|hello");
    }
    socket second = bound_again(ZMQ_ROUTER, endpoint);
    EXPECT_EQ(second.receive(), "d|hello");
}

TEST_P(idle_connections, a_queued_message_goes_to_the_next_peer) {
    socket idle(owner, ZMQ_PUSH);
    idle.set(ZMQ_RECONNECT_IVL, 1);
    socket monitor = monitor_of(owner, idle, ZMQ_EVENT_DISCONNECTED);
    std::string endpoint;
    {
        socket first(owner, ZMQ_PULL);
        endpoint = bind(first);
        ASSERT_EQ(idle.connect(endpoint), 0);
        ASSERT_EQ(idle.send("x"), 0);
        EXPECT_EQ(first.receive(), "x");
    }
    ASSERT_FALSE(monitor.receive().empty());
    ASSERT_EQ(idle.send("y"), 0);
    socket second = bound_again(ZMQ_PULL, endpoint);
    ASSERT_TRUE(second.ready(ZMQ_POLLIN));
    EXPECT_EQ(second.receive(), "y");
}

// Numbers of the events that come, up to the last one of `wanted`.
std::vector<int> events_of(socket &monitor, std::size_t wanted) {
    std::vector<int> numbers;
    while (numbers.size() < wanted) {
        const frames event = monitor.receive_frames();
        if (event.size() != 2)
            break;
        numbers.push_back(static_cast<std::uint8_t>(event[0][0]) | static_cast<std::uint8_t>(event[0][1])
                                                                       << 8);
    }
    return numbers;
}

TEST_P(idle_connections, a_monitor_hears_of_handshakes_and_ends) {
    socket idle(owner, ZMQ_PULL);
    const std::string endpoint = bind(idle);
    constexpr int wanted = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED;
    socket monitor = monitor_of(owner, idle, wanted);
    socket push = connected(ZMQ_PUSH, endpoint);
    EXPECT_THAT(events_of(monitor, 2),
                ::testing::ElementsAre(ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    push.close();
    EXPECT_THAT(events_of(monitor, 1), ::testing::ElementsAre(ZMQ_EVENT_DISCONNECTED));
}

// The system has connected the peer when the listener closes.
TEST_P(idle_connections, a_closed_listener_reports_who_was_connected) {
    for (int round = 0; round < 100; ++round) {
        context shared;
        socket server(shared, ZMQ_REP);
        socket client(shared, ZMQ_REQ);
        const std::string transport = GetParam();
        ASSERT_EQ(server.bind(transport == "tcp" ? "tcp://127.0.0.1:*" : unused_endpoint(transport)), 0);
        const std::string endpoint = server.last_endpoint();
        socket of_server = monitor_of(shared, server, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CLOSED);
        socket of_client = monitor_of(shared, client, ZMQ_EVENT_CONNECTED);
        ASSERT_EQ(client.connect(endpoint), 0);
        ASSERT_THAT(events_of(of_client, 1), ::testing::ElementsAre(ZMQ_EVENT_CONNECTED));
        ASSERT_EQ(server.unbind(endpoint), 0);
        ASSERT_THAT(events_of(of_server, 2), ::testing::ElementsAre(ZMQ_EVENT_ACCEPTED, ZMQ_EVENT_CLOSED))
            << round;
    }
}

ZLINK_OVER_CONNECTIONS(idle_connections);

TEST(IdleSockets, AnswerPings) {
    context owner;
    socket idle(owner, ZMQ_PULL);
    ASSERT_EQ(idle.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(idle.last_endpoint());
    peer.shake_hands();
    peer.write("\4\7\4PING\0\0"s);
    EXPECT_EQ(peer.read_frame(), "\4PONG");
}

TEST(IdleSockets, GiveUpASilentPeer) {
    context owner;
    socket idle(owner, ZMQ_PULL);
    idle.set(ZMQ_HEARTBEAT_IVL, 20);
    idle.set(ZMQ_HEARTBEAT_TIMEOUT, 100);
    ASSERT_EQ(idle.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(idle.last_endpoint());
    peer.shake_hands();
    EXPECT_THAT(peer.read_to_end(), ::testing::HasSubstr("PING")); // and it ends
}

} // namespace
} // namespace zlink::conformance
