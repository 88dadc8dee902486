// SPDX-License-Identifier: MPL-2.0
#include "runtime/adaptive_spin.hpp"

#include "base/processors.hpp"
#include "runtime/tuning.hpp"

namespace zlink::runtime {

std::int64_t adaptive_spin::fixed_us() noexcept {
    if (const auto &told = process_tuning().spin_us)
        return *told;
    return several_processors() ? -1 : 0;
}

} // namespace zlink::runtime
