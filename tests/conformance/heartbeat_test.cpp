// SPDX-License-Identifier: MPL-2.0
// ZMQ_HEARTBEAT_IVL, ZMQ_HEARTBEAT_TIMEOUT, ZMQ_HANDSHAKE_IVL: against a peer on a bare TCP socket.
#include "rig.hpp"

#include <sys/time.h>

namespace zlink::conformance {
namespace {

using namespace std::string_literals;

// Reads and writes bytes; a read gives up after patience_ms.
class bare_peer {
  public:
    explicit bare_peer(const std::string &endpoint) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port =
            htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
        const timeval patience{patience_ms / 1000, 0};
        ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    }
    ~bare_peer() { ::close(descriptor_); }
    bare_peer(const bare_peer &) = delete;

    void write(const std::string &bytes) {
        EXPECT_EQ(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    // Less when the connection ended.
    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        const ssize_t got = ::recv(descriptor_, bytes.data(), size, MSG_WAITALL);
        EXPECT_TRUE(got >= 0 || errno == ECONNRESET) << "the connection stays and is silent";
        bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
        return bytes;
    }
    // The body of a short frame; empty at the end of the connection.
    std::string read_frame() {
        const std::string head = read(2);
        return head.size() == 2 ? read(static_cast<std::uint8_t>(head[1])) : std::string();
    }
    void shake_hands() {
        write("\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(48, '\0'));
        read(64);
        write("\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH"s);
        EXPECT_THAT(read_frame(), ::testing::StartsWith("\x05READY"));
    }

  private:
    int descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
};

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

} // namespace
} // namespace zlink::conformance
