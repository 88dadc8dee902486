// SPDX-License-Identifier: MPL-2.0
// Key pairs of CURVE as text (zmq_curve_keypair, zmq_curve_public).
//
// Threads: pure functions but for the random numbers, which any thread may ask for.
#pragma once

#include <array>
#include <string_view>

#include "base/result.hpp"

namespace zlink::core {

using curve_key_text = std::array<char, 41>; // Z85 with a final NUL

struct curve_key_texts {
    curve_key_text public_key{};
    curve_key_text secret_key{};
};

// ENOTSUP: the system has no random numbers.
[[nodiscard]] result<curve_key_texts> make_curve_keys();
// EINVAL: not forty characters of Z85.
[[nodiscard]] result<curve_key_text> curve_public_key(std::string_view secret_key);

} // namespace zlink::core
