// SPDX-License-Identifier: MPL-2.0
// programs: the lists of programs, by what they check.
#pragma once

#include <vector>

#include "model/program.hpp"

namespace zlink::runtime {
class parker;
}

namespace zlink::model {

[[nodiscard]] std::vector<program> queue_programs();
[[nodiscard]] std::vector<program> wake_programs();
[[nodiscard]] std::vector<program> lock_programs();

// ---- for a program

// The parker of a thread.
void set_parker(std::size_t thread, runtime::parker &its) noexcept;
// While it prepares: locks see this thread.
void act_as(std::size_t thread) noexcept;

} // namespace zlink::model
