// SPDX-License-Identifier: MPL-2.0
// Bytes of a scripted peer, and the drivers of a handshake under test.
#pragma once

#include "zmtp/handshake.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::zmtp {

inline std::string signature() {
    return "\xff" + std::string(8, '\0') + "\x7f";
}

inline std::string greeting(int minor = 1, int major = 3, const std::string &mechanism = "NULL") {
    std::string out = signature();
    out += static_cast<char>(major);
    out += static_cast<char>(minor);
    out += mechanism + std::string(20 - mechanism.size(), '\0');
    return out + std::string(32, '\0');
}

inline std::string as_string(byte_view bytes) {
    return std::string(as_text(bytes));
}

inline std::string ready(const std::vector<property> &properties) {
    byte_buffer out;
    append_ready(out, properties);
    return as_string(out);
}

inline std::string command_frame(std::string_view name, std::string_view data) {
    byte_buffer out;
    append_command(out, name, as_bytes(data));
    return as_string(out);
}

inline handshake_config config_of(socket_type type, std::string routing_id = "") {
    return {.type = type, .routing_id = std::move(routing_id), .extra = {}};
}

// All there is to send, taken.
inline std::string drain(handshake &side) {
    std::string out = as_string(side.output());
    side.consume_output(out.size());
    return out;
}

// Feeds pieces that end at `cuts`; returns the bytes consumed.
inline std::size_t feed_pieces(handshake &side, std::string_view wire, const std::vector<std::size_t> &cuts) {
    std::size_t at = 0, used = 0;
    for (const std::size_t cut : cuts) {
        const std::size_t count = side.feed(as_bytes(wire.substr(at, cut - at)));
        used += count;
        if (count != cut - at) {
            return used;
        }
        at = cut;
    }
    return used;
}

} // namespace zlink::zmtp
