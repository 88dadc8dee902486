// SPDX-License-Identifier: MPL-2.0
// Where sockets are: connect before bind, unbind and bind again, disconnect, ZMQ_LAST_ENDPOINT, ipc
// wildcards.
#include "rig.hpp"

#include <sys/stat.h>

namespace zlink::conformance {
namespace {

class endpoints : public transport_test {};
class connections : public transport_test {};

TEST_P(endpoints, connect_comes_before_bind) {
    const std::string endpoint = unused_endpoint(GetParam());
    std::vector<socket> sources;
    for (int i = 0; i < 3; ++i) {
        sources.emplace_back(owner, ZMQ_PUSH);
        sources.back().set(ZMQ_RECONNECT_IVL, 5);
        ASSERT_EQ(sources.back().connect(endpoint), 0);
        ASSERT_EQ(sources.back().send("early " + std::to_string(i)), 0);
    }
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind(endpoint), 0);
    const std::array seen{sink.receive(), sink.receive(), sink.receive()};
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre("early 0", "early 1", "early 2"));
    for (socket &source : sources) {
        ASSERT_EQ(source.send("late"), 0);
        EXPECT_EQ(sink.receive(), "late");
    }
}

TEST_P(endpoints, taken_ones_are_refused_until_they_are_free) {
    socket first(owner, ZMQ_PULL), second(owner, ZMQ_PULL);
    const std::string endpoint = bind(first);
    EXPECT_EQ(second.bind(endpoint), EADDRINUSE);
    ASSERT_EQ(first.unbind(endpoint), 0);
    EXPECT_EQ(first.unbind(endpoint), ENOENT);
    // The name is free when the I/O thread has let it go.
    ASSERT_TRUE(eventually([&] { return second.bind(endpoint) == 0; }));
    socket source = connected(ZMQ_PUSH, endpoint);
    ASSERT_EQ(source.send("to the second"), 0);
    EXPECT_EQ(second.receive(), "to the second");
}

TEST_P(endpoints, a_socket_binds_again_after_unbind) {
    socket sink(owner, ZMQ_PULL);
    for (int round = 0; round < 5; ++round) {
        const std::string endpoint = bind(sink);
        socket source = connected(ZMQ_PUSH, endpoint);
        const std::string text = "round " + std::to_string(round);
        ASSERT_EQ(source.send(text), 0);
        ASSERT_EQ(sink.receive(), text);
        ASSERT_EQ(sink.unbind(endpoint), 0);
    }
}

TEST_P(endpoints, disconnected_peer_gets_nothing) {
    socket one(owner, ZMQ_PULL), other(owner, ZMQ_PULL);
    const std::string to_one = bind(one), to_other = bind(other);
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect(to_one), 0);
    ASSERT_EQ(source.connect(to_other), 0);
    ASSERT_EQ(source.send("1"), 0);
    ASSERT_EQ(source.send("2"), 0);
    EXPECT_EQ(one.receive(), "1");
    EXPECT_EQ(other.receive(), "2");
    ASSERT_EQ(source.disconnect(to_one), 0);
    EXPECT_EQ(source.disconnect(to_one), ENOENT);
    for (int i = 0; i < 4; ++i)
        ASSERT_EQ(source.send(std::to_string(i)), 0);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(other.receive(), std::to_string(i));
    EXPECT_EQ(one.receive(ZMQ_DONTWAIT), std::string("error: ") + zmq_strerror(EAGAIN));
    ASSERT_EQ(source.disconnect(to_other), 0);
    EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
    ASSERT_EQ(source.connect(to_one), 0);
    ASSERT_EQ(source.send("here again"), 0);
    EXPECT_EQ(one.receive(), "here again");
}

TEST_P(endpoints, message_that_is_being_received_is_received_whole_though_its_peer_is_disconnected) {
    for (const auto &[reading, writing] : {std::pair{ZMQ_PULL, ZMQ_PUSH}, std::pair{ZMQ_DEALER, ZMQ_DEALER},
                                           std::pair{ZMQ_PAIR, ZMQ_PAIR}, std::pair{ZMQ_XSUB, ZMQ_XPUB}}) {
        socket source(owner, writing), sink(owner, reading);
        const std::string endpoint = bind(source);
        ASSERT_EQ(sink.connect(endpoint), 0);
        if (reading == ZMQ_XSUB) {
            ASSERT_EQ(sink.send("\1"), 0);
            ASSERT_EQ(source.receive(), "\1");
        }
        ASSERT_EQ(source.send("one|two|three"), 0);
        ASSERT_EQ(source.send("not|wanted|any more"), 0);
        char body[8];
        ASSERT_EQ(zmq_recv(sink.handle(), body, sizeof body, 0), 3);
        ASSERT_EQ(sink.disconnect(endpoint), 0);
        EXPECT_EQ(sink.get(ZMQ_RCVMORE), 1);
        EXPECT_EQ(sink.receive(), "two|three");
        EXPECT_EQ(sink.receive(ZMQ_DONTWAIT), std::string("error: ") + zmq_strerror(EAGAIN));
        EXPECT_EQ(sink.get(ZMQ_RCVMORE), 0);
    }
}

