// SPDX-License-Identifier: MPL-2.0
// Frame headers: a header read in parts is the one that is read at once. The fast form agrees with the
// decoder. A header that is accepted can be written again.
#include "require.hpp"

#include <algorithm>

#include "message/frame_header.hpp"

using namespace zlink;
using zlink::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const frame_header whole = parse_frame_header(data, size);
    for (std::size_t part = 0; part < size && part <= large_header_size; ++part) {
        const frame_header early = parse_frame_header(data, part);
        require(early.status == whole.status || early.status == header_status::incomplete);
    }
    if (whole.status == header_status::ok) {
        require(whole.header_size <= size && whole.body_size <= INT64_MAX &&
                (whole.flags & frame_flag::reserved) == 0);
        const whole_frame_header fast(data);
        require(fast.flags() == whole.flags && fast.size() == whole.header_size &&
                fast.body_size() == whole.body_size);
        std::uint8_t again[large_header_size];
        const std::size_t written = encode_frame_header(again, whole.flags, whole.body_size);
        require(written == whole.header_size && std::equal(again, again + written, data));
    }
    return 0;
}
