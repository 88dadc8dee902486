// SPDX-License-Identifier: MPL-2.0
// Names that both sides of PLAIN (RFC 24) know. ERROR is spelt as libzmq has always spelt it with this
// mechanism. A mistake in an escape sequence made one byte of the length and the E. libzmq's clients
// understand no other spelling. They never try again after a command that they do not know. Our clients
// understand both.
#pragma once

#include <string_view>

namespace zlink::security::plain {

inline constexpr std::string_view mechanism_name = "PLAIN";
inline constexpr std::string_view hello = "HELLO";
inline constexpr std::string_view welcome = "WELCOME";
inline constexpr std::string_view initiate = "INITIATE";
inline constexpr std::string_view misspelt_error = "\x5eRROR";

} // namespace zlink::security::plain
