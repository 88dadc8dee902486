// SPDX-License-Identifier: MPL-2.0
#include "connections/parting.hpp"

#include <array>
#include <utility>

namespace zlink::connections {
namespace {

constexpr std::size_t discard_bytes = 16384;
constexpr std::size_t discard_turns = 16;

} // namespace

bool parting::discard(transport::stream &from) noexcept {
    std::array<std::uint8_t, discard_bytes> unwanted;
    for (std::size_t turns = 0; turns < discard_turns; ++turns) {
        const transport::io_result got = from.receive(unwanted);
        if (got.status == transport::io_status::closed)
            return false;
        if (got.status == transport::io_status::again)
            break;
        discarded_ = true;
    }
    return true;
}

void parting::begin() noexcept {
    if (deadline_ == runtime::never)
        deadline_ = runtime::now_ms() + longest_ms;
}

bool parting::is_delivered(transport::stream &to) noexcept {
    const std::size_t left = to.undelivered(discarded_);
    if (std::exchange(undelivered_, left) > left)
        deadline_ = runtime::now_ms() + longest_ms;
    return left == 0 || runtime::now_ms() >= deadline_;
}

} // namespace zlink::connections
