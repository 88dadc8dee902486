// SPDX-License-Identifier: MPL-2.0
// staging: sends and receives a large body by way of memory of our own, in parts.
//
// The kernel copies slowly between its pages and some addresses in user memory (base/aliased_copy.hpp). A
// body at such an address goes by way of a good address instead: we copy it there or from there. That is
// several times as fast.
//
// Threads: the one that holds the stream. Ownership: the memory is the pool's, for the length of a call.
#pragma once

#include <span>

#include "base/bytes.hpp"
#include "queue/queue_writer.hpp"
#include "transport/stream.hpp"

namespace zlink::connections {

// The most that is copied at once. Smaller parts cost more segments of tcp (docs/RATIONALE.md).
constexpr std::size_t staged_part_bytes = 1024 * 1024;

// Returns true if the kernel would copy the body slowly. The body is the last piece of `message`.
[[nodiscard]] bool needs_staging(const transport::stream &to, std::span<const byte_range> message) noexcept;
// Returns true if the kernel would copy the body slowly. Returns false for messages that arrive in a row: few
// of them are slow.
[[nodiscard]] bool needs_staging(const transport::stream &from, const receive_window::room &room) noexcept;

// Sends some pieces. Returns how many bytes the stream took.
using send_function = std::size_t (*)(transport::stream &to, std::span<byte_range> pieces);
// Sends a message of two or three pieces by calls of `send`. Returns how many bytes the stream took.
[[nodiscard]] std::size_t send_staged(transport::stream &to, std::span<const byte_range> message,
                                      send_function send,
                                      std::size_t part_bytes = staged_part_bytes) noexcept;
// Fills the room like stream::receive().
[[nodiscard]] transport::io_result receive_staged(transport::stream &from, const receive_window::room &room,
                                                  std::size_t part_bytes = staged_part_bytes) noexcept;

} // namespace zlink::connections
