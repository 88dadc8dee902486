// SPDX-License-Identifier: MPL-2.0
// Runs the two ends of a measurement at the same time: as two threads, or as two processes. Or more
// processes.
//
// Returns when all have ended. An end that fails ends everything: as a thread by fail(), as a process
// because the parent then ends the others and fails too. In a process of its own an end must leave its
// result in shared memory.
#pragma once

#include <functional>
#include <vector>

namespace bench {

void run_two_ends(bool as_processes, const std::function<void()> &one, const std::function<void()> &other);
// Servers do not end by themselves: they are killed when all ends have ended. One that ends before fails.
void run_processes(const std::vector<std::function<void()>> &servers,
                   const std::vector<std::function<void()>> &ends);

} // namespace bench
