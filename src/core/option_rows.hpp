// SPDX-License-Identifier: MPL-2.0
// The rows behind option_table.hpp: what is known about each option. Seen by option_table.cpp only.
//
// Threads: constants. Invariant: sorted by id; a row names a place in socket_options, or functions of its
// own.
#pragma once

#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "core/option_table.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace zlink::core {

using value_bytes = std::span<const std::byte>;

// The form of the value, and what the range of the row counts.
enum class option_kind : unsigned char {
    integer, // int; its value
    flag,    // int, 0 or 1
    truthy,  // int within the range; 0 is false and the rest true
    wide,    // 64 bits, signed or unsigned, all values
    text,    // its length; read with a final NUL
    binary,  // its length
    key,     // of CURVE: 32 bytes, or 40 characters of Z85, with or without a final NUL
};

struct option_range {
    std::int64_t least;
    std::int64_t most;
};

// Where a value lives; monostate: the row has functions of its own, or the option is live.
using option_place =
    std::variant<std::monostate, int socket_options::*, bool socket_options::*,
                 std::int64_t socket_options::*, std::uint64_t socket_options::*,
                 std::string socket_options::*, bool pattern_options::*, std::string pattern_options::*,
                 bool security_options::*, std::string security_options::*, curve_key security_options::*,
                 int tls_options::*, bool tls_options::*, std::string tls_options::*>;

struct option_row {
    int id;
    std::string_view name;
    option_kind kind;
    option_range range;
    option_place place;
    socket_types settable;
    socket_types gettable;
    option_home home = option_home::stored;
    bool clearable = false; // a null pointer with size 0 empties it
    bool roomy_get = false; // the getter of an int takes more room than an int needs
    result<void> (*set)(socket_options &, value_bytes) = nullptr;
    int (*get)(const socket_options &) noexcept = nullptr;
};

// Every option that has a row, by ascending id.
[[nodiscard]] std::span<const option_row> option_rows() noexcept;

// The int of a value of exactly that size. EINVAL: another size.
result<int> read_int(value_bytes value) noexcept;

// The value as characters.
[[nodiscard]] inline std::string_view as_text(value_bytes value) noexcept {
    return {reinterpret_cast<const char *>(value.data()), value.size()};
}

} // namespace zlink::core
