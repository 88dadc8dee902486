// SPDX-License-Identifier: MPL-2.0
// The one table of socket options: number, type, range, which sockets, where the value lives.
//
// Threads: the table is constant; the options belong to the caller.
// Invariant: a refused set changes nothing.
// Errors: EINVAL, as libzmq gives it, for an unknown number, a wrong size, a value out of range, or the wrong
// type of socket.
#pragma once

#include "base/result.hpp"
#include "base/socket_options.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::core {

// Numbers of the C API that callers of the table have to tell apart.
namespace option_id {
inline constexpr int subscribe = 6;
inline constexpr int unsubscribe = 7;
inline constexpr int receive_more = 13;
inline constexpr int fd = 14;
inline constexpr int events = 15;
inline constexpr int linger = 17;
inline constexpr int send_hwm = 23;
inline constexpr int receive_hwm = 24;
inline constexpr int topics_count = 116;
// The first of the counts of why connections ended, in the order of worker::closed_reason.
inline constexpr int closed_first = 10000;
inline constexpr int last_value = 10062;
inline constexpr int stats = 10080;
inline constexpr int peers = 10081;
inline constexpr int loop_fd = 10091;
inline constexpr int loop_events = 10092;
} // namespace option_id

// Where an option is carried out.
enum class option_home : unsigned char {
    stored,  // in socket_options; nothing more to do
    applied, // in socket_options, and the socket tells its pipes and its pattern after a set
    live,    // in the socket: the table only checks size and type of socket
};

[[nodiscard]] const char *to_string(option_home home) noexcept;

// EINVAL for a number without a row.
result<option_home> find_option(int id) noexcept;

// The name as in the manual, without the prefix; empty for a number without a row.
[[nodiscard]] std::string_view option_name(int id) noexcept;

// Checks and, unless the option is live, stores. A null pointer with size 0 clears what can be cleared.
result<void> set_option(socket_options &options, int id, std::span<const std::byte> value);

// Writes the value and returns its size (text: with its final NUL); the rest of `out` becomes zeros. An int
// is asked for with room for exactly an int. Options that are live: EINVAL; ask check_live_get() and then
// put_option_value().
result<std::size_t> get_option(const socket_options &options, int id, std::span<std::byte> out);

// May this live option be read from this type of socket into that much room? To be asked before computing the
// value, because computing ZMQ_EVENTS has effects.
result<void> check_live_get(const socket_options &options, int id, std::size_t room) noexcept;

// Writes an int as getters of ints do; returns sizeof(int). EINVAL: too little room.
result<std::size_t> put_option_value(int value, std::span<std::byte> out) noexcept;
// Writes a text with its final NUL; returns its size.
result<std::size_t> put_option_text(std::string_view text, std::span<std::byte> out) noexcept;
// Writes 64 bits; returns their size.
result<std::size_t> put_option_count(std::uint64_t count, std::span<std::byte> out) noexcept;

} // namespace zlink::core
