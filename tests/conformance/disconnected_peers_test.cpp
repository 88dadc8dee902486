// SPDX-License-Identifier: MPL-2.0
// A disconnected peer leaves messages and their counts, and an endpoint. Other threads may call meanwhile.
#include <thread>

#include "counters_rig.hpp"

namespace zlink::conformance {
namespace {

class disconnected_peers : public transport_test {
  protected:
    [[nodiscard]] static bool is_inproc() { return GetParam() == std::string_view("inproc"); }
    static std::uint64_t number_of_peer(socket &of) {
        const counted found(zlink_stats_of_socket(of.handle()));
        const std::vector<int> peers = found.peers_of(0);
        return peers.empty() ? 0 : found.number(peers.back(), "id");
    }
    static int disconnect(socket &from, std::uint64_t number) {
        return zlink_disconnect_peer_number(from.handle(), number) == 0 ? 0 : errno;
    }
    static std::string state_of_peer(socket &of) {
        const counted found(zlink_stats_of_socket(of.handle()));
        const std::vector<int> peers = found.peers_of(0);
        return peers.empty() ? "none" : found.text(peers.back(), "state");
    }
};
ZLINK_OVER_EVERY_TRANSPORT(disconnected_peers);

std::uint64_t dropped(const counted &found, const std::string &type) {
    std::uint64_t sum = 0;
    for (const char *why : {"mark_reached", "no_subscriber", "unroutable", "replaced", "linger_expired",
                            "connection_lost", "policy", "unread", "filtered"})
        sum += found.number(type, std::string("dropped.") + why);
    return sum;
}

// By the side that has bound, and by the one that has connected.
TEST_P(disconnected_peers, leave_books_that_balance) {
    for (const bool by_binder : {true, false}) {
        SCOPED_TRACE(by_binder);
        context both;
        socket pull(both, ZMQ_PULL), push(both, ZMQ_PUSH);
        push.set(ZMQ_RECONNECT_IVL, -1);
        pull.set(ZMQ_RECONNECT_IVL, -1);
        socket &bound = by_binder ? pull : push, &connecting = by_binder ? push : pull;
        const std::string endpoint = bind(bound);
        ASSERT_EQ(connecting.connect(endpoint), 0);
        constexpr std::uint64_t sent = 10, read = 3;
        for (std::uint64_t i = 0; i < sent; ++i)
            ASSERT_EQ(push.send("text"), 0);
        for (std::uint64_t i = 0; i < read; ++i)
            ASSERT_EQ(pull.receive(), "text");
        ASSERT_TRUE(eventually([&] { return now(both, "PULL", "queued.in") == sent - read; }));
        ASSERT_EQ(disconnect(pull, number_of_peer(pull)), 0);
        EXPECT_EQ(pull.receive(ZMQ_DONTWAIT), std::string("error: ") + zmq_strerror(EAGAIN));
        EXPECT_TRUE(
            eventually([&] { return state_of_peer(pull) == "none" && state_of_peer(push) == "none"; }));
        const counted found(both);
        EXPECT_EQ(found.number("PUSH", "sent.messages"), sent);
        EXPECT_EQ(found.number("PULL", "received.messages"), read);
        EXPECT_EQ(found.number("PULL", "queued.in") + found.number("PUSH", "queued.out"), 0U);
        EXPECT_EQ(dropped(found, "PUSH") + dropped(found, "PULL"), sent - read);
        EXPECT_EQ(is_inproc() ? found.number("PUSH", "dropped.connection_lost")
                              : found.number("PULL", "dropped.unread"),
                  sent - read);
    }
}

TEST_P(disconnected_peers, receive_what_was_sent_to_them) {
    socket push(owner, ZMQ_PUSH), pull(owner, ZMQ_PULL);
    push.set(ZMQ_LINGER, -1);
    push.set(ZMQ_SNDHWM, 100);
    pull.set(ZMQ_RCVHWM, 2);
    pull.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(pull.connect(bind(push)), 0);
    const std::string body(50'000, 'b');
    std::uint64_t sent = 0;
    EXPECT_TRUE(eventually([&] { // the operating system takes no more
        for (; push.send(body, ZMQ_DONTWAIT) == 0; ++sent) {
        }
        return sent >= 100 && !push.ready(ZMQ_POLLOUT, quiet_ms);
    }));
    const std::uint64_t number = number_of_peer(push);
    ASSERT_EQ(disconnect(push, number), 0);
    EXPECT_EQ(state_of_peer(push), "disconnected");
    EXPECT_GT(now(owner, "PUSH", "queued.out"), 0U);
    EXPECT_EQ(disconnect(push, number), EHOSTUNREACH);
    EXPECT_EQ(push.send(body, ZMQ_DONTWAIT), EAGAIN);
    for (std::uint64_t i = 0; i < sent; ++i)
        ASSERT_EQ(pull.receive(), body);
    EXPECT_TRUE(eventually([&] {
        (void)pull.get(ZMQ_EVENTS);
        return state_of_peer(push) == "none";
    }));
    const counted found(owner);
    EXPECT_EQ(found.number("PUSH", "sent.messages"), sent);
    EXPECT_EQ(found.number("PULL", "received.messages"), sent);
    EXPECT_EQ(dropped(found, "PUSH") + dropped(found, "PULL"), 0U);
}

// With the rest of a message that was begun.
TEST_P(disconnected_peers, leave_a_message_that_is_being_received) {
    socket pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    ASSERT_EQ(push.send("first|second"), 0);
    ASSERT_EQ(push.send("another"), 0);
    ASSERT_TRUE(eventually([&] { return now(owner, "PULL", "queued.in") == 2; }));
    char frame[8];
    ASSERT_EQ(zmq_recv(pull.handle(), frame, sizeof frame, 0), 5);
    ASSERT_EQ(disconnect(pull, number_of_peer(pull)), 0);
    EXPECT_EQ(pull.receive(), "second");
    EXPECT_TRUE(pull.quiet());
}

TEST_P(disconnected_peers, that_are_not_there_yet_are_not_waited_for) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 5);
    ASSERT_EQ(push.connect(endpoint), 0);
    EXPECT_EQ(state_of_peer(push), "not connected");
    ASSERT_EQ(disconnect(push, number_of_peer(push)), 0);
    EXPECT_EQ(push.disconnect(endpoint), ENOENT);
    EXPECT_EQ(push.send("text", ZMQ_DONTWAIT), EAGAIN);
    EXPECT_TRUE(eventually([&] { return state_of_peer(push) == "none"; }));
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("text"), 0);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    EXPECT_EQ(pull.receive(), "text");
}

