// SPDX-License-Identifier: MPL-2.0
// queue_reader: the reader's half of a message_queue. A log_reader in it follows the segments.
//
// Threads: the reader's, except depth(), half_mark() and what read_progress says. Ownership: it borrows the
// link; the log's segments are its own from when it has seen them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "queue/queue_writer.hpp"

namespace zlink {
class pipe_end;

// The front of the log, where its reader is.
class log_reader {
  public:
    using segment = queue_detail::segment;
    struct place {
        segment *at = nullptr;
        std::uint32_t offset = 0;
        std::uint32_t payload_ref = 0; // the next one
    };

    // `empty`: what next() gives until something is shown; null, or a frame that is not plain.
    explicit log_reader(std::uint8_t *empty) noexcept : read_(empty), end_(empty) {}

    [[nodiscard]] bool at_end() const noexcept { return read_ == end_; } // of what is shown
    // Only when not at_end(), as all that takes an entry.
    [[nodiscard]] whole_frame_header next() const noexcept { return whole_frame_header(read_); }
    // Takes a frame that ends a message and lies in the log. Returns false if it is another one.
    [[nodiscard, gnu::always_inline]] bool take_plain(incoming_frame &frame) noexcept {
        const whole_frame_header header(read_);
        if (header.flags() != 0 && (header.flags() != frame_flag::large ||
                                    head_->payload_ref_count.load(std::memory_order_acquire) != payload_ref_))
            [[unlikely]]
            return false;
        std::uint8_t *const body = read_ + header.size();
        const std::size_t size = header.body_size();
        read_ = body + size;
        frame = {body, size, nullptr, 0, false, nullptr};
        return true;
    }
    // Takes an entry with a small header, whose body has `size` bytes. Returns its body.
    [[gnu::always_inline]] const std::uint8_t *pass_small(std::size_t size) noexcept {
        const std::uint8_t *const body = read_ + small_header_size;
        read_ += small_header_size + size;
        return body;
    }
    void take(incoming_frame &frame, read_progress &progress) noexcept;

    // Units of positions: as log_writer's.
    [[nodiscard]] std::uint64_t position() const noexcept {
        return head_ == nullptr ? 0 : head_->base + static_cast<std::uint64_t>(read_ - head_->data());
    }
    // Shows the entries before a position, as far as they lie in one segment. Something is to be shown.
    void show(std::uint64_t until, queue_detail::segment_exchange &segments,
              read_progress &progress) noexcept;
    void hide() noexcept { end_ = read_; }
    // ---- for a reader that looks ahead
    [[nodiscard]] place front(const queue_detail::segment_exchange &segments) noexcept;
    // Gives up all before a place. Nothing is shown then.
    void release_until(const place &there, queue_detail::segment_exchange &segments,
                       read_progress &progress) noexcept;
    // The end of the log; `first` is its first segment.
    void destroy_all(segment *first) noexcept;

  private:
    const queue_detail::payload_ref *take_payload_ref(read_progress &progress) noexcept;
    void retire_head(queue_detail::segment_exchange &segments, read_progress &progress) noexcept;

    std::uint8_t *read_; // the next byte
    std::uint8_t *end_;  // of what is known to be committed in head_
    segment *head_ = nullptr;
    std::uint32_t payload_ref_ = 0; // references of head_ that were read
};

// The reader's half of a queue.
class queue_reader {
  public:
    explicit queue_reader(queue_link &link) noexcept
        : progress_(link.counts()), log_(link.drops_oldest() ? no_plain_frame.data() : nullptr),
          drops_oldest_(link.drops_oldest()), look_at_(drops_oldest_ ? 0 : never), link_(link) {}
    ~queue_reader() { log_.destroy_all(link_.segments().first()); }
    queue_reader(const queue_reader &) = delete;
    queue_reader &operator=(const queue_reader &) = delete;

    [[nodiscard]] const read_progress &progress() const noexcept { return progress_; }
    [[nodiscard]] bool drops_oldest() const noexcept { return drops_oldest_; }
    [[nodiscard]] std::uint64_t depth() const noexcept { return link_.depth(progress_.seen()); }
    [[nodiscard]] std::uint64_t half_mark() const noexcept { return link_.half_mark(); }
    [[nodiscard]] std::uint64_t read_messages() const noexcept { return progress_.consumed(); } // so far
    // Committed and not read, payloads left out.
    [[nodiscard]] std::uint64_t bytes_waiting() const noexcept { return link_.position() - log_.position(); }

