// SPDX-License-Identifier: MPL-2.0
// Datagrams: DGRAM over udp. zmq_udp(7).
#include "rig.hpp"

#include <arpa/inet.h>

namespace zlink::conformance {
namespace {

// A socket of the system that is no zlink's.
class plain_udp {
  public:
    plain_udp() {
        sockaddr_in own = local(0);
        socklen_t size = sizeof own;
        EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr *>(&own), size), 0);
        EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr *>(&own), &size), 0);
        port_ = ntohs(own.sin_port);
        const timeval patience{patience_ms / 1000, 0};
        ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~plain_udp() { ::close(descriptor_); }
    plain_udp(const plain_udp &) = delete;
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    void send(const std::string &address, const std::string &body) const {
        const sockaddr_in to = local(std::stoi(address.substr(address.rfind(':') + 1)));
        EXPECT_EQ(::sendto(descriptor_, body.data(), body.size(), 0, reinterpret_cast<const sockaddr *>(&to),
                           sizeof to),
                  static_cast<ssize_t>(body.size()));
    }
    // By the loopback device.
    void send_to_group(const std::string &address, const std::string &body) const {
        sockaddr_in to = local(std::stoi(address.substr(address.rfind(':') + 1)));
        const in_addr device = to.sin_addr;
        EXPECT_EQ(::setsockopt(descriptor_, IPPROTO_IP, IP_MULTICAST_IF, &device, sizeof device), 0);
        EXPECT_EQ(::inet_pton(AF_INET, address.substr(0, address.rfind(':')).c_str(), &to.sin_addr), 1);
        EXPECT_EQ(::sendto(descriptor_, body.data(), body.size(), 0, reinterpret_cast<const sockaddr *>(&to),
                           sizeof to),
                  static_cast<ssize_t>(body.size()));
    }
    [[nodiscard]] std::string receive() const {
        std::string body(65536, '\0');
        const ssize_t size = ::recv(descriptor_, body.data(), body.size(), 0);
        body.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return body;
    }

  private:
    static sockaddr_in local(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        return address;
    }
    int descriptor_ = ::socket(AF_INET, SOCK_DGRAM, 0);
    int port_ = 0;
};

class dgram : public ::testing::Test {
  protected:
    // Binds, and answers the address that others send to.
    static std::string bound(socket &subject) {
        EXPECT_EQ(subject.bind("udp://127.0.0.1:*"), 0);
        const std::string endpoint = subject.last_endpoint();
        EXPECT_TRUE(endpoint.starts_with("udp://127.0.0.1:")) << endpoint;
        return endpoint.substr(6);
    }
    context owner;
    socket one{owner, ZMQ_DGRAM};
    socket other{owner, ZMQ_DGRAM};
};

TEST_F(dgram, speaks_to_another_and_to_anybody) {
    const std::string here = bound(one), there = bound(other);
    ASSERT_EQ(one.send(frames{there, "hello"}), 0);
    EXPECT_EQ(other.receive_frames(), (frames{here, "hello"}));
    ASSERT_EQ(other.send(frames{here, ""}), 0);
    EXPECT_EQ(one.receive_frames(), (frames{there, ""}));
    const plain_udp plain;
    ASSERT_EQ(one.send(frames{plain.address(), "bare"}), 0);
    EXPECT_EQ(plain.receive(), "bare");
    plain.send(here, std::string(1, '\xFF'));
    EXPECT_EQ(one.receive_frames(), (frames{plain.address(), std::string(1, '\xFF')}));
}

TEST_F(dgram, of_every_size_that_there_is) {
    const std::string here = bound(one), there = bound(other);
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{8191}, std::size_t{8193}, std::size_t{60'000}, std::size_t{65'507}}) {
        ASSERT_EQ(one.send(frames{there, std::string(size, 'x')}), 0);
        const frames message = other.receive_frames();
        ASSERT_EQ(message.size(), 2U);
        EXPECT_EQ(message[1].size(), size);
    }
    ASSERT_EQ(one.send(frames{there, std::string(65'508, 'x')}), 0); // there is no such datagram
    ASSERT_EQ(one.send(frames{there, "next"}), 0);
    EXPECT_EQ(other.receive_frames(), (frames{here, "next"}));
}

TEST_F(dgram, addresses_that_are_none_go_nowhere) {
    const std::string here = bound(one), there = bound(other);
    for (const char *address : {"", "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "[::1]:5",
                                "a.name:1", "*:5", "127.0.0.1:0"})
        EXPECT_EQ(one.send(frames{address, "lost"}), 0) << address;
    ASSERT_EQ(one.send(frames{there, "found"}), 0);
    EXPECT_EQ(other.receive_frames(), (frames{here, "found"}));
}

TEST_F(dgram, binds_only_and_to_one_endpoint_and_to_nothing_but_udp) {
    EXPECT_EQ(one.connect("udp://127.0.0.1:5555"), ENOCOMPATPROTO);
    EXPECT_EQ(one.bind("tcp://127.0.0.1:*"), ENOCOMPATPROTO);
    EXPECT_EQ(one.bind("inproc://dgram"), ENOCOMPATPROTO);
    EXPECT_EQ(one.bind("udp://nonsense"), EINVAL);
    EXPECT_EQ(one.bind("udp://no.such.interface:*"), ENODEV);
    const std::string here = bound(one);
    EXPECT_EQ(other.bind("udp://" + here), EADDRINUSE);
    EXPECT_EQ(one.unbind("udp://" + here), 0);
    EXPECT_TRUE(eventually([&] { return other.bind("udp://" + here) == 0; }));
}

TEST_F(dgram, what_was_sent_before_close_leaves) {
    const plain_udp plain;
    bound(one);
    ASSERT_EQ(one.send(frames{plain.address(), "goodbye"}), 0);
    one.close();
    EXPECT_EQ(plain.receive(), "goodbye");
}

TEST_F(dgram, receives_what_is_for_a_group) {
    ASSERT_EQ(one.bind("udp://lo;239.255.73.20:*"), 0) << zmq_strerror(errno);
    const std::string group = one.last_endpoint().substr(6);
    EXPECT_TRUE(group.starts_with("239.255.73.20:")) << group;
    const plain_udp plain;
    plain.send_to_group(group, "to all");
    EXPECT_EQ(one.receive_frames(), (frames{plain.address(), "to all"}));
}

TEST_F(dgram, with_both_families) {
    one.set(ZMQ_IPV6, 1);
    if (one.bind("udp://*:*") != 0)
        GTEST_SKIP() << "no IPv6 here";
    const std::string port = one.last_endpoint().substr(one.last_endpoint().rfind(':'));
    const std::string there = bound(other);
    ASSERT_EQ(one.send(frames{there, "hello"}), 0);
    EXPECT_EQ(other.receive_frames(), (frames{"127.0.0.1" + port, "hello"}));
    ASSERT_EQ(other.send(frames{"127.0.0.1" + port, "back"}), 0);
    const frames message = one.receive_frames();
    ASSERT_EQ(message.size(), 2U);
    EXPECT_EQ(message[1], "back");
    ASSERT_EQ(one.send(message), 0); // the address is good for an answer
    EXPECT_EQ(other.receive_frames(), (frames{"127.0.0.1" + port, "back"}));
}

} // namespace
} // namespace zlink::conformance