TEST_P(disconnected_peers, come_back_if_they_made_the_connection) {
    socket pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("hello"), 0);
    ASSERT_EQ(pull.receive(), "hello");
    const std::uint64_t number = number_of_peer(pull);
    ASSERT_EQ(disconnect(pull, number), 0);
    if (is_inproc()) { // nothing connects again by itself
        EXPECT_EQ(push.send("text", ZMQ_DONTWAIT), EAGAIN);
        ASSERT_EQ(push.connect(endpoint), 0);
    }
    EXPECT_TRUE(eventually([&] {
        (void)push.send("again", ZMQ_DONTWAIT); // what the old connection has taken may be lost
        return pull.receive(ZMQ_DONTWAIT) == "again";
    }));
    EXPECT_TRUE(eventually([&] { return state_of_peer(pull) == "connected"; }));
    EXPECT_GT(number_of_peer(pull), number);
}

// With ZMQ_IMMEDIATE the endpoint has no queue before it is connected.
TEST_P(disconnected_peers, can_be_connected_to_again_at_once) {
    socket router(owner, ZMQ_ROUTER), dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_IMMEDIATE, 1);
    dealer.set(ZMQ_RECONNECT_IVL, 1);
    const std::string endpoint = bind(router);
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(dealer.connect(endpoint), 0);
        ASSERT_EQ(dealer.send("hello"), 0);
        ASSERT_EQ(router.receive_frames().at(1), "hello");
        ASSERT_EQ(disconnect(dealer, number_of_peer(dealer)), 0);
        ASSERT_EQ(dealer.disconnect(endpoint), ENOENT);
        ASSERT_EQ(dealer.send("text", ZMQ_DONTWAIT), EAGAIN);
    }
}

TEST_P(disconnected_peers, may_go_by_themselves_meanwhile) {
    socket router(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    std::thread others([&] {
        for (int i = 0; i < 100; ++i) {
            socket dealer(owner, ZMQ_DEALER);
            dealer.set(ZMQ_ROUTING_ID, i % 2 == 0 ? "even" : "odd");
            ASSERT_EQ(dealer.connect(endpoint), 0);
            (void)dealer.send("hello", ZMQ_DONTWAIT);
        }
        socket last(owner, ZMQ_DEALER);
        ASSERT_EQ(last.connect(endpoint), 0);
        for (bool told = false; !told; told = last.receive() == "end")
            (void)last.send("last");
    });
    for (bool ended = false; !ended;) {
        const frames got = router.receive_frames();
        if (got.size() == 2 && got[1] == "last") {
            EXPECT_EQ(router.send({got[0], "end"}), 0);
            ended = true;
        } else if (zlink_disconnect_peer(router.handle(), "even", 4) != 0) {
            EXPECT_EQ(errno, EHOSTUNREACH);
        }
        const counted found(zlink_stats_of_socket(router.handle()));
        for (const int peer : found.peers_of(0)) {
            if (found.text(peer, "identity") != "odd")
                continue;
            EXPECT_THAT(disconnect(router, found.number(peer, "id")), ::testing::AnyOf(0, EHOSTUNREACH));
        }
    }
    others.join();
}

TEST_P(disconnected_peers, of_a_socket_of_many_threads_are_disconnected_by_any) {
    socket server(owner, ZMQ_SERVER), client(owner, ZMQ_CLIENT);
    client.set(ZMQ_RECONNECT_IVL, 1);
    const std::string endpoint = bind(server);
    std::atomic<bool> ends{false};
    std::thread reader([&] {
        while (!ends)
            (void)server.receive(ZMQ_DONTWAIT);
    });
    for (int i = 0; i < 50; ++i) {
        if (i == 0 || is_inproc()) {
            ASSERT_EQ(client.connect(endpoint), 0);
        }
        std::uint64_t number = 0;
        ASSERT_TRUE(eventually([&] {
            (void)client.send("hello", ZMQ_DONTWAIT);
            return (number = number_of_peer(server)) != 0;
        }));
        EXPECT_THAT(disconnect(server, number), ::testing::AnyOf(0, EHOSTUNREACH));
    }
    ends = true;
    reader.join();
}

TEST(peers_of_no_socket, are_an_error) {
    context owner;
    EXPECT_EQ(zlink_stats_of_socket(owner.handle()), nullptr);
    EXPECT_EQ(errno, ENOTSOCK);
    EXPECT_EQ(zlink_disconnect_peer(nullptr, "a", 1), -1);
    EXPECT_EQ(errno, ENOTSOCK);
    EXPECT_EQ(zlink_disconnect_peer_number(owner.handle(), 1), -1);
    EXPECT_EQ(errno, ENOTSOCK);
    socket pull(owner, ZMQ_PULL);
    EXPECT_EQ(zlink_disconnect_peer_number(pull.handle(), 1), -1);
    EXPECT_EQ(errno, EHOSTUNREACH);
}

} // namespace
} // namespace zlink::conformance
