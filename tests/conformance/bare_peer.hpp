// SPDX-License-Identifier: MPL-2.0
// Peers on bare TCP sockets, which say what they are told to.
#pragma once

#include "rig.hpp"

#include <sys/time.h>

namespace zlink::conformance {

using namespace std::string_literals;

// Listens.
class bare_listener {
  public:
    bare_listener() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr *>(&address), size), 0);
        EXPECT_EQ(::listen(descriptor_, 16), 0);
        EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr *>(&address), &size), 0);
        endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }
    ~bare_listener() { ::close(descriptor_); }
    bare_listener(const bare_listener &) = delete;
    [[nodiscard]] const std::string &endpoint() const { return endpoint_; }
    // A descriptor; negative after stop().
    [[nodiscard]] int accept() const { return ::accept(descriptor_, nullptr, nullptr); }
    void stop() const { ::shutdown(descriptor_, SHUT_RDWR); }

  private:
    int descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
    std::string endpoint_;
};

// A read of it gives up after patience_ms.
inline void connect_bare(int descriptor, const std::string &endpoint) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    const timeval patience{patience_ms / 1000, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
}

// Connects. Reads and writes bytes.
class bare_peer {
  public:
    // The size of the system's buffer for what is not read; 0: its own choice.
    explicit bare_peer(const std::string &endpoint, int receive_buffer = 0) {
        if (receive_buffer != 0)
            ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        connect_bare(descriptor_, endpoint);
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
    // Everything until the other side ends the connection.
    std::string read_to_end() {
        std::string all;
        for (std::string byte = read(1); !byte.empty(); byte = read(1))
            all += byte;
        return all;
    }
    // The body of a short frame; empty at the end of the connection.
    std::string read_frame() {
        const std::string head = read(2);
        return head.size() == 2 ? read(static_cast<std::uint8_t>(head[1])) : std::string();
    }
    void shake_hands(const std::string &type = "PUSH") {
        write("\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(48, '\0'));
        read(64);
        const char of_type = static_cast<char>(type.size());
        const char of_command = static_cast<char>(22 + of_type);
        write("\x04"s + of_command + "\x05READY\x0bSocket-Type\0\0\0"s + of_type + type);
        EXPECT_THAT(read_frame(), ::testing::StartsWith("\x05READY"));
    }

    // Writes as much as the connection takes; returns false when that has ended.
    bool pour(const std::string &bytes) {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t sent = ::send(descriptor_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            done += static_cast<std::size_t>(sent);
        }
        return true;
    }
    // Ends a write of another thread.
    void hang_up() const { ::shutdown(descriptor_, SHUT_RDWR); }

  private:
    int descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
};

} // namespace zlink::conformance
