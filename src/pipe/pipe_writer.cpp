// SPDX-License-Identifier: MPL-2.0
#include "pipe/pipe_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "base/brief_yield.hpp"
#include "base/processors.hpp"
#include "pipe/pipe.hpp"
#include "queue/pacing.hpp"

namespace zlink {
namespace {

using verdict = write_coalescing::verdict;
using std::chrono::steady_clock;

// The least time that a message takes from one thread to the next. A thread that sends more often leaves it
// to the I/O thread to write many messages at once.
constexpr std::chrono::microseconds burst_gap{20};
// With at_once a thread writes if it spent this much time on other work. It saves the time for a few writes.
// So a thread that only sends leaves the writing to the I/O thread.
constexpr std::chrono::microseconds time_of_write{2};
constexpr std::chrono::microseconds most_saved = 8 * time_of_write;
constexpr std::size_t least_placed_afar = 128 * 1024;
constexpr std::size_t most_placed = 4 * 1024 * 1024; // who stops waiting waits for the copy

thread_local steady_clock::time_point handed_out_by_thread;
thread_local std::chrono::nanoseconds saved_by_thread{0};

// Adds `pause` to the time that the calling thread has saved. Returns true, and takes time_of_write from it,
// if it is enough for one write.
bool spend_write_time(std::chrono::nanoseconds pause) noexcept {
    saved_by_thread = std::min<std::chrono::nanoseconds>(saved_by_thread + pause, most_saved);
    if (saved_by_thread < time_of_write)
        return false;
    saved_by_thread -= time_of_write;
    return true;
}

} // namespace

// ---- write_coalescing

// An answer is no burst, and is not worth a look at the clock.
verdict write_coalescing::classify(const queue_writer &out, const queue_reader &in, direct_writing mode,
                                   std::int64_t uncommitted) noexcept {
    const std::int64_t sent =
        static_cast<std::int64_t>(out.written() - std::exchange(written_before_, out.written())) +
        uncommitted;
    if (std::exchange(answering_, false) && sent == 1 && in.bytes_waiting() == 0) [[likely]]
        return verdict::answer;
    const auto now = steady_clock::now();
    const auto pause = std::min(now - std::exchange(handed_out_by_thread, now),
                                (now - std::exchange(handed_out_, now)) / std::max<std::int64_t>(sent, 1));
    if (mode == direct_writing::at_once) [[unlikely]]
        return spend_write_time(pause) ? verdict::lone : verdict::burst;
    return pause < burst_gap ? verdict::burst : verdict::lone;
}

void write_coalescing::end_pause(verdict was) noexcept {
    if (was == verdict::lone) [[unlikely]]
        handed_out_ = handed_out_by_thread = steady_clock::now();
}

// ---- pipe_writer

void pipe_writer::call(std::uint32_t events) noexcept {
    if (events != 0) [[unlikely]]
        end_.notify_peer(events);
}

void pipe_writer::commit_from_io() noexcept {
    if (out_.commit())
        end_.notify_peer(pipe_event::readable);
}

// Where nothing is written directly, everything counts as a burst.
verdict pipe_writer::classify(std::int64_t uncommitted) noexcept {
    if (direct_ == direct_writing::never) [[unlikely]]
        return verdict::burst;
    return coalescing_.classify(out_, end_.in(), direct_, uncommitted);
}

// The other side sleeps: its work is done here when that is quicker than to wake it.
void pipe_writer::hand_out() noexcept {
    std::uint32_t calls = pipe_event::readable;
    verdict about = coalescing_.take_kept();
    if (about == verdict::unknown)
        about = classify(0);
    if (about != verdict::burst)
        if (const std::unique_lock lock(slot_.mutex, std::try_to_lock); lock && slot_.io != nullptr) {
            calls = slot_.io->write_out();
            coalescing_.end_pause(about);
        }
    call(calls);
}

// A throttled sender takes the write lease if it can, so that it does not have to wait for the I/O thread.
void pipe_writer::throttle_sender(bool lone_target) noexcept {
    const bool patient = lone_target || direct_ != direct_writing::never;
    const bool far = out_.should_throttle();
    if (!patient || !write_on_lease(far)) {
        if (far)
            out_.throttle(patient);
        return;
    }
    if (!out_.should_throttle())
        return;
    throttle_wait wait(out_, patient);
    while (wait.goes_on()) {
        brief_yield();
        if (!write_on_lease(false))
            return;
    }
    if (wait.in_vain()) // the I/O thread can wait for the stream
        end_lease();
}

// Returns false if the I/O thread writes.
bool pipe_writer::write_on_lease(bool begins) noexcept {
    if (!has_lease_ && (!begins || !may_lease_ || direct_ == direct_writing::never))
        return false;
    const std::unique_lock lock(slot_.mutex, std::try_to_lock);
    if (!lock)
        return has_lease_;
    has_lease_ = slot_.io != nullptr && slot_.io->write_on_lease(!has_lease_);
    out_.watch(has_lease_);
    return has_lease_;
}

void pipe_writer::end_lease() noexcept {
    has_lease_ = false;
    out_.watch(false);
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io != nullptr)
        call(slot_.io->end_write_lease());
}

