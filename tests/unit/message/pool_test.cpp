// SPDX-License-Identifier: MPL-2.0
#include "message/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <malloc.h>

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
    for (int generation = 0; generation < 3; ++generation) { // threads end, and the process gets their blocks
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

// ---- memory that is kept

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr std::size_t mib = 1024 * 1024;
constexpr std::size_t slack = mib / 2; // headers of the C library, and what its caches hold
constexpr std::size_t largest_pooled = 4 * mib;

// Bytes that the C library has given out.
std::size_t given_out() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

std::vector<pool::block> allocate_many(std::size_t size, std::size_t bytes) {
    std::vector<pool::block> blocks(bytes / size);
    for (pool::block &one : blocks)
        one = pool::allocate(size);
    return blocks;
}

void release_all(const std::vector<pool::block> &blocks) {
    for (const pool::block &one : blocks)
        pool::release(one.memory, one.size_class);
}

// Traffic of every size in turn.
void use_every_class(std::size_t bytes_of_each) {
    for (std::size_t size = 64; size <= largest_pooled; size += size / 4)
        release_all(allocate_many(size, std::max(bytes_of_each, size)));
}

TEST(PoolBudget, IsOneForAllClasses) {
    const std::size_t before = given_out();
    {
        const pool::use context;
        use_every_class(16 * mib);
        EXPECT_LE(given_out(), before + 33 * mib * 5 / 4); // each block has a header of the C library
        EXPECT_GE(given_out() - before, 16 * mib) << "it keeps something";
    }
    EXPECT_LE(given_out(), before + slack) << "after the last context";
}

TEST(PoolBudget, IsOneMebibyteInAThread) {
    const std::size_t before = given_out();
    std::atomic<std::size_t> kept = 0;
    std::thread([&] {
        for (int times = 0; times < 3; ++times)
            use_every_class(mib);
        kept = given_out() - before;
    }).join();
    EXPECT_LE(kept, mib + slack);
    EXPECT_LE(given_out(), before + slack) << "after the thread's end";
}

TEST(PoolBudget, AClassThatIsUsedNoMoreMakesWay) {
    const std::size_t before = given_out();
    const pool::use context;
    release_all(allocate_many(1000, 40 * mib));
    const std::vector<pool::block> blocks = allocate_many(256 * 1024, 16 * mib);
    const std::size_t in_use = given_out();
    release_all(blocks);
    EXPECT_GE(given_out() + slack, in_use - 16 * mib) << "small blocks went to the C library";
    EXPECT_LE(given_out(), before + 33 * mib + slack);
    const std::size_t kept = given_out();
    release_all(allocate_many(256 * 1024, 14 * mib));
    EXPECT_EQ(given_out(), kept) << "the large ones are kept: nothing was asked for";
}

#endif

} // namespace
} // namespace zlink
