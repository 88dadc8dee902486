// SPDX-License-Identifier: MPL-2.0
// zlink/peers.h: who the peers of a socket are, how to be rid of one, and how many there may be.
#include <cstring>

#include "counters_rig.hpp"
#include "zlink/peers.h"

namespace zlink::conformance {
namespace {

class peers : public transport_test {
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
class most_peers : public peers {};
ZLINK_OVER_EVERY_TRANSPORT(peers);
ZLINK_OVER_CONNECTIONS(most_peers);

TEST_P(peers, have_names_addresses_and_an_age) {
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
        EXPECT_EQ(found.number(peer, "received.messages"), 1U);
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("first", "second"));
}

TEST_P(peers, are_disconnected_by_routing_id) {
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

TEST_P(peers, are_disconnected_by_number) {
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

TEST_P(peers, of_a_connection_of_ours_end_its_endpoint) {
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

TEST_P(peers, that_left_messages_behind_are_gone) {
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

std::uint64_t refused_by(socket &server) {
    std::uint64_t count = 0;
    std::size_t size = sizeof count;
    EXPECT_EQ(zmq_getsockopt(server.handle(), ZLINK_CLOSED_OVER_LIMIT, &count, &size), 0);
    return count;
}

TEST_P(most_peers, are_as_many_as_the_option_says) {
    socket pull(owner, ZMQ_PULL);
    EXPECT_EQ(pull.get(ZLINK_MAX_PEERS), 0);
    pull.set(ZLINK_MAX_PEERS, 2);
    socket monitor(owner, ZMQ_PAIR);
    ASSERT_EQ(zmq_socket_monitor(pull.handle(), "inproc://refused", ZMQ_EVENT_ACCEPT_FAILED), 0);
    ASSERT_EQ(monitor.connect("inproc://refused"), 0);
    const std::string endpoint = bind(pull);
    std::vector<socket> clients;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(refused_by(pull), 0U);
        socket &push = clients.emplace_back(owner, ZMQ_PUSH);
        push.set(ZMQ_IMMEDIATE, 1); // only a peer makes it writable
        push.set(ZMQ_RECONNECT_IVL, 5);
        ASSERT_EQ(push.connect(endpoint), 0);
        if (i < 2) {
            ASSERT_EQ(push.send("hello"), 0);
            ASSERT_EQ(pull.receive(), "hello");
        }
    }
    EXPECT_TRUE(eventually([&] { return refused_by(pull) >= 2; }));
    EXPECT_GE(now(owner, "PULL", "closed.over_limit"), 2U);
    EXPECT_FALSE(clients[2].ready(ZMQ_POLLOUT, quiet_ms));
    const std::string event = monitor.receive_frames().at(0);
    std::uint32_t value = 0;
    ASSERT_EQ(event.size(), 6U);
    std::memcpy(&value, event.data() + 2, sizeof value);
    EXPECT_EQ(value, static_cast<std::uint32_t>(EUSERS));
    clients[0].close(); // a place is free
    ASSERT_EQ(clients[2].send("late"), 0);
    EXPECT_EQ(pull.receive(), "late");
}

TEST_P(most_peers, are_counted_for_each_endpoint) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_MAX_PEERS, 1);
    const std::string one = bind(pull), another = bind(pull);
    pull.set(ZLINK_MAX_PEERS, 0); // for endpoints that are bound later
    const std::string open = bind(pull);
    std::vector<socket> clients;
    for (const std::string &endpoint : {one, another, open, open}) {
        socket &push = clients.emplace_back(owner, ZMQ_PUSH);
        ASSERT_EQ(push.connect(endpoint), 0);
        ASSERT_EQ(push.send("hello"), 0);
        EXPECT_EQ(pull.receive(), "hello");
    }
    EXPECT_EQ(refused_by(pull), 0U);
}

} // namespace
} // namespace zlink::conformance
