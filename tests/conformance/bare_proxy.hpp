// SPDX-License-Identifier: MPL-2.0
// Helpers of the proxies in tests: they talk with a client, connect to a local port, and pass bytes on.
#pragma once

#include "bare_peer.hpp"

#include <cstdint>

#include <arpa/inet.h>
#include <poll.h>

namespace zlink::conformance {

inline int connect_locally(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(server, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    return server;
}

inline std::string take(int from, std::size_t size) {
    std::string bytes(size, '\0');
    const ssize_t got = ::recv(from, bytes.data(), size, MSG_WAITALL);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
}

inline void say(int to, const std::string &bytes) {
    EXPECT_EQ(::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}
inline bool pass_bytes(int from, int to) {
    char bytes[4096];
    const ssize_t got = ::recv(from, bytes, sizeof bytes, 0);
    return got > 0 && ::send(to, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}
// Until one of the two ends. Closes the server.
inline void relay(int client, int server) {
    pollfd items[]{{client, POLLIN, 0}, {server, POLLIN, 0}};
    while (::poll(items, 2, -1) > 0)
        for (int i = 0; i < 2; ++i)
            if (items[i].revents != 0 && !pass_bytes(items[i].fd, items[1 - i].fd)) {
                ::close(server);
                ::shutdown(client, SHUT_RDWR);
                return;
            }
}

} // namespace zlink::conformance
