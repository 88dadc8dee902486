// SPDX-License-Identifier: MPL-2.0
// short_memory: a test says how many allocations of this thread succeed before every one fails.
//
// Threads: each has a count of its own. operator new of the program, which asks it, is in
// subscriptions_memory_test.cpp.
#pragma once

#include <limits>

namespace zlink::test {

constexpr int any_number = std::numeric_limits<int>::max();
extern thread_local int allocations_left;

class short_memory {
  public:
    explicit short_memory(int allocations) { allocations_left = allocations; }
    short_memory(const short_memory &) = delete;
    short_memory &operator=(const short_memory &) = delete;
    ~short_memory() { allocations_left = any_number; }
};

} // namespace zlink::test
