// SPDX-License-Identifier: MPL-2.0
// Frame headers: what is read in parts is what is read at once, and what is accepted can be written again.
#include "require.hpp"

#include "zmtp/frame.hpp"

using namespace zlink::zmtp;
using zlink::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const frame_header whole = parse_header(data, size);
    for (std::size_t part = 0; part < size && part <= max_header_size; ++part) {
        const frame_header early = parse_header(data, part);
        require(early.status == whole.status || early.status == header_status::incomplete);
    }
    if (whole.status == header_status::ok) {
        require(whole.header_size <= size && whole.body_size <= INT64_MAX &&
                (whole.flags & frame_flags::reserved) == 0);
        std::uint8_t again[max_header_size];
        const auto flags = static_cast<std::uint8_t>(whole.flags & ~frame_flags::long_size);
        const std::size_t written = encode_header(again, flags, whole.body_size);
        const frame_header second = parse_header(again, written);
        require(second.status == header_status::ok && second.body_size == whole.body_size);
    }
    return 0;
}
