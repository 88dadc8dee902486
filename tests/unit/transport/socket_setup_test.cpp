// SPDX-License-Identifier: MPL-2.0
#include "transport/socket_setup.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace zlink::transport {
namespace {

int option_of(int descriptor, int level, int option) {
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(descriptor, level, option, &value, &size) == 0 ? value : -1;
}

int tuned_socket(const socket_options &options = {}) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tune_tcp(descriptor, options);
    return descriptor;
}

TEST(tune_tcp, small_segments_leave_at_once_and_nobody_polls_more_than_the_system) {
    const int plain = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int descriptor = tuned_socket();
    EXPECT_EQ(option_of(descriptor, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ(option_of(descriptor, SOL_SOCKET, SO_BUSY_POLL), option_of(plain, SOL_SOCKET, SO_BUSY_POLL));
    ::close(descriptor);
    ::close(plain);
}

TEST(tune_tcp, the_window_is_open_unless_the_socket_says_how_far) {
    const int plain = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int descriptor = tuned_socket();
    EXPECT_GT(option_of(descriptor, SOL_SOCKET, SO_RCVBUF), option_of(plain, SOL_SOCKET, SO_RCVBUF));
    EXPECT_EQ(option_of(descriptor, SOL_SOCKET, SO_RCVLOWAT), 1);
    socket_options options;
    options.receive_buffer = 10'000;
    const int told = tuned_socket(options);
    EXPECT_EQ(option_of(told, SOL_SOCKET, SO_RCVBUF), 20'000) << "Linux doubles it";
    EXPECT_EQ(option_of(told, SOL_SOCKET, SO_RCVLOWAT), 1);
    for (const int each : {plain, descriptor, told})
        ::close(each);
}

std::string congestion_control_of(int descriptor) {
    std::array<char, 32> name{};
    socklen_t size = name.size();
    return ::getsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) == 0 ? name.data() : "";
}

// Bound, since an address of its own is what makes it one of the loopback device.
int tuned_at(std::uint32_t address) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(address);
    EXPECT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr *>(&own), sizeof own), 0);
    tune_tcp(descriptor, {});
    return descriptor;
}

TEST(tune_tcp, only_the_loopback_device_goes_without_the_congestion_control_of_the_system) {
    const int plain = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int here = tuned_at(INADDR_LOOPBACK);
    const int anywhere = tuned_at(INADDR_ANY);
    EXPECT_EQ(congestion_control_of(here), "reno");
    EXPECT_EQ(congestion_control_of(anywhere), congestion_control_of(plain));
    for (const int each : {plain, here, anywhere})
        ::close(each);
}

// Runs in a process of its own: the environment is read once.
void tune_by_environment() {
    ::setenv("ZMQ_ASIO_TCP_NODELAY", "0", 1);
    ::setenv("ZMQ_ASIO_TCP_BUSY_POLL", "50", 1);
    ::setenv("ZLINK_TCP_LOOPBACK_RENO", "0", 1);
    const int plain = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int fifty = 50;
    const bool may_poll = ::setsockopt(plain, SOL_SOCKET, SO_BUSY_POLL, &fifty, sizeof fifty) == 0;
    const int descriptor = tuned_socket();
    const bool delays = option_of(descriptor, IPPROTO_TCP, TCP_NODELAY) == 0;
    const bool polls = option_of(descriptor, SOL_SOCKET, SO_BUSY_POLL) == 50;
    const bool as_the_system =
        congestion_control_of(tuned_at(INADDR_LOOPBACK)) == congestion_control_of(plain);
    std::_Exit(delays && polls == may_poll && as_the_system ? 0 : 1);
}

TEST(tune_tcp_death, the_environment_is_heard) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(tune_by_environment(), ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace zlink::transport
