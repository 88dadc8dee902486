// SPDX-License-Identifier: MPL-2.0
// The handshake against any peer: the first byte chooses our socket type and the size of the pieces, the rest
// is what comes. However it is split, it ends the same; its memory is bounded; what it calls done is a legal
// peer.
#include "pieces.hpp"

#include "base/socket_traits.hpp"
#include "zmtp/socket_rules.hpp"

using namespace zlink::zmtp;
using namespace zlink::fuzz;

namespace {

constexpr unsigned types = zlink::socket_type_count;

handshake_config config_of(std::uint8_t choice) {
    const auto type = static_cast<zlink::socket_type>(choice % types);
    return {.type = zlink::traits_of(type).speaks_zmtp() ? type : zlink::socket_type::pair,
            .routing_id = "own",
            .extra = {}};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const byte_view in(data + 1, size - 1);
    handshake whole(config_of(data[0]));
    const std::size_t used = whole.feed(in);
    handshake split(config_of(data[0]));
    require(feed_pieces(split, in, 1U + data[0] / types) == used);
    require(split.state() == whole.state() && split.failure() == whole.failure());
    require(std::ranges::equal(split.output(), whole.output()));
    require((whole.state() == handshake_state::failed) == (whole.failure() != handshake_failure::none));
    require(!to_string(whole.state()).empty() && !to_string(whole.failure()).empty());
    if (whole.state() == handshake_state::done) {
        const peer_info &peer = whole.peer();
        require(peer.version_major >= 1 && peer.version_major <= 3 &&
                peer.routing_id.size() <= max_old_routing_id);
        require(peer.version_major < 3 || may_talk(config_of(data[0]).type, peer.socket_type));
    } else if (whole.state() != handshake_state::failed) {
        require(used == in.size());
    }
    return 0;
}
