// SPDX-License-Identifier: MPL-2.0
// Pacing of a queue. A throttled writer lets the reader catch up. A reader that is close behind backs off, so
// that the writer gets ahead. A busy reader spares the writer the fences.
//
// Threads: `throttle` and `throttle_wait` are the writer's, `reader_pace` is the reader's. Ownership: a wait
// borrows the queue. Units: bytes since the queue's beginning, and counts of messages.
//
// Back-off is for a reader whose writer is an application thread. A reader that keeps pace with a busy writer
// moves the same cache lines between two processors for each message. That takes longer than all else. So the
// reader lets the writer get ahead now and then, for about a microsecond.
//
// A reader is busy when it has read many messages without going idle. It says so, and the writer then commits
// without the full fence, which is most of the cost of a small message. Before a busy reader may sleep, it
// announces the sleep and calls asymmetric_fence_heavy(). If the writer has not seen the announcement, the
// reader sees the writer's commit.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace zlink {

class queue_link;
class queue_writer;

// How many bytes a writer may be ahead: about a MiB, or 16 large bodies. More would leave the cache before it
// is read.
class throttle {
  public:
    static constexpr std::uint64_t least_bytes = 1024 * 1024;

    // A segment or a large body was added, and the writer is so much ahead now. Returns true if that is too
    // much.
    [[nodiscard]] bool note(std::uint64_t ahead) noexcept;
    void note_body(std::size_t size) noexcept;
    [[nodiscard]] bool exceeds(std::uint64_t ahead) const noexcept { return ahead > from_; }

    // ---- a wait
    // A reader takes a large body at a time. One that needs longer than this is not held up by memory.
    [[nodiscard]] std::chrono::nanoseconds time_of_body() const noexcept;
    // Returns true if the reader has come near enough, and the wait is over.
    [[nodiscard]] bool has_caught_up(std::uint64_t ahead) noexcept;
    // The wait was in vain: the next one comes after another MiB.
    void give_up(std::uint64_t ahead) noexcept { from_ = ahead + least_bytes; }

  private:
    std::uint64_t from_ = least_bytes; // bytes ahead; more after a wait without success
    std::uint32_t newest_body_ = 0;    // bytes
};

// The wait of a throttled writer: `while (wait.goes_on())` it does something else for a moment. The wait ends
// when the reader does nothing for some microseconds. With `patient` that is a nanosecond per byte of the
// newest large body, a millisecond at most. The next wait then comes after another MiB.
class throttle_wait {
  public:
    throttle_wait(queue_writer &written, bool patient) noexcept;
    [[nodiscard]] bool goes_on() noexcept;
    // Whether it ended because the reader does nothing.
    [[nodiscard]] bool in_vain() const noexcept { return in_vain_; }

  private:
    using clock = std::chrono::steady_clock;
    queue_writer &queue_;
    const std::chrono::nanoseconds patience_;
    std::uint64_t ahead_; // bytes
    clock::time_point moved_ = clock::now();
    int idle_turns_ = 0;
    bool in_vain_ = false;
};

// How a reader keeps pace with its writer. The reader asks it when next() messages are read.
class reader_pace {
  public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    [[nodiscard]] std::uint64_t next() const noexcept {
        return busy_ ? backoff_at_ : std::min(backoff_at_, busy_at_);
    }
    void enable_backoff() noexcept;
    // The reader may become busy from now on, where the system has the asymmetric fence.
    void expect_busy(std::uint64_t read) noexcept;
    // Becomes busy when it is time. It may be the moment when the reader finds nothing.
    void check_busy(queue_link &link, std::uint64_t read) noexcept;
    // Lets the writer get ahead when it is time, and it is close. `at`: the position of the reader.
    // Returns what is committed then.
    [[nodiscard]] std::uint64_t back_off(const queue_link &link, std::uint64_t committed, std::uint64_t at,
                                         std::uint64_t read) noexcept;

    // ---- nothing is left
    [[nodiscard]] bool busy() const noexcept { return busy_; }
    // Waits a moment for the writer: that is less than the end and the next beginning of a busy time. Returns
    // false if nothing came.
    [[nodiscard]] static bool await_writer(const queue_link &link, std::uint64_t at) noexcept;
    // The reader has announced that it is idle.
    void end_busy(std::uint64_t read) noexcept;
    // The reader sleeps.
    void note_idle(std::uint64_t read) noexcept {
        if (busy_at_ != never)
            busy_at_ = read + busy_patience_;
    }

  private:
    static constexpr std::uint32_t least_patience = 64;
    static constexpr std::uint32_t least_busy = 512;

    std::uint64_t let_writer_lead(const queue_link &link, std::uint64_t committed,
                                  std::uint64_t read) noexcept;

    std::uint64_t backoff_at_ = never;                // messages read from which it backs off,
    std::uint64_t busy_at_ = never;                   // and from which it is or was busy
    std::uint64_t busy_patience_ = least_busy;        // so many messages have to come before busy_at_
    std::uint32_t backoff_patience_ = least_patience; // and before backoff_at_
    bool busy_ = false;
};

} // namespace zlink
