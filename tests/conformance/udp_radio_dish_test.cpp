// SPDX-License-Identifier: MPL-2.0
// RADIO and DISH over udp, to one address and to a group of addresses. zmq_udp(7).
#include "draft_rig.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <thread>

namespace zlink::conformance {
namespace {

constexpr const char *group_address = "239.255.73.19";

class udp_radio_dish : public ::testing::Test {
  protected:
    // Binds to a free port of that address, and answers the port.
    static std::string bound(socket &dish, const std::string &address) {
        EXPECT_EQ(dish.bind("udp://" + address + ":*"), 0) << zmq_strerror(errno);
        const std::string endpoint = dish.last_endpoint();
        return endpoint.substr(endpoint.rfind(':') + 1);
    }
    context owner;
    socket radio{owner, ZMQ_RADIO};
    socket dish{owner, ZMQ_DISH};
};

TEST_F(udp_radio_dish, a_member_gets_the_messages_of_its_groups) {
    const std::string port = bound(dish, "127.0.0.1");
    ASSERT_EQ(join(dish, "TV"), 0);
    ASSERT_EQ(radio.connect("udp://127.0.0.1:" + port), 0);
    ASSERT_EQ(message("nobody's").of("Movies").send(radio), 0);
    ASSERT_EQ(message("Friends").of("TV").send(radio), 0);
    ASSERT_EQ(message("").of("TV").send(radio), 0);
    ASSERT_EQ(message(std::string(60'000, 'x')).of("TV").send(radio), 0);
    ASSERT_EQ(message(std::string(65'507, 'x')).of("TV").send(radio), 0); // with its group it is no datagram
    ASSERT_EQ(message("last").of("TV").send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), "TV/Friends");
    EXPECT_EQ(receive_of_group(dish), "TV/");
    EXPECT_EQ(receive_of_group(dish), "TV/" + std::string(60'000, 'x'));
    EXPECT_EQ(receive_of_group(dish), "TV/last");
    ASSERT_EQ(leave(dish, "TV"), 0);
    ASSERT_EQ(message("unheard").of("TV").send(radio), 0);
    EXPECT_TRUE(dish.quiet());
}

// One I/O thread serves both sockets.
TEST_F(udp_radio_dish, who_sends_without_a_pause_leaves_the_others_their_turn) {
    const std::string port = bound(dish, "127.0.0.1");
    ASSERT_EQ(join(dish, "g"), 0);
    ASSERT_EQ(radio.connect("udp://127.0.0.1:" + port), 0);
    std::atomic<bool> over = false;
    std::thread sender([&] {
        while (!over)
            message("x").of("g").send(radio);
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    int received = 0;
    while (received < 100'000 && std::chrono::steady_clock::now() < deadline)
        received += receive_of_group(dish) == "g/x" ? 1 : 0;
    over = true;
    sender.join();
    EXPECT_EQ(received, 100'000);
}

TEST_F(udp_radio_dish, a_host_may_be_given_by_its_name) {
    const std::string port = bound(dish, "127.0.0.1");
    const std::string longest(255, 'g');
    ASSERT_EQ(join(dish, longest.c_str()), 0);
    ASSERT_EQ(radio.connect("udp://localhost:" + port), 0);
    ASSERT_EQ(message("hello").of(longest).send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), longest + "/hello");
}

TEST_F(udp_radio_dish, what_is_no_message_is_dropped) {
    const std::string port = bound(dish, "127.0.0.1");
    ASSERT_EQ(join(dish, "g"), 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    const int plain = ::socket(AF_INET, SOCK_DGRAM, 0);
    for (const std::string &datagram : {std::string(), std::string("\x02g"), std::string("\xFFg"),
                                        std::string(65'507, '\xFF'), std::string("\x01gbare")})
        EXPECT_EQ(::sendto(plain, datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr *>(&to),
                           sizeof to),
                  static_cast<ssize_t>(datagram.size()));
    ::close(plain);
    EXPECT_EQ(receive_of_group(dish), "g/bare");
}

TEST_F(udp_radio_dish, who_is_there_decides_the_direction) {
    EXPECT_EQ(radio.bind("udp://127.0.0.1:*"), ENOCOMPATPROTO);
    EXPECT_EQ(dish.connect("udp://127.0.0.1:5555"), ENOCOMPATPROTO);
    socket pub(owner, ZMQ_PUB);
    EXPECT_EQ(pub.connect("udp://127.0.0.1:5555"), ENOCOMPATPROTO);
}

TEST_F(udp_radio_dish, one_radio_over_udp_and_tcp) {
    const std::string port = bound(dish, "127.0.0.1");
    ASSERT_EQ(join(dish, "g"), 0);
    ASSERT_EQ(radio.bind("tcp://127.0.0.1:*"), 0);
    socket other(owner, ZMQ_DISH);
    ASSERT_EQ(join(other, "g"), 0);
    ASSERT_EQ(other.connect(radio.last_endpoint()), 0);
    await_member(radio, other, "g");
    ASSERT_EQ(radio.connect("udp://127.0.0.1:" + port), 0);
    ASSERT_EQ(message("to both").of("g").send(radio), 0);
    EXPECT_EQ(receive_of_group(other), "g/to both");
    EXPECT_EQ(receive_of_group(dish), "g/to both");
}

TEST_F(udp_radio_dish, every_member_of_a_group_of_addresses_hears_it) {
    const std::string port = bound(dish, std::string("lo;") + group_address);
    socket second(owner, ZMQ_DISH);
    ASSERT_EQ(second.bind(std::string("udp://127.0.0.1;") + group_address + ":" + port), 0)
        << zmq_strerror(errno);
    for (socket *one : {&dish, &second})
        ASSERT_EQ(join(*one, "g"), 0);
    radio.set(ZMQ_MULTICAST_HOPS, 2);
    ASSERT_EQ(radio.connect(std::string("udp://lo;") + group_address + ":" + port), 0) << zmq_strerror(errno);
    ASSERT_EQ(message("to all").of("g").send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), "g/to all");
    EXPECT_EQ(receive_of_group(second), "g/to all");
}

// Can a datagram to this group come back to this machine?
bool has_ipv6_groups(const char *group) {
    const int descriptor = ::socket(AF_INET6, SOCK_DGRAM, 0);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t size = sizeof address;
    ipv6_mreq request{};
    bool has = descriptor >= 0 && ::inet_pton(AF_INET6, group, &request.ipv6mr_multiaddr) == 1 &&
               ::bind(descriptor, reinterpret_cast<sockaddr *>(&address), size) == 0 &&
               ::getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) == 0 &&
               ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &request, sizeof request) == 0;
    address.sin6_addr = request.ipv6mr_multiaddr;
    const timeval second{1, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    char byte = 'x';
    has = has && ::sendto(descriptor, &byte, 1, 0, reinterpret_cast<sockaddr *>(&address), size) == 1 &&
          ::recv(descriptor, &byte, 1, 0) == 1;
    ::close(descriptor);
    return has;
}

TEST_F(udp_radio_dish, members_of_a_group_of_ipv6_addresses_hear_it) {
    constexpr const char *group = "ff02::4919:73";
    if (!has_ipv6_groups(group))
        GTEST_SKIP() << "no groups of IPv6 here";
    const std::string address = "[" + std::string(group) + "]";
    socket second(owner, ZMQ_DISH);
    for (socket *one : {&dish, &second, &radio})
        one->set(ZMQ_IPV6, 1);
    const std::string port = bound(dish, address);
    const std::string endpoint = "udp://" + address + ":" + port;
    EXPECT_EQ(dish.last_endpoint(), endpoint);
    ASSERT_EQ(second.bind(endpoint), 0) << zmq_strerror(errno);
    for (socket *one : {&dish, &second})
        ASSERT_EQ(join(*one, "g"), 0);
    ASSERT_EQ(radio.connect(endpoint), 0) << zmq_strerror(errno);
    ASSERT_EQ(message("to all").of("g").send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), "g/to all");
    EXPECT_EQ(receive_of_group(second), "g/to all");
    EXPECT_EQ(second.unbind(endpoint), 0);
}

} // namespace
} // namespace zlink::conformance
