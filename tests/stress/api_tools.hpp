// SPDX-License-Identifier: MPL-2.0
// Tools for the stress tests of the C API: contexts and sockets that end with their scope, endpoints,
// numbered messages, and raw TCP peers.
//
// Threads: as the functions of the API. A test that hangs is ended by the time limit of its run.
#pragma once

#include <gtest/gtest.h>
#include <zmq.h>

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "stress/stress_tools.hpp"

namespace zlink::stress {

class api_context {
  public:
    api_context() : handle_(zmq_ctx_new()) {}
    ~api_context() { term(); }
    api_context(const api_context &) = delete;
    api_context &operator=(const api_context &) = delete;

    void term() {
        void *ending = std::exchange(handle_, nullptr);
        while (ending != nullptr && zmq_ctx_term(ending) != 0 && errno == EINTR) {
        }
    }
    [[nodiscard]] void *get() const { return handle_; }

  private:
    void *handle_;
};

class api_socket {
  public:
    api_socket(const api_context &owner, int type) : handle_(zmq_socket(owner.get(), type)) {
        EXPECT_NE(handle_, nullptr) << zmq_strerror(errno);
        set(ZMQ_LINGER, 0);
    }
    ~api_socket() { close(); }
    api_socket(api_socket &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    api_socket &operator=(api_socket &&) = delete;

    void close() {
        if (handle_ != nullptr)
            zmq_close(std::exchange(handle_, nullptr));
    }
    [[nodiscard]] void *get() const { return handle_; }
    void set(int option, int value) { EXPECT_EQ(zmq_setsockopt(handle_, option, &value, sizeof value), 0); }
    void set(int option, const std::string &value) {
        EXPECT_EQ(zmq_setsockopt(handle_, option, value.data(), value.size()), 0);
    }
    // Binds and gives the endpoint to connect to.
    std::string bind(const std::string &endpoint) {
        EXPECT_EQ(zmq_bind(handle_, endpoint.c_str()), 0) << endpoint << ": " << zmq_strerror(errno);
        std::array<char, 256> text{};
        std::size_t size = text.size();
        EXPECT_EQ(zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size), 0);
        return text.data();
    }
    void connect(const std::string &endpoint) {
        EXPECT_EQ(zmq_connect(handle_, endpoint.c_str()), 0) << endpoint << ": " << zmq_strerror(errno);
    }
    int send(const void *data, std::size_t size, int flags = 0) {
        return zmq_send(handle_, data, size, flags);
    }
    int send(const std::string &text, int flags = 0) { return send(text.data(), text.size(), flags); }
    // A whole frame; fails the test on an error.
    std::string receive(int flags = 0) {
        std::string text;
        EXPECT_TRUE(try_receive(text, flags)) << zmq_strerror(errno);
        return text;
    }
    bool try_receive(std::string &text, int flags = 0) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        const bool done = zmq_msg_recv(&message, handle_, flags) >= 0;
        const int code = errno;
        if (done)
            text.assign(static_cast<char *>(zmq_msg_data(&message)), zmq_msg_size(&message));
        zmq_msg_close(&message);
        errno = code;
        return done;
    }
    bool more() {
        int value = 0;
        std::size_t size = sizeof value;
        EXPECT_EQ(zmq_getsockopt(handle_, ZMQ_RCVMORE, &value, &size), 0);
        return value != 0;
    }

  private:
    void *handle_;
};

// An endpoint to bind to on that transport; for tcp and ipc the system chooses.
inline std::string wildcard(const std::string &transport) {
    static std::atomic<int> names{0};
    if (transport == "tcp")
        return "tcp://127.0.0.1:*";
    if (transport == "ipc")
        return "ipc://*";
    return "inproc://stress-" + std::to_string(names++);
}

inline std::string name_of_transport(const testing::TestParamInfo<const char *> &instance) {
    return instance.param;
}

// A message whose every byte tells whether it is whole: a number, and a filling by it.
inline std::string numbered(std::uint64_t number, std::size_t size = sizeof(std::uint64_t)) {
    std::string body(size, '\0');
    fill(reinterpret_cast<std::uint8_t *>(body.data()), size, number);
    return body;
}
inline std::uint64_t number_of(const std::string &body) {
    std::uint64_t number = ~std::uint64_t{0};
    if (body.size() >= sizeof number)
        std::memcpy(&number, body.data(), sizeof number);
    return number;
}
inline bool is_whole(const std::string &body) {
    return holds(reinterpret_cast<const std::uint8_t *>(body.data()), body.size(), number_of(body));
}

// Calls `done` until it is true, for ten seconds at most.
template <class Condition> bool eventually(Condition &&done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// A blocking TCP connection to the endpoint, for peers that misbehave.
class raw_peer {
  public:
    explicit raw_peer(const std::string &endpoint) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port =
            htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(fd_, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
        const timeval patience{10, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~raw_peer() { ::close(fd_); }
    raw_peer(const raw_peer &) = delete;
    raw_peer &operator=(const raw_peer &) = delete;

    [[nodiscard]] bool connected() const { return connected_; }
    bool send(const std::string &bytes) const {
        return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    // Reads until the other side has closed, or sent `most` bytes.
    std::string read(std::size_t most = ~std::size_t{0}) const {
        std::string all;
        std::array<char, 4096> part;
        while (all.size() < most) {
            const ssize_t got = ::recv(fd_, part.data(), std::min(part.size(), most - all.size()), 0);
            if (got <= 0)
                break;
            all.append(part.data(), static_cast<std::size_t>(got));
        }
        return all;
    }
    // The end comes as a reset, not as an orderly close.
    void reset_at_close() const {
        const linger hard{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }

  private:
    int fd_;
    bool connected_;
};

// Returns the bytes that a ZMTP 3.1 peer of that type sends before its first message.
inline std::string zmtp_opening(const std::string &type) {
    std::string greeting = std::string("\xFF\0\0\0\0\0\0\0\x01\x7F\x03\x01", 12) + "NULL";
    greeting.resize(64, '\0');
    const std::string body = std::string("\x05READY\x0BSocket-Type", 18) + std::string("\0\0\0", 3) +
                             static_cast<char>(type.size()) + type;
    return greeting + '\x04' + static_cast<char>(body.size()) + body;
}
inline std::string zmtp_frame(const std::string &body, bool more = false) {
    std::string frame;
    if (body.size() < 256) {
        frame = {static_cast<char>(more ? 1 : 0), static_cast<char>(body.size())};
    } else {
        frame = static_cast<char>(more ? 3 : 2);
        for (int shift = 56; shift >= 0; shift -= 8)
            frame += static_cast<char>(body.size() >> shift);
    }
    return frame + body;
}

} // namespace zlink::stress