    // ---- frames
    [[nodiscard]] bool has_message() noexcept { return !log_.at_end() || refill(); }
    // The next frame of a committed message; false when there is none.
    [[nodiscard, gnu::always_inline]] bool read(incoming_frame &frame) noexcept {
        return has_message() && (read_plain(frame) || read_slow(frame));
    }
    // Reads the most frequent message: one frame, with a body that lies in the queue. Only when
    // has_message(), as what follows. Returns false if it is another one.
    [[nodiscard, gnu::always_inline]] bool read_plain(incoming_frame &frame) noexcept {
        if (!log_.take_plain(frame))
            return false;
        consume(1);
        return true;
    }
    // Returns true if the next entry is not the last frame of its message, or is a command.
    [[nodiscard]] bool next_has_more() const noexcept {
        return (log_.next().flags() & (frame_flag::more | frame_flag::command)) != 0;
    }
    // Returns true if the next frame is a delimiter: it is empty, and the message goes on behind it.
    [[nodiscard, gnu::always_inline]] bool delimiter_is_next() const noexcept {
        return log_.next().flags() == frame_flag::more && log_.next().body_size() == 0;
    }
    // Passes over it.
    void pass_delimiter() noexcept { log_.pass_small(0); }
    // Copies the next message to `to`, as much as there is room for, and removes it. This is one step for a
    // message of few bytes that is known to be committed. Returns its size, or `refused` if nothing was done.
    static constexpr std::size_t refused = std::numeric_limits<std::size_t>::max();
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        if (log_.at_end()) [[unlikely]]
            return refused;
        const whole_frame_header header = log_.next();
        if (header.flags() != 0 || header.body_size() > few_bytes) [[unlikely]]
            return refused;
        counters::counter &consumed = progress_.counts().messages; // its place is looked for once
        const std::uint64_t all = consumed.get() + 1;
        if (all >= next_check_) [[unlikely]]
            return refused;
        const std::size_t size = header.body_size();
        copy_few_bytes(to, log_.pass_small(size), std::min(size, room));
        consumed.set(all, std::memory_order_release);
        return size;
    }
    // Like receive_few(), for any message of one frame whose body lies in the queue.
    [[nodiscard, gnu::always_inline]] std::size_t receive_plain(std::uint8_t *to, std::size_t room) noexcept {
        incoming_frame frame;
        if (!has_message() || !read_plain(frame))
            return refused;
        copy_bytes(to, frame.data, std::min(frame.size, room));
        return frame.size;
    }

    // ---- bytes, for a reader that looks ahead; see write_cursor
    struct batch {
        std::uint64_t end = 0;      // position
        std::uint64_t messages = 0; // committed by then: none of them ends behind it
    };
    // Gives what is committed. Returns false if there is nothing to read.
    [[nodiscard]] bool peek(batch &found) noexcept;
    [[nodiscard]] log_reader::place front() noexcept { return log_.front(link_.segments()); }
    void release_until(const log_reader::place &there) noexcept {
        log_.release_until(there, link_.segments(), progress_);
    }
    // A message that was read is not for the application.
    void note_filtered() noexcept { progress_.counts().filtered.add(); }
    // Credits messages to the writer: some more, or those of a batch that were not yet.
    [[gnu::always_inline]] void consume(std::uint64_t count) noexcept {
        counters::counter &consumed = progress_.counts().messages;
        const std::uint64_t all = consumed.get() + count;
        consumed.set(all, std::memory_order_release);
        if (all >= next_check_) [[unlikely]]
            check_writer();
    }
    void consume_all(const batch &passed) noexcept {
        if (passed.messages > read_messages()) // messages that are credited singly may be ahead of the count
            consume(passed.messages - read_messages());
    }

    // ---- pace; see pacing.hpp
    // The writer is an application thread, and the reader calls read().
    void enable_backoff() noexcept;
    // The reader may become busy from now on. It backs off or gathers.
    void expect_busy() noexcept;

    // ---- the end, and sleep
    // The next so many messages are the last ones: what is committed behind them is not read.
    void end_after(std::uint64_t messages) noexcept;
    // Memory of the caller holds a body of the queue no longer: it moves into its buffer unless it was read.
    // Returns true if it was not read.
    bool end_receive(queue_detail::placed_payload &placed) noexcept;
    // Nothing is left: asks for a notification. Returns false if something came meanwhile.
    [[nodiscard]] bool prepare_wait_data() noexcept;
    // The reader stops for some time. A waiting writer is told of any room, and not of half a mark only.
    void tell_room() noexcept;
    // Whether the writer waits for room that is there now; answers true once.
    [[nodiscard]] bool take_writer_wakeup() noexcept {
        if (!writer_wakeup_) [[likely]]
            return false;
        writer_wakeup_ = false;
        return true;
    }
    // Before anything is read: this end is rung when half a mark was read, see note_half().
    void tell_of_halves(pipe_end &writer) noexcept {
        writer_ = &writer;
        half_at_ = 0;
    }

  private:
    static constexpr std::uint64_t never = reader_pace::never;
    // It stands in a log without bytes where the messages are kept elsewhere. So read() goes its slow way.
    static inline std::array<std::uint8_t, small_header_size> no_plain_frame{0xFF};

    void check_writer() noexcept;
    void note_half(std::uint64_t limit) noexcept;
    void ring_writer() noexcept;
    bool refill() noexcept;
    std::uint64_t pace(std::uint64_t committed) noexcept;
    void plan_look() noexcept;
    bool read_slow(incoming_frame &frame) noexcept;
    bool read_kept(incoming_frame &frame) noexcept;

    // A message touches the first line only.
    alignas(64) read_progress progress_;
    [[no_unique_address]] log_reader log_;
    bool writer_wakeup_ = false;
    const bool drops_oldest_;
    std::uint64_t next_check_ = 0; // messages read at which a waiting writer is looked for,
    std::uint64_t look_at_;        // and from which refill() looks at more than the position
    queue_link &link_;
    std::uint64_t half_at_ = never;      // messages read at the newest half of a mark
    pipe_end *writer_ = nullptr;         // see note_half()
    std::uint64_t last_message_ = never; // messages read from which nothing more is read
    reader_pace pace_;
};

} // namespace zlink
