// SPDX-License-Identifier: MPL-2.0
#include "runtime/spinner.hpp"

#include "base/processors.hpp"
#include "runtime/tuning.hpp"

namespace zlink::runtime {

std::int64_t spinner::fixed_us() noexcept {
    if (const auto &told = process_tuning().spin_us)
        return *told;
    return several_processors() ? -1 : 0;
}

} // namespace zlink::runtime
