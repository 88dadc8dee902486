// SPDX-License-Identifier: MPL-2.0
#include "queue/pacing.hpp"

#include <utility>

#include "base/brief_yield.hpp"
#include "base/processors.hpp"
#include "queue/message_queue.hpp"

namespace zlink {

namespace {
constexpr std::uint64_t near_bytes = throttle::least_bytes / 2;
constexpr int most_idle_turns = 32;
// Where a MiB is but a few bodies, who yields would do so for every other one.
constexpr std::uint64_t bodies_ahead = 16;
constexpr std::size_t largest_awaited = 1024 * 1024;
constexpr std::size_t patience_ns_per_byte = 1;
// Limits of reader back-off.
constexpr std::uint64_t close_behind_bytes = 4096;
constexpr std::uint64_t close_behind_messages = 64;
constexpr std::chrono::microseconds pause{1};
constexpr std::uint32_t most_patience = 4096; // messages
constexpr std::uint64_t worth_a_pause = 8;
// Limits for a busy reader.
constexpr std::uint64_t most_busy_patience = 1024 * 1024; // messages
constexpr int most_awaiting_turns = 4;

// In bytes, or, where messages are larger, in messages.
bool close_behind(const queue_link &link, std::uint64_t bytes, std::uint64_t read) noexcept {
    return bytes < close_behind_bytes ||
           (bytes < close_behind_bytes * 16 && link.messages() < read + close_behind_messages);
}
} // namespace

// ---- throttle

bool throttle::note(std::uint64_t ahead) noexcept {
    const std::uint64_t far = std::max<std::uint64_t>(least_bytes, newest_body_ * bodies_ahead);
    if (ahead <= far)
        from_ = far;
    return ahead > from_;
}

void throttle::note_body(std::size_t size) noexcept {
    newest_body_ = static_cast<std::uint32_t>(std::min(size, largest_awaited));
}

std::chrono::nanoseconds throttle::time_of_body() const noexcept {
    return std::chrono::nanoseconds{newest_body_ * patience_ns_per_byte};
}

bool throttle::has_caught_up(std::uint64_t ahead) noexcept {
    if (ahead + near_bytes > from_)
        return false;
    from_ = std::max(from_ - near_bytes, least_bytes);
    return true;
}

throttle_wait::throttle_wait(queue_writer &written, bool patient) noexcept
    : queue_(written), patience_(patient ? written.lead().time_of_body() : std::chrono::nanoseconds::zero()),
      ahead_(written.bytes_ahead()) {}

bool throttle_wait::goes_on() noexcept {
    const std::uint64_t now = queue_.bytes_ahead();
    if (queue_.lead().has_caught_up(now))
        return false;
    if (std::exchange(ahead_, now) != now) {
        moved_ = clock::now();
        idle_turns_ = 0;
        return true;
    }
    if (idle_turns_++ < most_idle_turns || clock::now() - moved_ < patience_)
        return true;
    queue_.lead().give_up(now);
    in_vain_ = true;
    return false;
}

// ---- reader_pace

void reader_pace::enable_backoff() noexcept {
    if (several_processors())
        backoff_at_ = backoff_patience_;
}

void reader_pace::expect_busy(std::uint64_t read) noexcept {
    if (has_asymmetric_fence() && !busy_)
        busy_at_ = read + busy_patience_;
}

// This is asked even when the reader finds nothing. With one processor it matters what the writer does next,
// while the reader yields. A queue may be looked at by its writer's thread while the reader is idle.
void reader_pace::check_busy(queue_link &link, std::uint64_t read) noexcept {
    if (read < busy_at_ || busy_)
        return;
    if (!has_asymmetric_fence()) {
        busy_at_ = never;
        return;
    }
    busy_ = link.become_busy();
}

std::uint64_t reader_pace::back_off(const queue_link &link, std::uint64_t committed, std::uint64_t at,
                                    std::uint64_t read) noexcept {
    // Close behind a writer that is at work, and does not wait for room?
    if (read < backoff_at_ || !close_behind(link, committed - at, read) ||
        link.writer_waits(std::memory_order_relaxed))
        return committed;
    return let_writer_lead(link, committed, read);
}

// A pause that brings few messages is in vain: the next one waits for more.
std::uint64_t reader_pace::let_writer_lead(const queue_link &link, std::uint64_t committed,
                                           std::uint64_t read) noexcept {
    const std::uint64_t before = link.written();
    const auto end = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < end)
        ;
    const std::uint64_t now = link.position();
    if (link.written() - before >= worth_a_pause || now - committed >= close_behind_bytes) {
        backoff_patience_ = least_patience;
    } else {
        backoff_patience_ = std::min(backoff_patience_ * 2, most_patience);
        backoff_at_ = read + backoff_patience_;
    }
    return now;
}

bool reader_pace::await_writer(const queue_link &link, std::uint64_t at) noexcept {
    if (several_processors()) {
        const auto end = std::chrono::steady_clock::now() + pause;
        while (link.position() == at)
            if (link.writer_waits(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= end)
                return false;
        return true;
    }
    for (int turn = 0; link.position() == at; ++turn) {
        if (link.writer_waits(std::memory_order_relaxed) || turn == most_awaiting_turns)
            return false;
        brief_yield();
    }
    return true;
}

// A writer that has not seen the announcement committed before the fence. A busy time that brought few
// messages was not worth the fence.
void reader_pace::end_busy(std::uint64_t read) noexcept {
    asymmetric_fence_heavy();
    busy_ = false;
    const bool in_vain = read - busy_at_ < busy_patience_;
    busy_patience_ = in_vain ? std::min(busy_patience_ * 2, most_busy_patience) : least_busy;
    busy_at_ = never;
    expect_busy(read);
}

} // namespace zlink
