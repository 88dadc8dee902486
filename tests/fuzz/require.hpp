// SPDX-License-Identifier: MPL-2.0
// What a target says of its input; a fuzzer sees that it is not so.
#pragma once

#include <cstdlib>

namespace zlink::fuzz {

inline void require(bool truth) {
    if (!truth)
        std::abort();
}

} // namespace zlink::fuzz
