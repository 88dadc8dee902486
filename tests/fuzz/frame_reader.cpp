// SPDX-License-Identifier: MPL-2.0
// Input of a connection after its handshake. The first byte chooses the framing, whether subscriptions are
// taken, and how the pieces are made. The rest goes in pieces through a socketpair into a pipe, whose other
// end a socket would read. However the input is split, the same frames come out and the connection ends
// alike. Only whole messages come out, and nothing of an invalid frame.
#include "received.hpp"

using namespace zlink;
using namespace zlink::fuzz;
using namespace zlink::connections;

namespace {

constexpr std::int64_t largest_message = 1 << 20;

struct choice {
    explicit choice(std::uint8_t byte)
        : framing(byte % 3), takes_subscriptions((byte & 4) != 0), takes_replies((byte & 8) != 0),
          piece(1U + byte / 8U) {}
    unsigned framing; // 0: ZMTP 3; 1, 2: that version
    bool takes_subscriptions;
    bool takes_replies;
    std::size_t piece;
};

std::unique_ptr<frame_reader> make_reader(const choice &chosen, pipe_end &end, ping_responder &pings) {
    const read_rules rules{chosen.takes_subscriptions, largest_message, chosen.takes_replies};
    if (chosen.framing == 0)
        return std::make_unique<plain_reader>(end, end.out(), rules, pings);
    return std::make_unique<legacy_reader>(
        end, rules, chosen.framing == 1 ? zmtp::parse_v1_header : zmtp::parse_v2_header);
}

outcome receive(const choice &chosen, zmtp::byte_view in, std::size_t early, std::size_t piece) {
    receiver one(largest_message,
                 [&](pipe_end &end, ping_responder &pings) { return make_reader(chosen, end, pings); });
    const outcome told = one.take(in, early, piece);
    require(told.status == read_status::wait || told.status == read_status::malformed ||
            told.status == read_status::oversize);
    return told;
}

// The first frame of ZMTP 3 that sets a reserved bit ends it, and whatever is before it is as without it.
void require_reserved_bits_fail(const choice &chosen, zmtp::byte_view in, const outcome &whole) {
    if (chosen.framing != 0 || in.size() < large_header_size)
        return;
    if ((in[0] & frame_flag::reserved) != 0) {
        require(whole.status == read_status::malformed);
        require(whole.frames.empty() && whole.pongs == 0);
    }
    if (whole.status == read_status::wait) {
        zmtp::byte_buffer spoilt(in.begin(), in.end());
        spoilt[0] |= 0x08;
        require(receive(chosen, spoilt, 0, spoilt.size()).status == read_status::malformed);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const choice chosen(data[0]);
    const zmtp::byte_view in(data + 1, size - 1);
    const outcome whole = receive(chosen, in, 0, in.size());
    require(receive(chosen, in, 0, chosen.piece) == whole);
    require(receive(chosen, in, std::min(in.size(), chosen.piece), in.size()) == whole);
    require_reserved_bits_fail(chosen, in, whole);
    return 0;
}
