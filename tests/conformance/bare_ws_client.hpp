// SPDX-License-Identifier: MPL-2.0
// A client of WebSocket on a bare TCP socket.
#pragma once

#include "bare_peer.hpp"

namespace zlink::conformance {

// A client of WebSocket that masks with zeros. It says of itself only what the test wants.
class bare_client {
  public:
    explicit bare_client(const std::string &endpoint) : peer(endpoint) {}

    void ask(const std::string &path, const std::string &protocols = "ZWS2.0") {
        peer.write("GET " + path +
                   " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Protocol: " +
                   protocols + "\r\n\r\n");
    }
    std::string read_head() {
        std::string head;
        while (!head.ends_with("\r\n\r\n")) {
            const std::string byte = peer.read(1);
            if (byte.empty())
                break;
            head += byte;
        }
        return head;
    }
    void write_frame(int first, const std::string &payload) {
        std::string head(1, static_cast<char>(first));
        if (payload.size() <= 125) {
            head += static_cast<char>(0x80U | payload.size());
        } else {
            head += '\xfe';
            head += static_cast<char>(payload.size() >> 8U);
            head += static_cast<char>(payload.size());
        }
        peer.write(head + "\0\0\0\0"s + payload);
    }
    // A frame of up to 125 bytes: its first byte and its payload.
    std::string read_frame() {
        const std::string head = peer.read(2);
        if (head.size() < 2)
            return "";
        const auto size = static_cast<std::uint8_t>(head[1]);
        return head.substr(0, 1) + (size != 0 ? peer.read(size) : "");
    }
    // Without a mechanism; returns the server's routing id.
    std::string begin(const std::string &routing_id = "") {
        ask("/");
        EXPECT_THAT(read_head(), ::testing::StartsWith("HTTP/1.1 101 "));
        write_frame(0x82, "\0"s + routing_id);
        const std::string answer = read_frame();
        EXPECT_THAT(answer, ::testing::StartsWith("\x82\0"s));
        return answer.substr(std::min<std::size_t>(2, answer.size()));
    }

    bare_peer peer;
};

} // namespace zlink::conformance
