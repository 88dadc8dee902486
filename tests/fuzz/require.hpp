// SPDX-License-Identifier: MPL-2.0
// A claim of a target about its input. A fuzzer notices where it is wrong.
#pragma once

#include <cstdlib>

namespace zlink::fuzz {

inline void require(bool truth) {
    if (!truth)
        std::abort();
}

} // namespace zlink::fuzz
