// SPDX-License-Identifier: MPL-2.0
#include "runtime/spinner.hpp"

#include <sched.h>

#include "runtime/tuning.hpp"

namespace zlink::runtime {

std::int64_t spinner::fixed_us() noexcept {
    if (const auto &told = process_tuning().spin_us)
        return *told;
    cpu_set_t usable;
    CPU_ZERO(&usable);
    const bool alone = sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) < 2;
    return alone ? 0 : -1;
}

} // namespace zlink::runtime
