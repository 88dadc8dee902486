// SPDX-License-Identifier: MPL-2.0
// Tools for the targets of handshakes. Two handshakes get the same bytes, one whole and one in pieces. Both
// must end alike.
#pragma once

#include "require.hpp"

#include "zmtp/handshake.hpp"

#include <algorithm>

namespace zlink::fuzz {

// The reply of an authenticator that accepts everybody.
inline zmtp::verdict accepted() {
    return {.failure = zmtp::handshake_failure::none, .status = 200, .vouched = {{"User-Id", "joe"}}};
}

// Returns how much was taken.
inline std::size_t feed_pieces(zmtp::handshake &side, zmtp::byte_view in, std::size_t piece) {
    std::size_t used = 0;
    while (used < in.size()) {
        const zmtp::byte_view part = in.subspan(used, std::min(piece, in.size() - used));
        const std::size_t count = side.feed(part);
        used += count;
        if (side.state() == zmtp::handshake_state::authenticating)
            side.authenticated(accepted());
        else if (count != part.size())
            break;
    }
    return used;
}

void require_same_end(zmtp::handshake whole, zmtp::handshake split, zmtp::byte_view in, std::size_t piece) {
    const std::size_t used = feed_pieces(whole, in, in.size() + 1);
    require(feed_pieces(split, in, piece) == used);
    require(split.state() == whole.state() && split.failure() == whole.failure());
    require((whole.state() == zmtp::handshake_state::failed) ==
            (whole.failure() != zmtp::handshake_failure::none));
    require(whole.state() != zmtp::handshake_state::done ||
            whole.peer().routing_id.size() <= zmtp::max_routing_id);
    if (whole.state() != zmtp::handshake_state::done && whole.state() != zmtp::handshake_state::failed)
        require(used == in.size());
}

// A greeting of that mechanism, and what follows.
inline zmtp::byte_buffer with_greeting(std::string_view mechanism, zmtp::byte_view rest) {
    zmtp::byte_buffer out{0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 1};
    out.insert(out.end(), mechanism.begin(), mechanism.end());
    out.resize(64);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

} // namespace zlink::fuzz
