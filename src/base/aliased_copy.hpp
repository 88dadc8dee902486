// SPDX-License-Identifier: MPL-2.0
// aliased_copy: copies whose target lies a few bytes ahead of its source, counted within a page of 4 KiB.
//
// On some processors `rep movsb` is many times slower for such a copy if the distance is 1 to 15 bytes. It is
// up to five times slower for 16 to 63 bytes. The kernel copies to and from user memory by that instruction,
// and the C library's memcpy does from 4 KiB on. Copies of our own avoid it by a loop of vectors. Copies of
// the kernel avoid it by the choice of the address in user memory.
//
// Threads: any. The processor is probed once, which takes some microseconds.
// Measured: docs/RATIONALE.md, "Copies that alias". Source of the term: Intel's optimization manual.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink {

constexpr std::size_t page_bytes = 4096;
// The kernel loses less than a microsecond on a shorter copy. memcpy does not use `rep movsb` for it.
constexpr std::size_t least_aliased_bytes = 4096;

// Returns true if this processor is slow at aliased copies.
[[nodiscard]] bool has_slow_aliased_copies() noexcept;

// Returns how far `to` lies ahead of `from` within a page, in bytes.
[[nodiscard]] inline std::size_t page_distance(std::uintptr_t to, std::uintptr_t from) noexcept {
    return (to - from) % page_bytes;
}

// Copies like memcpy, for a target that lies 1 to 63 bytes ahead within a page.
void copy_aliased(std::uint8_t *to, const std::uint8_t *from, std::size_t size) noexcept;
// Returns true if a copy of so many bytes aliases.
[[nodiscard]] inline bool is_aliased(const std::uint8_t *to, const std::uint8_t *from,
                                     std::size_t size) noexcept {
    constexpr std::size_t farthest = 63;
    if (size < least_aliased_bytes)
        return false;
    // Distance 0 does not alias. The subtraction turns it into the largest number.
    return page_distance(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from)) - 1 <
           farthest;
}

// The kernel puts a message that is alone in a tcp stream at the beginning of a page. Its body then begins at
// page offset `front`, the number of bytes before the body.
// Returns true if the kernel copies a large body slowly from `body` to offset `front`.
[[nodiscard]] bool sends_slowly(const std::uint8_t *body, std::size_t front) noexcept;
// Returns true if the kernel copies a large body slowly from offset `front` to `body`.
[[nodiscard]] bool receives_slowly(const std::uint8_t *body, std::size_t front) noexcept;

// Returns the bytes to add to an address of our own memory, which lies `page_offset` bytes into its page. The
// kernel then copies a body there fast both ways, with up to 368 bytes of the message before it. The result
// is a multiple of 64.
constexpr std::size_t most_aliasing_shift = 448;
[[nodiscard]] constexpr std::size_t aliasing_shift(std::size_t page_offset) noexcept {
    constexpr std::size_t line = 64;
    // Bad places are the last line of a page and the first 384 bytes. `place` counts from that last line.
    const std::size_t place = (page_offset + line) % page_bytes;
    return place < most_aliasing_shift ? (most_aliasing_shift - place + line - 1) / line * line : 0;
}

} // namespace zlink
