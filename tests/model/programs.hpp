// SPDX-License-Identifier: MPL-2.0
// programs: the lists of programs, by what they check.
#pragma once

#include <vector>

#include "model/program.hpp"

namespace zlink::model {

[[nodiscard]] std::vector<program> queue_programs();

} // namespace zlink::model
