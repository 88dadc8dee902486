// SPDX-License-Identifier: MPL-2.0
#include "model/orders.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace zlink::model {

namespace {
int weakened_number = -1;
std::memory_order weaker = std::memory_order_seq_cst;
constexpr std::size_t most_orders = 1024;
std::array<bool, most_orders> reached;
} // namespace

void weaken(int number, const char *order) {
    const std::string_view name = order;
    weakened_number = number;
    weaker = name == "acq_rel"   ? std::memory_order_acq_rel
             : name == "acquire" ? std::memory_order_acquire
             : name == "release" ? std::memory_order_release
                                 : std::memory_order_relaxed;
}

std::vector<int> take_reached() {
    std::vector<int> found;
    for (std::size_t number = 0; number < most_orders; ++number)
        if (std::exchange(reached[number], false))
            found.push_back(static_cast<int>(number));
    return found;
}

std::memory_order weakened(int number, std::memory_order written) noexcept {
    reached[static_cast<std::size_t>(number)] = true;
    return number == weakened_number ? weaker : written;
}

} // namespace zlink::model
