// SPDX-License-Identifier: MPL-2.0
// zlink/peers.h: who the peers of a socket are, and how to be rid of one.
#include "counters_rig.hpp"

namespace zlink::conformance {
namespace {

class socket_peers : public transport_test {
  protected:
    // A client that does not come back.
    socket client_of(const std::string &endpoint, std::string_view id) {
        socket made(owner, ZMQ_DEALER);
        made.set(ZMQ_ROUTING_ID, id);
        made.set(ZMQ_RECONNECT_IVL, -1);
        EXPECT_EQ(made.connect(endpoint), 0);
        return made;
    }
    static int disconnect(socket &from, std::string_view id) {
        return zlink_disconnect_peer(from.handle(), id.data(), id.size()) == 0 ? 0 : errno;
    }
    static std::vector<std::uint64_t> numbers_of_peers(socket &of) {
        const counted found(zlink_stats_of_socket(of.handle()));
        std::vector<std::uint64_t> ids;
        for (const int peer : found.peers_of(0))
            ids.push_back(found.number(peer, "id"));
        return ids;
    }
};
ZLINK_OVER_EVERY_TRANSPORT(socket_peers);

TEST_P(socket_peers, have_names_addresses_and_an_age) {
    socket other(owner, ZMQ_PAIR); // does not show
    socket router(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    socket first = client_of(endpoint, "first"), second = client_of(endpoint, "second");
    for (socket *const client : {&first, &second}) {
        ASSERT_EQ(client->send("hello"), 0);
        ASSERT_THAT(router.receive(), ::testing::EndsWith("|hello"));
    }
    const counted found(zlink_stats_of_socket(router.handle()));
    ASSERT_EQ(zlink_stats_count(found.get()), 3);
    EXPECT_EQ(zlink_stats_parent(found.get(), 0), -1);
    EXPECT_EQ(found.text(0, "type"), "ROUTER");
    std::vector<std::string> names;
    for (const int peer : found.peers_of(0)) {
        names.push_back(found.text(peer, "identity"));
        EXPECT_EQ(found.text(peer, "state"), "connected");
        EXPECT_EQ(found.text(peer, "mechanism"), GetParam() == std::string_view("inproc") ? "" : "NULL");
        EXPECT_NE(found.text(peer, "address"), "");
        EXPECT_GE(found.number(peer, "since"), found.number(0, "since"));
        EXPECT_GT(found.number(peer, "age"), 0U);
        EXPECT_LT(found.number(peer, "age"), std::uint64_t{patience_ms} * 1'000'000);
        EXPECT_EQ(found.number(peer, "received.messages"), 1U);
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("first", "second"));
}

TEST_P(socket_peers, are_disconnected_by_routing_id) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string endpoint = bind(router);
    socket goes = client_of(endpoint, "goes"), stays = client_of(endpoint, "stays");
    for (socket *const client : {&goes, &stays}) {
        ASSERT_EQ(client->send("hello"), 0);
        ASSERT_THAT(router.receive(), ::testing::EndsWith("|hello"));
    }
    EXPECT_EQ(disconnect(router, "nobody"), EHOSTUNREACH);
    EXPECT_EQ(disconnect(router, ""), EINVAL);
    EXPECT_EQ(disconnect(router, "goes"), 0);
    EXPECT_EQ(disconnect(router, "goes"), EHOSTUNREACH);
    EXPECT_EQ(router.send("goes|text"), EHOSTUNREACH);
    EXPECT_TRUE(eventually([&] { return !goes.ready(ZMQ_POLLOUT, 0); }));
    ASSERT_EQ(router.send("stays|text"), 0);
    EXPECT_EQ(stays.receive(), "text");
    ASSERT_EQ(stays.send("answer"), 0);
    EXPECT_EQ(router.receive(), "stays|answer");
}

TEST_P(socket_peers, are_disconnected_by_a_routing_id_that_the_router_made) {
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_ROUTER_MANDATORY, 1);
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(dealer.connect(bind(router)), 0);
    ASSERT_EQ(dealer.send("hello"), 0);
    const std::string id = router.receive_frames().at(0);
    ASSERT_EQ(disconnect(router, id), 0);
    EXPECT_EQ(router.send({id, "text"}), EHOSTUNREACH);
    EXPECT_EQ(disconnect(router, id), EHOSTUNREACH);
}

TEST_P(socket_peers, that_are_disconnected_have_no_subscriptions) {
    socket xpub(owner, ZMQ_XPUB), sub(owner, ZMQ_SUB);
    sub.set(ZMQ_SUBSCRIBE, "topic");
    sub.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(sub.connect(bind(xpub)), 0);
    ASSERT_EQ(xpub.receive(), "\1topic");
    ASSERT_EQ(zlink_disconnect_peer_number(xpub.handle(), numbers_of_peers(xpub).at(0)), 0);
    EXPECT_EQ(xpub.receive(), std::string("\0topic", 6));
    EXPECT_EQ(xpub.send("topic"), 0);
    EXPECT_EQ(now(owner, "XPUB", "dropped.no_subscriber"), 1U);
}

TEST_P(socket_peers, are_disconnected_by_number) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    std::vector<socket> clients;
    for (int i = 0; i < 3; ++i) {
        socket &push = clients.emplace_back(owner, ZMQ_PUSH);
        push.set(ZMQ_RECONNECT_IVL, -1);
        ASSERT_EQ(push.connect(endpoint), 0);
        ASSERT_EQ(push.send("hello"), 0);
        ASSERT_EQ(pull.receive(), "hello");
    }
    const std::vector<std::uint64_t> ids = numbers_of_peers(pull);
    ASSERT_EQ(ids.size(), 3U);
    ASSERT_EQ(zlink_disconnect_peer_number(pull.handle(), ids[1]), 0);
    EXPECT_TRUE(eventually([&] { return numbers_of_peers(pull) == std::vector{ids[0], ids[2]}; }));
    EXPECT_EQ(zlink_disconnect_peer_number(pull.handle(), ids[1]), -1);
    EXPECT_EQ(errno, EHOSTUNREACH);
    EXPECT_TRUE(eventually([&] {
        int writable = 0;
        for (socket &push : clients)
            writable += push.ready(ZMQ_POLLOUT, 0) ? 1 : 0;
        return writable == 2;
    }));
}