void pipe_writer::note_direct(std::size_t bytes) noexcept {
    counters::written_counts &counts = out_.link().counts().written;
    counts.direct_messages.add();
    counts.direct_bytes.add(bytes);
}

// In line where it is used: see docs/RATIONALE.md, "The depth of a call".
[[gnu::always_inline]] inline bool pipe_writer::try_write_direct(const outgoing_frame &frame) noexcept {
    byte_range begun;
    if (direct_ == direct_writing::never || !out_.quiet(begun)) [[unlikely]]
        return false;
    auto about = verdict::answer;
    if (frame.size <= large_body) [[likely]] {
        if (has_lease_) [[unlikely]]
            return false;
        about = classify(1);
        coalescing_.keep(about);
        if (about == verdict::burst) [[unlikely]]
            return false;
    }
    if (!slot_.mutex.try_lock()) [[unlikely]]
        return false;
    const std::lock_guard lock(slot_.mutex, std::adopt_lock);
    if (slot_.io == nullptr) [[unlikely]]
        return false;
    const direct_write_status went = slot_.io->write_direct(begun, frame);
    if (went == direct_write_status::untouched) [[unlikely]]
        return false;
    coalescing_.keep(verdict::unknown);
    coalescing_.end_pause(about);
    slot_.sent.note_directly_sent(begun.size != 0, went != direct_write_status::cut_short);
    if (went != direct_write_status::cut_short) [[likely]]
        note_direct(begun.size + frame_header_size(frame.size) + frame.size);
    if (begun.size != 0) [[unlikely]]
        out_.rollback(); // what had been begun there is sent
    if (went != direct_write_status::done) [[unlikely]]
        call(slot_.io->goes_on());
    return true;
}

bool pipe_writer::write_direct(const outgoing_frame &frame) noexcept {
    return try_write_direct(frame);
}

// A large body goes straight to where a thread at the other end waits for it: it is copied once. From one
// processor to another that is worth while for very large ones.
bool pipe_writer::place_directly(const outgoing_frame &frame) noexcept {
    const std::size_t least = several_processors() ? least_placed_afar : large_body + 1;
    byte_range begun;
    if (!end_.traits.in_process() || frame.size < least || frame.size > most_placed ||
        frame.owner != nullptr || frame.constant || !out_.quiet(begun) || out_.depth() != 0)
        return false;
    const std::lock_guard lock(slot_.mutex);
    posted_receive &there = end_.other().posted();
    if (there.place.memory.size() < frame.size || there.place.envelope != begun.size)
        return false;
    const posted_buffer place = std::exchange(there.place, {});
    return out_.write_placed(frame, place.memory.data(), there.placed);
}

int pipe_writer::send_last(const outgoing_frame &frame) noexcept {
    if (try_write_direct(frame)) [[likely]]
        return 0;
    if (!place_directly(frame) && !out_.write(frame)) [[unlikely]] {
        out_.rollback();
        return ENOMEM;
    }
    commit();
    return 0;
}

} // namespace zlink
