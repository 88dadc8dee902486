// SPDX-License-Identifier: MPL-2.0
// ZMQ_HEARTBEAT_IVL, ZMQ_HEARTBEAT_TIMEOUT, ZMQ_HANDSHAKE_IVL: against a peer on a bare TCP socket.
#include "bare_peer.hpp"
#include "counters_rig.hpp"

namespace zlink::conformance {
namespace {

using namespace std::string_literals;

TEST(heartbeat, a_peer_that_answers_nothing_is_disconnected) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_HEARTBEAT_IVL, 20);
    sink.set(ZMQ_HEARTBEAT_TIMEOUT, 60);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.shake_hands();
    int pings = 0;
    for (std::string frame = peer.read_frame(); !frame.empty(); frame = peer.read_frame()) {
        EXPECT_THAT(frame, ::testing::StartsWith("\x04PING"));
        ++pings;
    }
    EXPECT_GE(pings, 1);
    EXPECT_TRUE(eventually([&] { return now(owner, "PULL", "closed.heartbeat") == 1; }));
    EXPECT_EQ(now(owner, "PULL", "heartbeats.missed"), 1U) << "once, however many PINGs there were";
}

TEST(heartbeat, a_peer_that_is_silent_beyond_its_own_time_has_missed_none) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.shake_hands();
    peer.write("\x04\x07\x04PING\0\1"s);
    EXPECT_EQ(peer.read_frame(), "\x04PONG");
    EXPECT_EQ(peer.read_frame(), "") << "the connection ended";
    EXPECT_TRUE(eventually([&] { return now(owner, "PULL", "closed.heartbeat") == 1; }));
    EXPECT_EQ(now(owner, "PULL", "heartbeats.missed"), 0U);
}

TEST(heartbeat, a_peer_that_answers_stays) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_HEARTBEAT_IVL, 10);
    sink.set(ZMQ_HEARTBEAT_TIMEOUT, patience_ms);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.shake_hands();
    for (int i = 0; i < 10; ++i) {
        ASSERT_THAT(peer.read_frame(), ::testing::StartsWith("\x04PING"));
        peer.write("\x04\x05\x04PONG"s);
    }
    peer.write("\0\x02hi"s);
    EXPECT_EQ(sink.receive(), "hi");
}

TEST(heartbeat, pings_are_answered_with_their_context) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.shake_hands();
    peer.write("\x04\x0b\x04PING\0\0ctxt"s);
    EXPECT_EQ(peer.read_frame(), "\x04PONGctxt");
}

TEST(heartbeat, between_sockets_is_not_heard_by_the_application) {
    context owner;
    socket server(owner, ZMQ_DEALER), client(owner, ZMQ_DEALER);
    for (socket *one : {&server, &client}) {
        one->set(ZMQ_HEARTBEAT_IVL, 1);
        one->set(ZMQ_HEARTBEAT_TIMEOUT,
                 30'000); // on a busy machine an answer may take longer than the interval
        one->set(ZMQ_HEARTBEAT_TTL, 10'000);
    }
    ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
    ASSERT_EQ(client.connect(server.last_endpoint()), 0);
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(client.send("there"), 0);
        ASSERT_EQ(server.receive(), "there");
        ASSERT_EQ(server.send("back"), 0);
        ASSERT_EQ(client.receive(), "back");
        EXPECT_TRUE(client.quiet());
        EXPECT_TRUE(server.quiet());
    }
}

TEST(handshake, one_that_never_ends_is_given_up) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_HANDSHAKE_IVL, 30);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.write("\xff"s);
    EXPECT_LT(peer.read(1000).size(), 1000U) << "the connection ended";
}

// Messages come behind PINGs, in one piece that fills the queue. At some time the stream takes no answer
// more.
TEST(pings, whose_answers_are_not_read_hold_no_message_up) {
    constexpr int peers_count = 6; // so many streams are watched in a poll group
    context owner;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_RCVHWM, 1);
    sink.set(ZMQ_SNDBUF, 4096);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    std::vector<std::unique_ptr<bare_peer>> peers;
    for (int made = 0; made < peers_count; ++made) {
        peers.push_back(std::make_unique<bare_peer>(sink.last_endpoint(), 2048));
        peers.back()->shake_hands();
        peers.back()->write("\0\5hello"s);
        ASSERT_EQ(sink.receive(), "hello");
    }
    std::string batch;
    for (int count = 0; count < 20; ++count)
        batch += "\x04\x17\x04PING\0\0sixteen letters."s;
    batch += "\0\1a\0\1b\0\1c"s;
    for (int round = 0; round < 60; ++round) {
        peers.front()->write(batch);
        for (const char *const text : {"a", "b", "c"}) {
            std::string got;
            ASSERT_TRUE(eventually([&] { // no sleep on the stream, which the I/O thread is to read
                got = sink.receive(ZMQ_DONTWAIT);
                return !got.starts_with("error");
            })) << round;
            ASSERT_EQ(got, text);
        }
    }
}

} // namespace
} // namespace zlink::conformance
