// SPDX-License-Identifier: MPL-2.0
// Pacing of a queue. A throttled writer lets the reader catch up. A reader that is close behind backs off, so
// that the writer gets ahead. A busy reader spares the writer the fences.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/brief_yield.hpp"
#include "base/processors.hpp"
#include "queue/pacing.hpp"

namespace zlink {

namespace {
constexpr std::uint64_t near_bytes = message_queue::throttle_bytes / 2;
constexpr int most_idle_turns = 32;
constexpr int most_turns_for_reader = 4; // an I/O thread may stand between
// Where a MiB is but a few bodies, who yields would do so for every other one.
constexpr std::uint64_t bodies_ahead = 16;
// A reader takes a large body at a time: one that needs longer than this is not held up by memory.
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
} // namespace

// ---- writer

void message_queue::note_lead() noexcept {
    const std::uint64_t ahead = bytes_ahead();
    const std::uint64_t far = std::max<std::uint64_t>(throttle_bytes, newest_body_ * bodies_ahead);
    if (ahead <= far)
        throttle_at_ = far;
    check_throttle_ = watched_ || ahead > throttle_at_;
}

// Once for every half of what there is room for: a reader that does not come, or is slow, is not waited for.
bool message_queue::let_reader_make_room() noexcept {
    if (several_processors() || consumed_seen_ < next_turn_for_reader_)
        return false;
    next_turn_for_reader_ = consumed_seen_ + (limit_.load(std::memory_order_relaxed) + 1) / 2;
    for (int turn = 0; turn < most_turns_for_reader; ++turn) {
        std::this_thread::yield();
        if (!full())
            return true;
    }
    return false;
}

void message_queue::throttle(bool patient) noexcept {
    for (throttle_wait wait(*this, patient); wait.goes_on();)
        brief_yield();
}

throttle_wait::throttle_wait(message_queue &written, bool patient) noexcept
    : queue_(written), patience_(patient ? written.newest_body_ * patience_ns_per_byte : 0),
      ahead_(written.bytes_ahead()) {}

bool throttle_wait::goes_on() noexcept {
    const std::uint64_t now = queue_.bytes_ahead();
    if (now + near_bytes <= queue_.throttle_at_) {
        queue_.throttle_at_ = std::max(queue_.throttle_at_ - near_bytes, message_queue::throttle_bytes);
        return false;
    }
    if (std::exchange(ahead_, now) != now) {
        moved_ = clock::now();
        idle_turns_ = 0;
        return true;
    }
    if (idle_turns_++ < most_idle_turns || clock::now() - moved_ < patience_)
        return true;
    queue_.throttle_at_ = now + message_queue::throttle_bytes;
    in_vain_ = true;
    return false;
}

// ---- reader

// In bytes, or, where messages are larger, in messages.
bool message_queue::close_behind(std::uint64_t committed) const noexcept {
    const std::uint64_t bytes = committed - read_position();
    return bytes < close_behind_bytes || (bytes < close_behind_bytes * 16 && depth() < close_behind_messages);
}

// Lets the writer run ahead of a reader that has read some messages since its last pause without success.
// Returns what is committed then.
std::uint64_t message_queue::back_off(std::uint64_t committed) noexcept {
    // Close behind a writer that is at work, and does not wait for room?
    if (!close_behind(committed) || writer_waiting_.load(std::memory_order_relaxed))
        return committed;
    return let_writer_lead(committed);
}

// Also at the moment when it finds nothing: what the writer does next, while the reader yields, is what
// counts on one processor. A queue may be looked at by its writer's thread while the reader is idle.
void message_queue::begin_busy() noexcept {
    if (!has_asymmetric_fence()) {
        busy_at_ = never;
        return;
    }
    if (reader_.load(std::memory_order_relaxed) != reader_state::awake)
        return;
    busy_ = true;
    reader_.store(reader_state::busy, std::memory_order_release);
}

// A stream has run dry: a moment is less than its end and its next beginning. Returns false if nothing came.
bool message_queue::await_writer() const noexcept {
    const auto in_vain = [this] { return writer_waiting_.load(std::memory_order_relaxed); };
    if (several_processors()) {
        const auto end = std::chrono::steady_clock::now() + pause;
        while (bytes_waiting() == 0)
            if (in_vain() || std::chrono::steady_clock::now() >= end)
                return false;
        return true;
    }
    for (int turn = 0; bytes_waiting() == 0; ++turn) {
        if (in_vain() || turn == most_awaiting_turns)
            return false;
        brief_yield();
    }
    return true;
}

// Behind the announcement that the reader is idle: a writer that has not seen it committed before the fence.
// A stream that brought few messages was not worth the fence.
void message_queue::end_busy() noexcept {
    asymmetric_fence_heavy();
    busy_ = false;
    const bool in_vain = consumed() - busy_at_ < busy_patience_;
    busy_patience_ = in_vain ? std::min(busy_patience_ * 2, most_busy_patience) : least_busy;
    busy_at_ = never;
    expect_busy();
}

// Returns what is committed then. A pause that brings few messages is in vain: the next one waits for more.
std::uint64_t message_queue::let_writer_lead(std::uint64_t committed) noexcept {
    const std::uint64_t before = committed_messages_.load(std::memory_order_relaxed);
    const auto end = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < end)
        ;
    const std::uint64_t now = committed_.load(std::memory_order_acquire);
    if (committed_messages_.load(std::memory_order_relaxed) - before >= worth_a_pause ||
        now - committed >= close_behind_bytes) {
        backoff_patience_ = least_patience;
    } else {
        backoff_patience_ = std::min(backoff_patience_ * 2, most_patience);
        backoff_at_ = consumed() + backoff_patience_;
    }
    return now;
}

} // namespace zlink