TEST_P(endpoints, last_one_is_told_and_can_be_connected_to) {
    socket sink(owner, ZMQ_PULL);
    EXPECT_EQ(sink.last_endpoint(), "");
    const std::string first = bind(sink);
    EXPECT_TRUE(first.starts_with(std::string(GetParam()) + "://"));
    const std::string second = bind(sink);
    EXPECT_NE(first, second);
    EXPECT_EQ(sink.last_endpoint(), second);
    for (const std::string &endpoint : {first, second}) {
        socket source = connected(ZMQ_PUSH, endpoint);
        EXPECT_EQ(source.last_endpoint(), endpoint);
        ASSERT_EQ(source.send(endpoint), 0);
        EXPECT_EQ(sink.receive(), endpoint);
    }
}

TEST(ipc_wildcard, makes_paths_of_its_own_that_go_with_the_socket) {
    context owner;
    struct stat about {};
    std::string paths[2];
    {
        socket sinks[] = {socket(owner, ZMQ_PULL), socket(owner, ZMQ_PULL)};
        for (int i = 0; i < 2; ++i) {
            ASSERT_EQ(sinks[i].bind("ipc://*"), 0);
            paths[i] = sinks[i].last_endpoint().substr(6);
            EXPECT_EQ(::stat(paths[i].c_str(), &about), 0) << paths[i];
            EXPECT_TRUE(S_ISSOCK(about.st_mode));
            socket source(owner, ZMQ_PUSH);
            ASSERT_EQ(source.connect("ipc://" + paths[i]), 0);
            ASSERT_EQ(source.send("hello"), 0);
            EXPECT_EQ(sinks[i].receive(), "hello");
        }
        EXPECT_NE(paths[0], paths[1]);
    }
    owner.term();
    for (const std::string &path : paths)
        EXPECT_NE(::stat(path.c_str(), &about), 0) << path;
}

TEST_P(connections, come_back_when_the_server_does) {
    auto server = std::make_unique<socket>(owner, ZMQ_DEALER);
    const std::string endpoint = bind(*server);
    socket client(owner, ZMQ_DEALER);
    client.set(ZMQ_RECONNECT_IVL, 2);
    client.set(ZMQ_RECONNECT_IVL_MAX, 10);
    ASSERT_EQ(client.connect(endpoint), 0);
    for (int round = 0; round < 4; ++round) {
        ASSERT_EQ(client.send("ping"), 0);
        // A question that a connection took with it is lost: it is asked again.
        ASSERT_TRUE(eventually([&] {
            if (server->ready(ZMQ_POLLIN, quiet_ms))
                return true;
            EXPECT_EQ(client.send("ping"), 0);
            return false;
        }));
        ASSERT_EQ(server->receive(), "ping");
        ASSERT_EQ(server->send("pong"), 0);
        ASSERT_EQ(client.receive(), "pong");
        server->close();
        server = std::make_unique<socket>(owner, ZMQ_DEALER);
        ASSERT_TRUE(eventually([&] { return server->bind(endpoint) == 0; }));
    }
}

TEST_P(connections, subscriptions_come_back_with_them) {
    auto server = std::make_unique<socket>(owner, ZMQ_XPUB);
    const std::string endpoint = bind(*server);
    socket client(owner, ZMQ_SUB);
    client.set(ZMQ_RECONNECT_IVL, 2);
    client.set(ZMQ_SUBSCRIBE, "b");
    client.set(ZMQ_SUBSCRIBE, "a");
    ASSERT_EQ(client.connect(endpoint), 0);
    for (int round = 0; round < 3; ++round) {
        // The client's thread says it again, in any call.
        ASSERT_TRUE(eventually([&] { return !client.ready(ZMQ_POLLIN, 0) && server->ready(ZMQ_POLLIN, 0); }));
        EXPECT_EQ(server->receive(), "\1a") << "in order";
        EXPECT_EQ(server->receive(), "\1b");
        ASSERT_EQ(server->send("b " + std::to_string(round)), 0);
        EXPECT_EQ(client.receive(), "b " + std::to_string(round));
        server->close();
        server = std::make_unique<socket>(owner, ZMQ_XPUB);
        ASSERT_TRUE(eventually([&] { return server->bind(endpoint) == 0; }));
    }
}

ZLINK_OVER_EVERY_TRANSPORT(endpoints);
ZLINK_OVER_CONNECTIONS(connections);

} // namespace
} // namespace zlink::conformance
