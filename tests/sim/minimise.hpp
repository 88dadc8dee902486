// SPDX-License-Identifier: MPL-2.0
// minimise: looks for a simpler run with the same finding.
#pragma once

#include <cstdint>

namespace sim {

// Plays a seed in a child. The result is in *result_of_run.
using play_function = void (*)(std::uint64_t seed);

// Prints what the finding needs, and how to play the shortest run that was met. Returns the exit status.
int minimise(std::uint64_t seed, play_function play);

} // namespace sim
