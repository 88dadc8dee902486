// SPDX-License-Identifier: MPL-2.0
#include "message/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace zlink {
namespace {

TEST(Buffer, HoldsEverySize) {
    for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 255U, 8192U, 65536U, 1U << 20, 5U << 20}) {
        buffer *body = buffer::allocate(size);
        ASSERT_NE(body, nullptr);
        EXPECT_EQ(body->size(), size);
        EXPECT_FALSE(body->shared());
        std::memset(body->data(), 0x5A, size);
        body->release();
    }
}

TEST(Buffer, CopiesBytesToWhereTheyLieLikewise) {
    std::vector<std::uint8_t> bytes(70000 + 256);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * 7);
    for (const std::size_t size : {0U, 1U, 100U, 9000U, 70000U})
        for (std::size_t from = 0; from < 130; from += 13) {
            buffer *copy = buffer::copy_of(&bytes[from], size);
            ASSERT_NE(copy, nullptr);
            EXPECT_EQ(copy->size(), size);
            EXPECT_TRUE(std::equal(copy->data(), copy->data() + size, &bytes[from]));
            const auto place = reinterpret_cast<std::uintptr_t>(copy->data());
            EXPECT_EQ(place % 16, 0U);
            EXPECT_EQ(place % 64, reinterpret_cast<std::uintptr_t>(&bytes[from]) % 64 / 16 * 16);
            copy->release();
        }
}

TEST(Buffer, SaysWhenThereIsNoMemory) {
    EXPECT_EQ(buffer::allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(buffer::allocate(SIZE_MAX - 8), nullptr);
}

TEST(Buffer, LivesUntilTheLastReferenceGoes) {
    buffer *body = buffer::allocate(100);
    body->retain();
    EXPECT_TRUE(body->shared());
    body->retain(3);
    for (int count = 0; count < 4; ++count) {
        EXPECT_TRUE(body->shared());
        body->release();
    }
    EXPECT_FALSE(body->shared());
    body->data()[99] = 1;
    body->release();
}

struct freed {
    int count = 0;
    void *data = nullptr;
};
void note_free(void *data, void *hint) {
    auto *note = static_cast<freed *>(hint);
    ++note->count;
    note->data = data;
}

TEST(Buffer, CallsTheFreeFunctionOnce) {
    freed note;
    char memory[100];
    buffer *body = buffer::adopt(memory, sizeof memory, note_free, &note);
    EXPECT_EQ(static_cast<void *>(body->data()), memory);
    EXPECT_EQ(body->size(), sizeof memory);
    body->retain();
    body->release();
    EXPECT_EQ(note.count, 0);
    body->release();
    EXPECT_EQ(note.count, 1);
    EXPECT_EQ(note.data, memory);
}

TEST(Buffer, AdoptsWithoutAFreeFunction) {
    char memory[1] = {7};
    buffer *body = buffer::adopt(memory, 1, nullptr, nullptr);
    body->release();
    EXPECT_EQ(memory[0], 7);
}

std::atomic<int> frees{0};
void count_free(void *data, void *) {
    delete static_cast<int *>(data);
    ++frees;
}

TEST(Buffer, TheLastOfManyThreadsFreesIt) {
    frees = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        int *memory = new int(0);
        buffer *body = buffer::adopt(memory, sizeof *memory, count_free, nullptr);
        body->retain();
        std::thread other([body] {
            body->retain();
            body->release();
            body->release();
        });
        body->release();
        other.join();
    }
    EXPECT_EQ(frees, rounds);
}

} // namespace
} // namespace zlink
