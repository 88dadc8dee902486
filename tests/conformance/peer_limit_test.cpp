// SPDX-License-Identifier: MPL-2.0
// ZLINK_MAX_PEERS: how many connections an endpoint has at a time.
#include <cstring>
#include <sys/un.h>

#include "bare_peer.hpp"
#include "counters_rig.hpp"

namespace zlink::conformance {
namespace {

class most_peers : public transport_test {};
ZLINK_OVER_CONNECTIONS(most_peers);

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

TEST_P(most_peers, leave_a_place_when_they_are_disconnected) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_MAX_PEERS, 1);
    const std::string endpoint = bind(pull);
    socket first(owner, ZMQ_PUSH);
    first.set(ZMQ_RECONNECT_IVL, -1);
    ASSERT_EQ(first.connect(endpoint), 0);
    ASSERT_EQ(first.send("hello"), 0);
    ASSERT_EQ(pull.receive(), "hello");
    {
        const counted found(zlink_stats_of_socket(pull.handle()));
        ASSERT_EQ(zlink_disconnect_peer_number(pull.handle(), found.number(found.peers_of(0).at(0), "id")),
                  0);
    }
    socket second(owner, ZMQ_PUSH);
    second.set(ZMQ_RECONNECT_IVL, 5);
    ASSERT_EQ(second.connect(endpoint), 0);
    ASSERT_EQ(second.send("hello too"), 0);
    EXPECT_EQ(pull.receive(), "hello too");
}

// A descriptor that is connected and says nothing.
int silent_peer(const std::string &endpoint) {
    if (!endpoint.starts_with("ipc://@")) {
        const int made = ::socket(AF_INET, SOCK_STREAM, 0);
        connect_bare(made, endpoint.ends_with("/") ? endpoint.substr(0, endpoint.size() - 1) : endpoint);
        return made;
    }
    const std::string name = endpoint.substr(std::strlen("ipc://@"));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(made, reinterpret_cast<sockaddr *>(&address), size), 0);
    return made;
}

TEST_P(most_peers, are_no_more_while_handshakes_are_open) {
    constexpr std::uint64_t most = 3, all = 1000;
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_MAX_PEERS, int{most});
    pull.set(ZMQ_HANDSHAKE_IVL, patience_ms);
    pull.set(ZMQ_BACKLOG, int{all});
    const std::string endpoint = bind(pull);
    std::vector<int> silent;
    for (std::uint64_t i = 0; i < all; ++i) {
        silent.push_back(silent_peer(endpoint));
        if (i % 100 == 99) { // a backlog may be shorter than was asked for
            ASSERT_TRUE(eventually([&] { return refused_by(pull) == i + 1 - most; })) << refused_by(pull);
        }
    }
    EXPECT_EQ(now(owner, "PULL", "accepted"), most);
    EXPECT_EQ(now(owner, "PULL", "peers"), 0U);
    for (const int one : silent)
        ::close(one);
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 5);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("hello"), 0);
    EXPECT_EQ(pull.receive(), "hello");
}

// The request says whose connection it is. One that is full does not keep the peers of another one out.
TEST(most_peers_of_a_port, are_counted_for_each_path) {
    context owner;
    socket full(owner, ZMQ_PULL), open(owner, ZMQ_PULL);
    full.set(ZLINK_MAX_PEERS, 1);
    ASSERT_EQ(full.bind("ws://127.0.0.1:*/full"), 0);
    const std::string at_full = full.last_endpoint();
    const std::string at_open = at_full.substr(0, at_full.rfind('/')) + "/open";
    ASSERT_EQ(open.bind(at_open), 0);
    std::vector<socket> clients;
    const auto connect = [&](const std::string &endpoint) -> socket & {
        socket &push = clients.emplace_back(owner, ZMQ_PUSH);
        push.set(ZMQ_IMMEDIATE, 1);
        push.set(ZMQ_RECONNECT_IVL, 5);
        EXPECT_EQ(push.connect(endpoint), 0);
        return push;
    };
    ASSERT_EQ(connect(at_full).send("hello"), 0);
    ASSERT_EQ(full.receive(), "hello");
    for (int i = 0; i < 10; ++i) { // either listener may accept them
        ASSERT_EQ(connect(at_open).send("hello"), 0);
        ASSERT_EQ(open.receive(), "hello");
    }
    socket &refused = connect(at_full);
    EXPECT_TRUE(eventually([&] { return refused_by(full) >= 3; }));
    EXPECT_FALSE(refused.ready(ZMQ_POLLOUT, 0));
    EXPECT_EQ(refused_by(open), 0U);
}

TEST(most_peers_of_inproc, are_as_many_as_come) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_MAX_PEERS, 1);
    ASSERT_EQ(pull.bind("inproc://name"), 0);
    std::vector<socket> clients;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(clients.emplace_back(owner, ZMQ_PUSH).connect("inproc://name"), 0);
        ASSERT_EQ(clients.back().send("hello"), 0);
        EXPECT_EQ(pull.receive(), "hello");
    }
}

TEST(most_peers_option, takes_no_negative_number) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    const int wrong = -1;
    EXPECT_EQ(zmq_setsockopt(pull.handle(), ZLINK_MAX_PEERS, &wrong, sizeof wrong), -1);
    EXPECT_EQ(errno, EINVAL);
}

} // namespace
} // namespace zlink::conformance
