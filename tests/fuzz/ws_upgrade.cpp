// SPDX-License-Identifier: MPL-2.0
// The opening handshake of WebSocket. The first byte chooses the side, the mechanism and the size of the
// pieces. Other pieces of the same bytes lead to the same end, and the head is bounded.
#include "require.hpp"

#include "transport/ws/ws_upgrade.hpp"

#include <algorithm>
#include <string>

using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

struct outcome {
    ws_upgrade_state state;
    ws_upgrade_failure failure;
    std::size_t used;
    std::string answer; // of a server
};

outcome run(std::span<const std::uint8_t> in, const ws_wish &wish, std::size_t piece) {
    ws_upgrade upgrade(wish);
    if (wish.side == ws_side::client)
        upgrade.sent(upgrade.output().size());
    std::size_t used = 0;
    while (used < in.size() && upgrade.state() == ws_upgrade_state::going_on) {
        const auto part = in.subspan(used, std::min(piece, in.size() - used));
        const std::size_t taken = upgrade.feed(part);
        require(taken == part.size() || upgrade.state() != ws_upgrade_state::going_on);
        used += taken;
    }
    require(used <= http_head::largest);
    const auto out = upgrade.output();
    return {upgrade.state(), upgrade.failure(), used, std::string(out.begin(), out.end())};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::span in(data + 1, size - 1);
    const ws_wish wish{.side = (data[0] & 1) != 0 ? ws_side::client : ws_side::server,
                       .host = "server.example",
                       .path = "/",
                       .mechanism = (data[0] & 2) != 0 ? "PLAIN" : "NULL"};
    const outcome whole = run(in, wish, in.size() + 1);
    const outcome pieces = run(in, wish, 1U + data[0] / 4U);
    require(whole.state == pieces.state && whole.failure == pieces.failure && whole.used == pieces.used &&
            whole.answer == pieces.answer);
    return 0;
}
