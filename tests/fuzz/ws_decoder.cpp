// SPDX-License-Identifier: MPL-2.0
// Frames of WebSocket. The first byte chooses the side, the terms, the longest message and the size of the
// pieces. Other pieces of the same bytes give the same output and the same end. No body grows.
#include "require.hpp"

#include "transport/ws/ws_decoder.hpp"

#include <algorithm>
#include <vector>

using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

struct outcome {
    std::vector<std::uint8_t> out;
    bool over = false;
    bool broken = false;
    ws_close code = ws_close::none;
};

outcome run(std::span<const std::uint8_t> in, const zws_terms &terms, std::size_t piece, std::size_t room) {
    ws_decoder decoder(terms);
    outcome found;
    std::vector<std::uint8_t> out(room);
    for (std::size_t at = 0; (at < in.size() || decoder.has_pending()) && !decoder.over();) {
        const auto part = in.subspan(at, std::min(piece, in.size() - at));
        const zws_progress done = decoder.decode(part, out);
        require(done.used <= part.size() && done.made <= room);
        require(done.used != 0 || done.made != 0 || decoder.over());
        at += done.used;
        found.out.insert(found.out.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(done.made));
        if (decoder.has_ping() && at % 3 == 0)
            require(decoder.take_ping().size() <= max_control_payload);
    }
    found.over = decoder.over();
    found.broken = decoder.broken();
    found.code = decoder.closing_code();
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::span in(data + 1, size - 1);
    const zws_terms terms{.side = (data[0] & 1) != 0 ? ws_side::client : ws_side::server,
                          .mechanism = (data[0] & 2) != 0 ? "CURVE" : "NULL",
                          .bare = (data[0] & 4) != 0,
                          .peer_type = "PULL",
                          .routing_id = {},
                          .max_message = (data[0] & 8) != 0 ? 100 : -1};
    const outcome whole = run(in, terms, in.size() + 1, 4096);
    const outcome pieces = run(in, terms, 1U + data[0] / 16U, 1U + data[0] / 32U);
    require(whole.out == pieces.out && whole.over == pieces.over && whole.broken == pieces.broken &&
            whole.code == pieces.code);
    require(whole.out.size() <= 64 + 100 + 5 * in.size());
    return 0;
}
