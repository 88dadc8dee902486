// SPDX-License-Identifier: MPL-2.0
#include "zmtp/legacy_frames.hpp"

#include <algorithm>
#include <cassert>

namespace zlink::zmtp {

namespace {

constexpr std::uint8_t v1_long_form = 0xFF;
constexpr std::size_t v1_short_header_size = 2;
constexpr std::size_t v1_long_header_size = 10;
constexpr std::uint64_t max_size = 0x7FFFFFFFFFFFFFFF;
constexpr frame_header incomplete{header_status::incomplete, 0, 0, 0};
constexpr frame_header refused{header_status::error, 0, 0, 0};

// The length counts the flags byte, so it is not zero. Bits above MORE mean nothing in 1.0.
frame_header make_v1_header(std::uint64_t length, std::uint8_t flags, std::size_t header_size) noexcept {
    if (length == 0 || length > max_size) {
        return refused;
    }
    return {header_status::ok, static_cast<std::uint8_t>(flags & frame_flag::more),
            static_cast<std::uint8_t>(header_size), length - 1};
}

} // namespace

std::size_t encode_v1_header(std::uint8_t *out, std::uint8_t flags, std::uint64_t size) noexcept {
    assert((flags & ~frame_flag::more) == 0 && size < max_size);
    if (size + 1 < v1_long_form) {
        out[0] = static_cast<std::uint8_t>(size + 1);
        out[1] = flags;
        return v1_short_header_size;
    }
    out[0] = v1_long_form;
    store_big_endian_64(out + 1, size + 1);
    out[9] = flags;
    return v1_long_header_size;
}

frame_header parse_v1_header(const std::uint8_t *data, std::size_t available) noexcept {
    if (available < v1_short_header_size) {
        return available == 1 && data[0] == 0 ? refused : incomplete;
    }
    if (data[0] != v1_long_form) {
        return make_v1_header(data[0], data[1], v1_short_header_size);
    }
    if ((data[1] & 0x80) != 0) {
        return refused;
    }
    if (available < v1_long_header_size) {
        return incomplete;
    }
    return make_v1_header(load_big_endian_64(data + 1), data[9], v1_long_header_size);
}

std::size_t encode_v2_header(std::uint8_t *out, std::uint8_t flags, std::uint64_t size) noexcept {
    assert((flags & ~frame_flag::more) == 0);
    return encode_frame_header(out, flags, size);
}

frame_header parse_v2_header(const std::uint8_t *data, std::size_t available) noexcept {
    if (available != 0 && (data[0] & frame_flag::command) != 0) {
        return refused;
    }
    frame_header header = parse_frame_header(data, available);
    header.flags &= frame_flag::more;
    return header;
}

decode_status legacy_decoder::next_header(byte_view &in) noexcept {
    while (!in.empty()) {
        header_[header_filled_++] = in[0];
        in = in.subspan(1);
        const frame_header header = parser_(header_.data(), header_filled_);
        if (header.status == header_status::error) {
            failed_ = true;
            return decode_status::error;
        }
        if (header.status == header_status::ok) {
            header_filled_ = 0;
            in_body_ = true;
            begun_ = false;
            more_ = header.flags != 0;
            size_ = left_ = header.body_size;
            return decode_status::piece;
        }
    }
    return decode_status::need_more;
}

decode_status legacy_decoder::next(byte_view &in, frame_piece &out) noexcept {
    if (failed_) {
        return decode_status::error;
    }
    if (!in_body_) {
        const decode_status found = next_header(in);
        if (found != decode_status::piece) {
            return found;
        }
    }
    if (left_ != 0 && in.empty()) {
        return decode_status::need_more;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.size()));
    left_ -= count;
    out = {
        .begins = !begun_, .ends = left_ == 0, .more = more_, .frame_size = size_, .body = in.first(count)};
    in = in.subspan(count);
    begun_ = true;
    in_body_ = left_ != 0;
    return decode_status::piece;
}

} // namespace zlink::zmtp
