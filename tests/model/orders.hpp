// SPDX-License-Identifier: MPL-2.0
// orders: memory orders that can be weakened. mutate.py makes a copy of the library in which each order is a
// call of weakened() with the order's number.
#pragma once

#include <atomic>
#include <vector>

namespace zlink::model {

// From now on the order of this number is another one: "relaxed", "acquire", "release" or "acq_rel".
void weaken(int number, const char *order);

// The numbers of the orders that were asked for since the last call of this function.
[[nodiscard]] std::vector<int> take_reached();

[[nodiscard]] std::memory_order weakened(int number, std::memory_order written) noexcept;

} // namespace zlink::model
