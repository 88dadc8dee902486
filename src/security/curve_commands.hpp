// SPDX-License-Identifier: MPL-2.0
// Names, sizes and nonce prefixes that both sides of CURVE (RFC 26) know. Sizes are of a command's data,
// behind its name.
//
// Threads: constants.
#pragma once

#include "security/curve_box.hpp"

namespace zlink::security::curve {

inline constexpr std::string_view mechanism_name = "CURVE";
inline constexpr std::string_view hello = "HELLO";
inline constexpr std::string_view welcome = "WELCOME";
inline constexpr std::string_view initiate = "INITIATE";
inline constexpr std::string_view ready_name = "READY";
inline constexpr std::string_view message = "MESSAGE";

inline constexpr std::string_view hello_prefix = "CurveZMQHELLO---";
inline constexpr std::string_view welcome_prefix = "WELCOME-";
inline constexpr std::string_view cookie_prefix = "COOKIE--";
inline constexpr std::string_view initiate_prefix = "CurveZMQINITIATE";
inline constexpr std::string_view vouch_prefix = "VOUCH---";
inline constexpr std::string_view ready_prefix = "CurveZMQREADY---";
inline constexpr std::string_view client_message_prefix = "CurveZMQMESSAGEC";
inline constexpr std::string_view server_message_prefix = "CurveZMQMESSAGES";

// HELLO: version, padding against amplification, C', number, Box[zeros].
inline constexpr std::array<std::uint8_t, 2> version{1, 0};
inline constexpr std::size_t hello_padding = 72;
inline constexpr std::size_t hello_zeros = 64;
inline constexpr std::size_t hello_key_at = version.size() + hello_padding;
inline constexpr std::size_t hello_number_at = hello_key_at + key_size;
inline constexpr std::size_t hello_box_at = hello_number_at + short_nonce_size;
inline constexpr std::size_t hello_size = hello_box_at + box_overhead + hello_zeros;
static_assert(hello_size == 194);

// WELCOME: random nonce, Box[S' + cookie]; the cookie: random nonce, secretbox[C' + s'].
inline constexpr std::size_t cookie_size = long_nonce_size + box_overhead + 2 * key_size;
inline constexpr std::size_t welcome_size = long_nonce_size + box_overhead + key_size + cookie_size;
static_assert(cookie_size == 96 && welcome_size == 160);

// INITIATE: cookie, number, Box[C + vouch + properties]; the vouch: random nonce, Box[C' + S].
inline constexpr std::size_t vouch_size = long_nonce_size + box_overhead + 2 * key_size;
inline constexpr std::size_t initiate_box_at = cookie_size + short_nonce_size;
inline constexpr std::size_t initiate_least = initiate_box_at + box_overhead + key_size + vouch_size;
static_assert(initiate_least == 248);

// READY: number, Box[properties].
inline constexpr std::size_t ready_least = short_nonce_size + box_overhead;

} // namespace zlink::security::curve
