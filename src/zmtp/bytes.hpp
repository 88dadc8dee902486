// SPDX-License-Identifier: MPL-2.0
// The two byte types of the protocol code: what is read (a view, never owning) and what is being built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

using byte_view = std::span<const std::uint8_t>;
using byte_buffer = std::vector<std::uint8_t>;

// Text of the protocol (names, reasons, routing ids) seen as bytes, and back. Nothing is copied.
inline byte_view as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}
inline std::string_view as_text(byte_view bytes) noexcept {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Not insert(): g++ 12 sees it write past the end when it knows the sizes.
inline void append_bytes(byte_buffer &out, byte_view bytes) {
    const std::size_t before = out.size();
    out.resize(before + bytes.size());
    std::copy(bytes.begin(), bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(before));
}

} // namespace zlink::zmtp
