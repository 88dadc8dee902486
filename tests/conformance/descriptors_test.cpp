// SPDX-License-Identifier: MPL-2.0
// A listener in a process without descriptors: it says so, does not spin, disturbs nobody, and accepts when
// there are some.
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "rig.hpp"

namespace zlink::conformance {

namespace {

// All descriptors of the process that were left, as long as it lives.
class all_descriptors {
  public:
    all_descriptors() {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        rlimit low = before_;
        low.rlim_cur = 128;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
        for (int one; (one = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
            held_.push_back(one);
        EXPECT_EQ(errno, EMFILE);
    }
    ~all_descriptors() {
        for (const int one : held_)
            ::close(one);
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0);
    }
    all_descriptors(const all_descriptors &) = delete;

  private:
    rlimit before_{};
    std::vector<int> held_;
};

// Connects a socket that is no library's.
void connect_raw(int descriptor, const std::string &endpoint) {
    if (!endpoint.starts_with("ipc")) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port =
            htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
        ASSERT_EQ(::connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        return;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = endpoint.substr(endpoint.find('@') + 1);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    ASSERT_EQ(::connect(descriptor, reinterpret_cast<const sockaddr *>(&address), size), 0);
}

std::chrono::milliseconds processor_time() {
    rusage used{};
    EXPECT_EQ(::getrusage(RUSAGE_SELF, &used), 0);
    const auto sum = std::chrono::seconds(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     std::chrono::microseconds(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return std::chrono::duration_cast<std::chrono::milliseconds>(sum);
}

class descriptors : public transport_test {
  protected:
    void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
        // Together with it comes the undefined-behaviour sanitizer, whose check of virtual calls opens a
        // pipe.
        GTEST_SKIP() << "the sanitizers need descriptors themselves";
#endif
        pull_.set(ZMQ_RCVTIMEO, patience_ms);
        endpoint_ = bind(pull_);
        const std::string watched = "inproc://watched-" + std::to_string(next_number());
        ASSERT_EQ(
            zmq_socket_monitor(pull_.handle(), watched.c_str(), ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED),
            0);
        ASSERT_EQ(monitor_.connect(watched), 0);
        ASSERT_EQ(early_.connect(endpoint_), 0);
        ASSERT_EQ(next_event().first, ZMQ_EVENT_ACCEPTED);
        late_ = ::socket(std::string_view(GetParam()) == "ipc" ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
        ASSERT_GE(late_, 0);
    }
    void TearDown() override {
        ::close(late_);
    }

    // Kind and value.
    std::pair<int, int> next_event() {
        const std::string head = monitor_.receive_frames()[0];
        std::uint16_t kind = 0;
        std::uint32_t value = 0;
        std::memcpy(&kind, head.data(), sizeof kind);
        std::memcpy(&value, head.data() + sizeof kind, sizeof value);
        return {kind, static_cast<int>(value)};
    }

    socket pull_{owner, ZMQ_PULL};
    socket early_{owner, ZMQ_PUSH};
    socket after_{owner, ZMQ_PUSH};
    socket monitor_{owner, ZMQ_PAIR};
    std::string endpoint_;
    int late_ = -1;
};

} // namespace

TEST_P(descriptors, a_listener_that_has_none_left_says_so_and_accepts_when_there_are_some) {
    {
        const all_descriptors held;
        connect_raw(late_, endpoint_);
        EXPECT_EQ(next_event(), std::pair(ZMQ_EVENT_ACCEPT_FAILED, EMFILE));
        ASSERT_EQ(early_.send("not disturbed"), 0);
        EXPECT_EQ(pull_.receive(), "not disturbed");
    }
    auto event = next_event();
    while (event.first == ZMQ_EVENT_ACCEPT_FAILED)
        event = next_event();
    EXPECT_EQ(event.first, ZMQ_EVENT_ACCEPTED);
    ASSERT_EQ(after_.connect(endpoint_), 0);
    ASSERT_EQ(after_.send("welcome"), 0);
    EXPECT_EQ(pull_.receive(), "welcome");
}

TEST_P(descriptors, a_listener_that_has_none_left_does_not_spin) {
    const all_descriptors held;
    connect_raw(late_, endpoint_);
    ASSERT_EQ(next_event().first, ZMQ_EVENT_ACCEPT_FAILED);
    const auto before = processor_time();
    int failures = 0;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
         std::chrono::steady_clock::now() < end;) {
        if (monitor_.ready(ZMQ_POLLIN, 50)) {
            EXPECT_EQ(next_event(), std::pair(ZMQ_EVENT_ACCEPT_FAILED, EMFILE));
            ++failures;
        }
    }
    EXPECT_LE(failures, 25); // it tries again, but not at once
    EXPECT_LT(processor_time() - before, std::chrono::milliseconds(250));
}

ZLINK_OVER_CONNECTIONS(descriptors);

} // namespace zlink::conformance
