// SPDX-License-Identifier: MPL-2.0
// How the two ends of a lane keep their distance: a writer that is far ahead lets the reader catch up, a
// reader that is close behind lets the writer get ahead, and one that streams spares it the fences.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/processors.hpp"
#include "lane/lane.hpp"

namespace zlink {

namespace {
constexpr std::uint64_t near_bytes = lane::far_ahead_bytes / 2;
constexpr int most_idle_turns = 32;
constexpr int most_turns_for_reader = 4; // an I/O thread may stand between
// Where a MiB is but a few bodies, who yields would do so for every other one.
constexpr std::uint64_t bodies_ahead = 16;
// A reader takes a large body at a time: one that needs longer than this is not held up by memory.
constexpr std::size_t patience_ns_per_byte = 1;
// Limits for a trailing reader.
constexpr std::uint64_t close_behind_bytes = 4096;
constexpr std::uint64_t close_behind_messages = 64;
constexpr std::chrono::microseconds pause{1};
constexpr std::uint32_t most_patience = 4096; // messages
constexpr std::uint64_t worth_a_pause = 8;
// Limits for a reader that streams.
constexpr std::uint64_t most_stream_patience = 1024 * 1024; // messages
constexpr int most_awaiting_turns = 4;
} // namespace

// ---- writer

void lane::note_distance() noexcept {
    const std::uint64_t ahead = bytes_ahead();
    const std::uint64_t far = std::max<std::uint64_t>(far_ahead_bytes, newest_body_ * bodies_ahead);
    if (ahead <= far)
        pace_at_ = far;
    check_distance_ = watched_ || ahead > pace_at_;
}

// Once for every half of what there is room for: a reader that does not come, or is slow, is not waited for.
bool lane::let_reader_make_room() noexcept {
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

void lane::pace(bool patient) noexcept {
    for (catching_up wait(*this, patient); wait.goes_on();)
        std::this_thread::yield();
}

catching_up::catching_up(lane &written, bool patient) noexcept
    : lane_(written), patience_(patient ? written.newest_body_ * patience_ns_per_byte : 0),
      ahead_(written.bytes_ahead()) {}

bool catching_up::goes_on() noexcept {
    const std::uint64_t now = lane_.bytes_ahead();
    if (now + near_bytes <= lane_.pace_at_) {
        lane_.pace_at_ = std::max(lane_.pace_at_ - near_bytes, lane::far_ahead_bytes);
        return false;
    }
    if (std::exchange(ahead_, now) != now) {
        moved_ = clock::now();
        idle_turns_ = 0;
        return true;
    }
    if (idle_turns_++ < most_idle_turns || clock::now() - moved_ < patience_)
        return true;
    lane_.pace_at_ = now + lane::far_ahead_bytes;
    in_vain_ = true;
    return false;
}

// ---- reader

// In bytes, or, where messages are larger, in messages.
bool lane::close_behind(std::uint64_t published) const noexcept {
    const std::uint64_t bytes = published - read_position();
    return bytes < close_behind_bytes || (bytes < close_behind_bytes * 16 && depth() < close_behind_messages);
}

// Lets the writer run ahead of a reader that has read some messages since its last pause without success.
// Returns what is published then.
std::uint64_t lane::keep_behind(std::uint64_t published) noexcept {
    // Close behind a writer that is at work, and does not wait for room?
    if (!close_behind(published) || writer_waiting_.load(std::memory_order_relaxed))
        return published;
    return let_writer_ahead(published);
}

// Also at the moment when it finds nothing: what the writer does next, while the reader yields, is what
// counts on one processor. A lane may be looked at by its writer's thread while the reader is idle.
void lane::begin_stream() noexcept {
    if (!has_process_fence()) {
        stream_at_ = never;
        return;
    }
    if (reader_.load(std::memory_order_relaxed) != reader_state::awake)
        return;
    streams_ = true;
    reader_.store(reader_state::streams, std::memory_order_release);
}

// A stream has run dry: a moment is less than its end and its next beginning. Returns false if nothing came.
bool lane::await_writer() const noexcept {
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
        std::this_thread::yield();
    }
    return true;
}

// Behind the announcement that the reader is idle: a writer that has not seen it published before the fence.
// A stream that brought few messages was not worth the fence.
void lane::end_stream() noexcept {
    process_fence();
    streams_ = false;
    const bool in_vain = consumed() - stream_at_ < stream_patience_;
    stream_patience_ = in_vain ? std::min(stream_patience_ * 2, most_stream_patience) : least_stream;
    stream_at_ = never;
    expect_streams();
}

// Returns what is published then. A pause that brings few messages is in vain: the next one waits for more.
std::uint64_t lane::let_writer_ahead(std::uint64_t published) noexcept {
    const std::uint64_t before = published_messages_.load(std::memory_order_relaxed);
    const auto end = std::chrono::steady_clock::now() + pause;
    while (std::chrono::steady_clock::now() < end)
        ;
    const std::uint64_t now = published_.load(std::memory_order_acquire);
    if (published_messages_.load(std::memory_order_relaxed) - before >= worth_a_pause ||
        now - published >= close_behind_bytes) {
        trail_patience_ = least_patience;
    } else {
        trail_patience_ = std::min(trail_patience_ * 2, most_patience);
        trail_at_ = consumed() + trail_patience_;
    }
    return now;
}

} // namespace zlink
