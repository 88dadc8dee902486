// SPDX-License-Identifier: MPL-2.0
#include "base/processors.hpp"

#include <sched.h>

namespace zlink {

bool several_processors() noexcept {
    static const bool several = [] {
        cpu_set_t usable;
        CPU_ZERO(&usable);
        return sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) > 1;
    }();
    return several;
}

} // namespace zlink