TEST_P(socket_peers, of_a_connection_of_ours_end_its_endpoint) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("hello"), 0);
    ASSERT_EQ(pull.receive(), "hello");
    const std::vector<std::uint64_t> ids = numbers_of_peers(push);
    ASSERT_EQ(ids.size(), 1U);
    ASSERT_EQ(zlink_disconnect_peer_number(push.handle(), ids[0]), 0);
    EXPECT_EQ(push.disconnect(endpoint), ENOENT);
    EXPECT_EQ(push.send("text", ZMQ_DONTWAIT), EAGAIN);
    EXPECT_TRUE(eventually([&] {
        (void)pull.get(ZMQ_EVENTS);
        return numbers_of_peers(pull).empty();
    }));
}

TEST_P(socket_peers, that_left_messages_behind_are_gone) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    socket push(owner, ZMQ_PUSH);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("unread"), 0);
    ASSERT_TRUE(pull.ready(ZMQ_POLLIN));
    const std::vector<std::uint64_t> ids = numbers_of_peers(pull);
    ASSERT_EQ(ids.size(), 1U);
    push.close();
    if (zlink_disconnect_peer_number(pull.handle(), ids[0]) != 0) {
        EXPECT_EQ(errno, EHOSTUNREACH);
    }
    const std::string last = pull.receive(ZMQ_DONTWAIT); // its end may not have been known yet
    EXPECT_TRUE(last == "unread" || last.starts_with("error")) << last;
}

} // namespace
} // namespace zlink::conformance
