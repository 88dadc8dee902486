// SPDX-License-Identifier: MPL-2.0
// pipe_writer: the sending half of an end of a pipe. It commits what lies in the queue, and wakes the other
// side or does the work of the I/O thread itself, whichever is quicker.
//
// Threads: that of the end's owner. Ownership: a part of the end; the pipe owns queue and stream slot.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "pipe/stream_io.hpp"

namespace zlink {

// Whether the sending thread writes a message to a quiet stream by itself. unless_burst: yes, except in a
// burst. at_once: yes, if the thread has saved time_of_write.
enum class direct_writing : std::uint8_t { never, unless_burst, at_once };

// Decides whether a message is written at once or waits for the ones that follow it.
class write_coalescing {
  public:
    // Burst: many messages in short time, to one peer or to many, to be written together. Answer: the only
    // message since something was read. Lone: all others.
    enum class verdict : std::uint8_t { unknown, answer, lone, burst };

    // Something was read from the pipe.
    void note_read() noexcept { answering_ = true; }
    // Classifies the messages since the last call. `uncommitted` of them are not in the queue yet.
    [[nodiscard]] verdict classify(const queue_writer &out, const queue_reader &in, direct_writing mode,
                                   std::int64_t uncommitted) noexcept;
    // Keeps the verdict about a message that goes to the queue after all.
    void keep(verdict about) noexcept { kept_ = about; }
    [[nodiscard]] verdict take_kept() noexcept { return std::exchange(kept_, verdict::unknown); }
    // The messages were written. The time that this took is no pause between messages.
    void end_pause(verdict was) noexcept;

  private:
    bool answering_ = false; // something was read since the last verdict
    verdict kept_ = verdict::unknown;
    std::uint64_t written_before_ = 0;                   // messages, at the last verdict
    std::chrono::steady_clock::time_point handed_out_{}; // when that was
};

class pipe_writer {
  public:
    pipe_writer(queue_writer &out, stream_slot &slot, pipe_end &end) noexcept
        : out_(out), slot_(slot), end_(end) {}

    [[nodiscard]] queue_writer &out() noexcept { return out_; }

    // ---- what the owner allows; nothing at first
    void allow_direct(direct_writing mode) noexcept { direct_ = mode; }
    // May a throttled thread write in place of the I/O thread?
    void allow_lease(bool may) noexcept { may_lease_ = may; }

    // ---- after writing to out()
    [[gnu::always_inline]] void commit() noexcept { after_commit(out_.commit(), true); }
    void commit_from_io() noexcept; // an I/O thread waits for nobody
    // The second step of a message to many ends, see queue::commit_unfenced(). One of many is not waited for.
    void wake_committed() noexcept { after_commit(out_.link().take_sleeping_reader(), false); }
    void commit_to_one_of_many() noexcept { after_commit(out_.commit(), false); }

    // See queue::send_fast(). Refused, too, where write_direct() may do better.
    [[nodiscard, gnu::always_inline]] queue_writer::cached send_fast(const std::uint8_t *data,
                                                                     std::size_t size) noexcept {
        return may_write_direct() ? queue_writer::cached::refused : out_.send_fast(data, size);
    }
    // Behind it.
    void fence_and_wake() noexcept { after_commit(out_.fence_and_wake(), true); }

    // ---- the stream of the connection at the other end
    // Writes the last frame of a message directly to the stream, with its earlier frames from out(), if
    // nothing waits before it. Small bodies of a burst are not written directly: they are better written
    // together. Returns false if the caller must write it to out().
    [[nodiscard]] bool write_direct(const outgoing_frame &frame) noexcept;
    // Returns true if write_direct() is worth a try for a small frame.
    [[nodiscard, gnu::always_inline]] bool may_write_direct() const noexcept {
        return out_.link().reader_sleeps() && direct_ != direct_writing::never;
    }
    // Sends it so, or writes it to out() and commits it. ENOMEM: all of the message is taken back.
    [[nodiscard, gnu::noinline]] int send_last(const outgoing_frame &frame) noexcept;
    // The thread is about to do something else than to send: what it wrote in place of the I/O thread goes
    // back to that one.
    void release_lease() noexcept {
        if (has_lease_) [[unlikely]]
            end_lease();
    }

    // ---- the reading half's
    void note_read() noexcept { coalescing_.note_read(); }

  private:
    [[gnu::always_inline]] void after_commit(bool reader_sleeps, bool lone_target) noexcept {
        if (reader_sleeps) [[unlikely]]
            hand_out();
        if (out_.take_throttle_check()) [[unlikely]]
            throttle_sender(lone_target);
    }
    void hand_out() noexcept;
    void throttle_sender(bool lone_target) noexcept;
    void note_direct(std::size_t bytes) noexcept;
    [[nodiscard]] bool write_on_lease(bool begins) noexcept;
    void end_lease() noexcept;
    [[nodiscard]] write_coalescing::verdict classify(std::int64_t uncommitted) noexcept;
    [[nodiscard]] bool place_directly(const outgoing_frame &frame) noexcept;
    [[nodiscard]] bool try_write_direct(const outgoing_frame &frame) noexcept;
    void call(std::uint32_t events) noexcept;

    // Each message touches the fields up to the first one of coalescing_.
    queue_writer &out_;
    direct_writing direct_ = direct_writing::never;
    bool may_lease_ = false;
    bool has_lease_ = false; // this side writes the stream in place of the I/O thread
    write_coalescing coalescing_;
    stream_slot &slot_;
    pipe_end &end_;
};

} // namespace zlink
