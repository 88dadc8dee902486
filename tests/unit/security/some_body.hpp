// SPDX-License-Identifier: MPL-2.0
// Bodies of frames for the tests of CURVE: of one size always the same, of no pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace zlink::security {

using bytes = std::vector<std::uint8_t>;

inline bytes some_body(std::size_t size) {
    random_generator random(size + 1);
    bytes body(size);
    for (std::uint8_t &byte : body)
        byte = static_cast<std::uint8_t>(random.next());
    return body;
}

} // namespace zlink::security
