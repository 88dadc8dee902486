// SPDX-License-Identifier: MPL-2.0
// The decoder of old framings: the first byte chooses version and size of the pieces. The result does not
// depend on the pieces, and an accepted frame can be written again.
#include "require.hpp"

#include "zmtp/legacy_frames.hpp"

#include <algorithm>
#include <string>

using namespace zlink;
using namespace zlink::zmtp;
using zlink::fuzz::require;

namespace {

// A trace of all that the decoder says: `B` at the start of a frame, its bytes, `E` at its end, `!` for an
// error.
std::string trace(bool v1, byte_view in, std::size_t piece_size) {
    legacy_decoder decoder(v1 ? parse_v1_header : parse_v2_header);
    std::string out;
    while (!in.empty()) {
        byte_view part = in.first(std::min(piece_size, in.size()));
        in = in.subspan(part.size());
        frame_piece piece;
        decode_status status = decoder.next(part, piece);
        for (; status == decode_status::piece; status = decoder.next(part, piece)) {
            out += piece.begins ? (piece.more ? "M" : "B") : "";
            out += as_text(piece.body);
            out += piece.ends ? "E" : "";
        }
        if (status == decode_status::error) {
            return out + "!";
        }
        require(part.empty());
    }
    return out;
}

void encode_again(bool v1, byte_view in) {
    const frame_header header =
        v1 ? parse_v1_header(in.data(), in.size()) : parse_v2_header(in.data(), in.size());
    if (header.status != header_status::ok || header.body_size == INT64_MAX) {
        return;
    }
    std::uint8_t out[max_legacy_header_size];
    const std::size_t size = v1 ? encode_v1_header(out, header.flags, header.body_size)
                                : encode_v2_header(out, header.flags, header.body_size);
    const frame_header again = v1 ? parse_v1_header(out, size) : parse_v2_header(out, size);
    require(again.status == header_status::ok && again.header_size == size);
    require(again.body_size == header.body_size && again.flags == header.flags);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const bool v1 = (data[0] & 1) != 0;
    const byte_view in(data + 1, size - 1);
    const std::string whole = trace(v1, in, in.size());
    const std::string split = trace(v1, in, 1U + data[0] / 2U);
    // them.
    require(whole == split);
    encode_again(v1, in);
    return 0;
}
