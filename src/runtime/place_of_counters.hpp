// SPDX-License-Identifier: MPL-2.0
// Where the counters of a context lie: as ZLINK_COUNTERS and ZLINK_RUNTIME_DIR say.
//
// Threads: any.
#pragma once

#include "counters/region.hpp"

namespace zlink::runtime {

[[nodiscard]] counters::placement place_of_counters();

} // namespace zlink::runtime
