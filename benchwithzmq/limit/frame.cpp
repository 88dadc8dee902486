// SPDX-License-Identifier: MPL-2.0
#include "limit/frame.hpp"

#include "common/fail.hpp"

#include <cstdint>

namespace bench {
namespace {

constexpr std::byte more{1};
constexpr std::byte long_size{2};

} // namespace

framer::framer(frame_shape shape, std::size_t body_bytes) : shape_(shape), body_bytes_(body_bytes) {
    if (shape.delimiter) {
        prefix_[prefix_bytes_] = more;
        prefix_bytes_ += 2; // flags, size 0
    }
    if (body_bytes <= 255) {
        prefix_[prefix_bytes_ + 1] = static_cast<std::byte>(body_bytes);
        prefix_bytes_ += 2;
        return;
    }
    prefix_[prefix_bytes_++] = long_size;
    for (int shift = 56; shift >= 0; shift -= 8)
        prefix_[prefix_bytes_++] = static_cast<std::byte>(std::uint64_t{body_bytes} >> shift & 0xff);
}

void framer::fail_prefix() {
    fail("a frame header arrived changed");
}

} // namespace bench
