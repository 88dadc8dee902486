// SPDX-License-Identifier: MPL-2.0
#include "base/fork.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

#include "base/system_calls.hpp"

namespace zlink {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t most_descriptors = std::size_t{1} << 20; // others are kept

std::array<std::atomic<std::uint64_t>, most_descriptors / word_bits> withheld{};
std::atomic<std::size_t> words_in_use{0};

bool in_table(int descriptor) noexcept {
    return descriptor >= 0 && static_cast<std::size_t>(descriptor) < most_descriptors;
}
std::uint64_t bit_of(std::size_t descriptor) noexcept {
    return std::uint64_t{1} << descriptor % word_bits;
}

void close_withheld() noexcept {
    const std::size_t words = words_in_use.load(std::memory_order_relaxed);
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t bits = withheld[word].exchange(0, std::memory_order_relaxed);
        for (std::size_t bit = 0; bits != 0 && bit < word_bits; ++bit)
            if ((bits & bit_of(bit)) != 0)
                system_calls::close(static_cast<int>(word * word_bits + bit));
    }
}

} // namespace

struct fork_handler::registry {
    std::mutex guard;
    fork_handler *first = nullptr; // guarded

    registry() { pthread_atfork(prepare, in_parent, in_child); }

    static registry &of_process() {
        static registry *const only = new registry; // for ever: who is destroyed last is not known
        return *only;
    }
    static void prepare() { of_process().guard.lock(); }
    static void in_parent() { of_process().guard.unlock(); }
    static void in_child() {
        for (fork_handler *one = of_process().first; one != nullptr; one = one->next_)
            one->on_fork();
        close_withheld();
        of_process().guard.unlock();
    }
};

fork_handler::fork_handler() noexcept {
    registry &all = registry::of_process();
    const std::lock_guard lock(all.guard);
    next_ = all.first;
    if (next_ != nullptr)
        next_->previous_ = this;
    all.first = this;
}

fork_handler::~fork_handler() {
    registry &all = registry::of_process();
    const std::lock_guard lock(all.guard);
    (previous_ != nullptr ? previous_->next_ : all.first) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
}

void withhold_from_children(int descriptor) noexcept {
    if (!in_table(descriptor))
        return;
    const auto place = static_cast<std::size_t>(descriptor);
    std::size_t words = words_in_use.load(std::memory_order_relaxed);
    while (words <= place / word_bits &&
           !words_in_use.compare_exchange_weak(words, place / word_bits + 1, std::memory_order_relaxed)) {
    }
    withheld[place / word_bits].fetch_or(bit_of(place), std::memory_order_relaxed);
}

void release_to_children(int descriptor) noexcept {
    if (!in_table(descriptor))
        return;
    const auto place = static_cast<std::size_t>(descriptor);
    withheld[place / word_bits].fetch_and(~bit_of(place), std::memory_order_relaxed);
}

} // namespace zlink
