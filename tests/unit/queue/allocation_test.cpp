// SPDX-License-Identifier: MPL-2.0
// The data path allocates nothing for small messages: malloc and its relatives are counted in this whole
// program. Sanitizers bring their own malloc; there the tests are skipped.
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "message/pool.hpp"
#include "unit/queue/queue_tools.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ZLINK_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ZLINK_COUNTS_ALLOCATIONS 0
#endif
#endif
#if !defined(ZLINK_COUNTS_ALLOCATIONS) && defined(__GLIBC__)
#define ZLINK_COUNTS_ALLOCATIONS 1
#endif

namespace zlink::tests {
static std::atomic<std::uint64_t> allocations{0};

[[maybe_unused]] static bool allows_allocation() noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return true;
}
} // namespace zlink::tests

#if ZLINK_COUNTS_ALLOCATIONS
#include "own_malloc.hpp"
#endif

namespace zlink::message_queue_test {
namespace {

using tests::allocations;
constexpr int messages = 100'000;

class Allocation : public testing::Test {
  protected:
    void SetUp() override {
#if !ZLINK_COUNTS_ALLOCATIONS
        GTEST_SKIP() << "malloc is not ours";
#endif
    }
    // Runs `work` once to warm up, and counts the second time.
    template <class Work> static std::uint64_t counted(Work work) {
        work();
        const std::uint64_t before = allocations.load();
        work();
        return allocations.load() - before;
    }
    std::array<std::uint8_t, 1000> body_{};
};

TEST_F(Allocation, IsCounted) {
    EXPECT_GE(counted([] { ::operator delete(::operator new(100)); }), 1U);
    EXPECT_GE(
        counted([] { ::operator delete(::operator new(100, std::align_val_t(64)), std::align_val_t(64)); }),
        1U);
    EXPECT_GE(counted([] { buffer::allocate(std::size_t{8} << 20)->release(); }), 1U) << "not pooled";
}

// Bursts that fill and empty several segments.
TEST_F(Allocation, AMessageQueueTakesSmallMessagesWithout) {
    message_queue log(1000);
    bool whole = true;
    const auto work = [&] {
        for (int count = 0; count < messages;) {
            for (; !log.writer().full() && count < messages; ++count) {
                const std::size_t size = static_cast<std::size_t>(count * 7 % 300);
                whole &= log.writer().write(
                    {body_.data(), size, count % 3 == 0 ? frame_flag::more : std::uint8_t{0}, nullptr});
                if (count % 3 == 0)
                    whole &= log.writer().write({body_.data(), 10, 0, nullptr});
                (void)log.writer().commit();
            }
            incoming_frame frame;
            while (log.reader().read(frame))
                whole &= frame.owner == nullptr;
            whole &= log.reader().prepare_wait_data();
        }
    };
    EXPECT_EQ(counted(work), 0U);
    EXPECT_TRUE(whole);
}

TEST_F(Allocation, OneMessageAtATimeTakesNone) {
    message_queue log;
    bool whole = true;
    const auto work = [&] {
        incoming_frame frame;
        for (int count = 0; count < messages; ++count) {
            whole &= log.writer().write({body_.data(), 64, 0, nullptr});
            (void)log.writer().commit();
            whole &= log.reader().read(frame) && frame.size == 64;
            whole &= log.reader().prepare_wait_data();
        }
    };
    EXPECT_EQ(counted(work), 0U);
    EXPECT_TRUE(whole);
}

// From queue to queue, as over a connection.
TEST_F(Allocation, GatherAndReceiveWindowTakeNone) {
    message_queue out;
    message_queue in;
    write_cursor cursor(out.reader());
    receive_window window(in.writer());
    bool whole = true;
    int received = 0;
    std::array<byte_range, 16> pieces{};

    const auto walk = [&] {
        for (;;) {
            const auto pending = window.pending();
            if (pending.size() < 2 || pending.size() < pending[1] + 2U)
                return pending.size() < 2 ? std::size_t{0} : pending[1] + std::size_t{2};
            window.accept(pending[1] + std::size_t{2}, false);
        }
    };
    const auto carry = [&](const byte_range &piece) {
        std::size_t frame_size = walk();
        for (std::size_t done = 0; done < piece.size;) {
            const receive_window::room room = window.space(frame_size);
            const std::size_t size = std::min(room.log.size(), piece.size - done);
            std::memcpy(room.log.data(), piece.data + done, size);
            window.received(size);
            frame_size = walk();
            done += size;
        }
        (void)window.commit();
    };
    const auto work = [&] {
        received = 0;
        for (int count = 0; count < messages;) {
            for (int burst = 0; burst < 1000; ++burst, ++count) {
                whole &=
                    out.writer().write({body_.data(), static_cast<std::size_t>(count % 200), 0, nullptr});
                (void)out.writer().commit();
            }
            while (const std::size_t found = cursor.ranges(pieces, 20000)) {
                std::size_t written = 0;
                for (std::size_t index = 0; index < found; ++index) {
                    carry(pieces[index]);
                    written += pieces[index].size;
                }
                cursor.advance(written);
            }
            incoming_frame frame;
            while (in.reader().read(frame))
                ++received;
            whole &= out.reader().prepare_wait_data() && in.reader().prepare_wait_data();
        }
    };
    EXPECT_EQ(counted(work), 0U);
    EXPECT_TRUE(whole);
    EXPECT_EQ(received, messages);
}

// Middle-sized bodies come from the pool.
TEST_F(Allocation, BuffersAreUsedAgain) {
    const pool::use context;
    const auto work = [] {
        std::array<buffer *, 32> bodies{};
        for (int round = 0; round < messages / 32; ++round) {
            for (buffer *&each : bodies)
                each = buffer::allocate(static_cast<std::size_t>(64 + round % 4000));
            for (buffer *each : bodies)
                each->release();
        }
    };
    EXPECT_EQ(counted(work), 0U);
}

// No memory waits for a message that may never come.
TEST_F(Allocation, NothingIsHeldForWhatIsExpected) {
    message_queue log;
    receiver from_network(log);
    from_network.feed(wire({body_of(20000)}) + wire({body_of(20000)}), 5000);
    receive_all(log);
    const std::uint8_t *const first = expected_room(from_network).body.data();
    EXPECT_EQ(expected_room(from_network).body.data(), first) << "it was given back, and is used again";
}

} // namespace
} // namespace zlink::message_queue_test
