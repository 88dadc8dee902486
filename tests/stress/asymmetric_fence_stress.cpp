// SPDX-License-Identifier: MPL-2.0
// The two halves of the fence of a process, between two threads: one of them sees what the other has stored.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "base/asymmetric_fence.hpp"
#include "stress/stress_tools.hpp"

namespace zlink::stress {
namespace {

struct alignas(64) place {
    std::atomic<std::uint64_t> value{0};
};

// So that the two meet in every order.
class hesitation {
  public:
    explicit hesitation(unsigned seed) : random_(seed) {}
    void pass() {
        for (auto turns = random_() % 64; turns != 0; --turns)
            turns_.fetch_add(1, std::memory_order_relaxed);
    }

  private:
    std::minstd_rand random_;
    std::atomic<int> turns_{0};
};

void wait_for(const place &other, std::uint64_t round) {
    while (other.value.load(std::memory_order_acquire) < round)
        std::this_thread::yield();
}

TEST(ProcessFence, OneOfTwoThreadsSeesTheOther) {
    enable_asymmetric_fence();
    if (!has_asymmetric_fence())
        GTEST_SKIP() << "the system has none";
    // Fewer if the processors are busy with others. It is stored before the round that makes it known begins.
    std::atomic<std::uint64_t> rounds{scaled(50000)};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    place light, heavy, light_begins, heavy_begins, light_ended;
    std::atomic<bool> light_saw{false};
    std::thread other([&] {
        hesitation before(1);
        for (std::uint64_t round = 1; round <= rounds.load(std::memory_order_relaxed); ++round) {
            light_begins.value.store(round, std::memory_order_release);
            wait_for(heavy_begins, round);
            before.pass();
            light.value.store(round, std::memory_order_relaxed);
            asymmetric_fence_light();
            light_saw.store(heavy.value.load(std::memory_order_relaxed) == round, std::memory_order_relaxed);
            light_ended.value.store(round, std::memory_order_release);
        }
    });
    std::uint64_t neither = 0;
    hesitation before(2);
    for (std::uint64_t round = 1; round <= rounds.load(std::memory_order_relaxed); ++round) {
        if (round < rounds.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() > deadline)
            rounds.store(round, std::memory_order_relaxed);
        wait_for(light_begins, round);
        heavy_begins.value.store(round, std::memory_order_release);
        before.pass();
        heavy.value.store(round, std::memory_order_relaxed);
        asymmetric_fence_heavy();
        const bool heavy_saw = light.value.load(std::memory_order_relaxed) == round;
        wait_for(light_ended, round);
        neither += heavy_saw || light_saw.load(std::memory_order_relaxed) ? 0U : 1U;
    }
    other.join();
    EXPECT_EQ(neither, 0U);
}

} // namespace
} // namespace zlink::stress
