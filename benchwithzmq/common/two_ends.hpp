// SPDX-License-Identifier: MPL-2.0
// Runs the two ends of a measurement at the same time: as two threads, or as two processes.
//
// Returns when both have ended. An end that fails ends everything: as a thread by fail(), as a process
// because the parent then ends the other one and fails too. In a process of its own an end must leave its
// result in shared memory.
#pragma once

#include <functional>

namespace bench {

void run_two_ends(bool as_processes, const std::function<void()> &one, const std::function<void()> &other);

} // namespace bench
