// SPDX-License-Identifier: MPL-2.0
#include "base/random.hpp"

#include <atomic>
#include <chrono>
#include <random>

namespace zlink {

namespace {

// The system's entropy, or what differs most between processes where there is none.
std::uint64_t process_seed() noexcept {
    try {
        std::random_device device;
        return (std::uint64_t{device()} << 32) | device();
    } catch (...) {
        return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    }
}

} // namespace

std::uint64_t random_seed() noexcept {
    static const std::uint64_t base = process_seed();
    static std::atomic<std::uint64_t> calls{0};
    random_generator mixer(base + calls.fetch_add(1, std::memory_order_relaxed));
    return mixer.next();
}

} // namespace zlink
