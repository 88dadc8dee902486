// SPDX-License-Identifier: MPL-2.0
#include "message/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace zlink {
namespace {

TEST(Pool, BlocksAreLargeEnoughAlignedAndApart) {
    std::vector<std::pair<pool::block, std::size_t>> blocks;
    for (std::size_t size = 1; size < 10'000'000; size = size < 300 ? size + 1 : size * 33 / 32 + 1) {
        const pool::block block = pool::allocate(size);
        ASSERT_NE(block.memory, nullptr) << size;
        ASSERT_GE(block.size, size);
        ASSERT_LE(block.size, std::max<std::size_t>(64, size * 5 / 4)) << "waste of " << size;
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block.memory) % 16, 0U);
        std::memset(block.memory, static_cast<int>(blocks.size() & 0xFF), block.size);
        blocks.emplace_back(block, size);
    }
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const auto *bytes = static_cast<const unsigned char *>(blocks[index].first.memory);
        const std::size_t size = blocks[index].first.size;
        ASSERT_EQ(bytes[0], index & 0xFF);
        if (size > 1) {
            ASSERT_EQ(std::memcmp(bytes, bytes + 1, size - 1), 0) << "somebody wrote into block " << index;
        }
    }
    for (const auto &[block, size] : blocks)
        pool::release(block.memory, block.size_class);
}

struct shared_slot {
    std::atomic<std::uint64_t *> block{nullptr};
};

// Every thread allocates, and frees what any other one left in a slot.
TEST(Pool, BlocksMayBeFreedByAnotherThread) {
    constexpr std::size_t slot_count = 64;
    std::array<shared_slot, slot_count> slots;
    std::atomic<int> broken{0};
    const auto check_and_free = [&broken](std::uint64_t *block) {
        // size class, number of words, then the number again to the end
        for (std::uint64_t word = 2; word < block[1]; ++word)
            if (block[word] != block[1])
                ++broken;
        pool::release(block, static_cast<std::uint8_t>(block[0]));
    };
    const auto work = [&](unsigned seed) {
        std::mt19937 random(seed);
        for (int round = 0; round < 20000; ++round) {
            const std::size_t size = random() % 16 == 0 ? 16 + random() % 70000 : 16 + random() % 300;
            const pool::block block = pool::allocate(size);
            auto *words = static_cast<std::uint64_t *>(block.memory);
            words[0] = block.size_class;
            words[1] = size / 8;
            for (std::uint64_t word = 2; word < words[1]; ++word)
                words[word] = words[1];
            if (std::uint64_t *old = slots[random() % slot_count].block.exchange(words))
                check_and_free(old);
        }
    };
    for (int generation = 0; generation < 3; ++generation) { // threads end and hand over what they kept
        std::vector<std::thread> threads;
        for (unsigned seed = 0; seed < 4; ++seed)
            threads.emplace_back(work, seed);
        for (std::thread &each : threads)
            each.join();
    }
    for (shared_slot &each : slots)
        if (std::uint64_t *old = each.block.load())
            check_and_free(old);
    EXPECT_EQ(broken, 0);
}

// The block lives in a thread-local object that is destroyed behind the thread's cache.
struct late_user {
    pool::block kept{};
    bool used = false;
    ~late_user() {
        if (!used)
            return;
        pool::release(kept.memory, kept.size_class);
        const pool::block last = pool::allocate(100);
        std::memset(last.memory, 0, last.size);
        pool::release(last.memory, last.size_class);
    }
};
thread_local late_user late;

TEST(Pool, WorksWhileAThreadEnds) {
    for (int round = 0; round < 3; ++round)
        std::thread([] {
            late.used = true; // constructed before the cache, so destroyed after it
            late.kept = pool::allocate(100);
            std::memset(late.kept.memory, 1, late.kept.size);
        }).join();
}

} // namespace
} // namespace zlink
