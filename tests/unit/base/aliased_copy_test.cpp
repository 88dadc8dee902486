// SPDX-License-Identifier: MPL-2.0
#include "base/aliased_copy.hpp"
#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace zlink {
namespace {

// Memory that begins with a page.
class pages {
  public:
    explicit pages(std::size_t count)
        : size_(count * page_bytes),
          bytes_(static_cast<std::uint8_t *>(::operator new (size_, std::align_val_t{page_bytes}))) {
        std::fill_n(bytes_, size_, std::uint8_t{0xA5});
    }
    ~pages() { ::operator delete (bytes_, std::align_val_t{page_bytes}); }
    pages(const pages &) = delete;
    pages &operator=(const pages &) = delete;
    [[nodiscard]] std::uint8_t *at(std::size_t offset) const { return bytes_ + offset; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    std::uint8_t *bytes_;
};

TEST(AliasedCopy, CopiesEveryByteAndNoOther) {
    const pages from(6);
    for (std::size_t i = 0; i < from.size(); ++i)
        *from.at(i) = static_cast<std::uint8_t>(i * 31 + (i >> 8));
    for (const std::size_t size : {4096U, 4097U, 4223U, 8191U, 12288U})
        for (std::size_t distance = 0; distance <= 80; ++distance) {
            const pages to(6);
            std::uint8_t *const target = to.at(page_bytes + 100 + distance);
            const std::uint8_t *const source = from.at(page_bytes + 100);
            copy_bytes(target, source, size);
            ASSERT_TRUE(std::equal(source, source + size, target)) << size << ", " << distance;
            ASSERT_EQ(target[-1], 0xA5) << size << ", " << distance;
            ASSERT_EQ(target[size], 0xA5) << size << ", " << distance;
            copy_aliased(target, source + 1, size);
            ASSERT_TRUE(std::equal(source + 1, source + 1 + size, target)) << size << ", " << distance;
            ASSERT_EQ(target[-1], 0xA5) << size << ", " << distance;
            ASSERT_EQ(target[size], 0xA5) << size << ", " << distance;
        }
}

TEST(AliasedCopy, IsUsedOnlyForLargeBodiesALittleAhead) {
    const pages memory(8);
    const std::uint8_t *const from = memory.at(200);
    const auto aliased = [&](std::size_t distance, std::size_t size) {
        return is_aliased(memory.at(4 * page_bytes + 200) + distance, from, size);
    };
    EXPECT_FALSE(aliased(0, 8192));
    EXPECT_TRUE(aliased(1, 8192));
    EXPECT_TRUE(aliased(15, 4096));
    EXPECT_FALSE(aliased(15, 4095));
    EXPECT_TRUE(aliased(63, 8192));
    EXPECT_FALSE(aliased(64, 8192));
    EXPECT_FALSE(aliased(page_bytes - 1, 8192));
    EXPECT_TRUE(aliased(page_bytes + 1, 8192));
}

TEST(AliasedCopy, APlaceOfOurOwnIsCopiedFastBothWays) {
    for (std::size_t offset = 0; offset < page_bytes; ++offset) {
        const std::size_t shift = aliasing_shift(offset);
        ASSERT_LE(shift, most_aliasing_shift);
        ASSERT_EQ(shift % 64, 0U);
        const std::size_t place = offset + shift;
        for (std::size_t front = 2; front <= 368; ++front) {
            ASSERT_GT(page_distance(place, front) - 1, 14U) << offset << ", " << front;
            ASSERT_GT(page_distance(front, place) - 1, 14U) << offset << ", " << front;
        }
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Returns the least time that a copy of two pages to `offset` in one of some pages takes. It runs until the
// time is below `wanted`. Some processors copy slowly between two pages of one in 256 pairs, wherever in the
// pages, so the target's pages change.
double least_ns(const pages &memory, std::size_t offset, double wanted) {
    constexpr std::size_t size = 2 * page_bytes;
    constexpr std::size_t first_page = 6;
    constexpr std::size_t step = 4; // pages
    constexpr std::size_t places = 10;
    double least = 1e12;
    for (std::size_t run = 0; run < 8 * places || (least > wanted && run < 20'000); ++run) {
        std::uint8_t *const to = memory.at((first_page + step * (run % places)) * page_bytes + offset);
        const auto begin = std::chrono::steady_clock::now();
        copy_bytes(to, memory.at(0), size);
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
        least = std::min(least, taken.count());
    }
    return least;
}

TEST(AliasedCopy, IsNotSlowAtAnyDistance) {
    // An aliased copy takes 16 times as long or more. A copy to an odd distance may take 6 times as long.
    constexpr double slow_factor = 10;
    const pages memory(50);
    const double usual = least_ns(memory, 0, 0);
    for (std::size_t distance = 0; distance < page_bytes; ++distance)
        ASSERT_LT(least_ns(memory, distance, slow_factor * usual), slow_factor * usual)
            << "a target " << distance << " bytes ahead of its source";
}
#endif

} // namespace
} // namespace zlink
