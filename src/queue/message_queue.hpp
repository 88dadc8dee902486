// SPDX-License-Identifier: MPL-2.0
// message_queue: an unbounded log of whole messages from one writer to one reader. Its bytes are ZMTP frames,
// one after the other.
//
// Threads: one writer and one reader, which may be different threads; hand a side over with a fence. Fields
// are grouped by owner below, one cache line or more each. Messages appear to the reader all at once, with
// commit(); until then rollback() takes the unfinished one back. Sleep and wake: a reader that finds nothing
// calls prepare_wait_data(); the writer's next commit() then returns true, once, and the writer must notify
// it. A writer that finds the queue full calls prepare_wait_room(); the reader finds take_writer_wakeup()
// true when there is room again. Both are store, full fence, load on both sides. They are written as seq_cst
// operations, so that the thread sanitizer sees the order (except with a busy reader, see below). The
// high-water mark counts messages that were committed and not consumed; 0 is none. A message of a single
// frame is committed right after its write(); rollback() is for what began with a frame that had more to
// follow. A conflating queue keeps only the newest frame; it is read with read(), never gathered.
//
// Reader back-off is for a reader whose writer is an application thread. A reader that keeps pace with a busy
// writer moves the same cache lines between two processors for each message. That takes longer than all else.
// So the reader lets the writer get ahead now and then, for about a microsecond.
//
// A reader is busy when it has read many messages without going idle. It says so, and the writer then commits
// without the full fence, which is most of the cost of a small message. Before a busy reader may sleep, it
// announces the sleep and calls asymmetric_fence_heavy(). If the writer has not seen the announcement, the
// reader sees the writer's commit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/asymmetric_fence.hpp"
#include "base/bytes.hpp"
#include "base/processors.hpp"
#include "queue/frame_view.hpp"
#include "queue/segment.hpp"

namespace zlink {
class pipe_end;

class message_queue {
  public:
    static constexpr std::size_t smallest_segment = 512;
    static constexpr std::size_t quiet_segment = 4 * 1024 - sizeof(queue_detail::segment);
    static constexpr std::size_t largest_segment = 64 * 1024 - sizeof(queue_detail::segment);
    static constexpr std::uint64_t throttle_bytes = 1024 * 1024;

    // `in_halves`: room comes when half of the mark was consumed.
    explicit message_queue(int high_water_mark = 0, bool conflate = false, bool in_halves = false) noexcept;
    ~message_queue();
    message_queue(const message_queue &) = delete;
    message_queue &operator=(const message_queue &) = delete;

    // ---- any thread
    void set_high_water_mark(int messages) noexcept;
    [[nodiscard]] bool conflates() const noexcept { return conflate_; }
    [[nodiscard]] std::uint64_t half_mark() const noexcept; // half of the high-water mark, or 0
    // Messages committed and not consumed; a snapshot.
    [[nodiscard]] std::uint64_t depth() const noexcept {
        if (conflate_)
            return newest_.load(std::memory_order_relaxed) != nullptr ? 1 : 0;
        // The count is stored behind the position: a message may be consumed before it is counted.
        const std::uint64_t consumed = consumed_.load(std::memory_order_acquire);
        const std::uint64_t committed = committed_messages_.load(std::memory_order_acquire);
        return committed > consumed ? committed - consumed : 0;
    }

    // ---- writer
    // Is there room for another message? Ask before its first frame only.
    [[nodiscard, gnu::always_inline]] bool full() noexcept {
        const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
        if (written() - consumed_seen_ < limit) [[likely]]
            return false;
        consumed_seen_ = credit(consumed_.load(std::memory_order_acquire), limit);
        return written() - consumed_seen_ >= limit;
    }
    // Like full(), for a writer that drops instead of waiting. With one processor it first yields, so that
    // the reader can make room.
    [[nodiscard]] bool stays_full() noexcept { return full() && !let_reader_make_room(); }
    // Asks to be woken when there is room. Returns false if there is room already.
    [[nodiscard]] bool prepare_wait_room() noexcept;
    // Asks to be woken when the reader has gone on. Returns false if it has read everything already.
    [[nodiscard]] bool prepare_wait_drain() noexcept;
    // Appends a frame. Returns false if there is no memory; nothing was appended then.
    [[nodiscard]] bool write(const outgoing_frame &frame) noexcept {
        return write_plain(frame) || write_slow(frame);
    }
    // Appends the most frequent frame: the last of a message, copied, with room for it at hand (never so in a
    // conflating queue). Returns false if it is another one.
    [[nodiscard, gnu::always_inline]] bool write_plain(const outgoing_frame &frame) noexcept {
        return frame.flags == 0 && frame.size <= large_body && append_plain(frame.data, frame.size);
    }
    // Appends a delimiter (an empty frame) and then such a frame: all of a message of REQ or REP.
    [[nodiscard, gnu::always_inline]] bool write_delimited(const outgoing_frame &frame) noexcept {
        if (frame.flags != 0 || frame.size > large_body || in_message_ || conflate_ ||
            small_header_size + large_header_size + frame.size >
                static_cast<std::size_t>(write_limit_ - write_)) [[unlikely]]
            return false;
        write_ += encode_frame_header(write_, frame_flag::more, 0);
        return append_plain(frame.data, frame.size);
    }
    // Appends a large frame, whose body is copied to `memory`, where the reader wants it; see end_receive().
    // A buffer stands by. Returns false if there is no memory; nothing was appended then.
    [[nodiscard]] bool write_placed(const outgoing_frame &frame, std::uint8_t *memory,
                                    queue_detail::placed_payload &placed) noexcept;
    // Ends a message. Returns true if the reader sleeps and must be notified.
    [[nodiscard, gnu::always_inline]] bool commit() noexcept {
        if (in_message_ || conflate_) [[unlikely]]
            end_multipart();
        expect_more();
        return commit_until(write_position(), 1);
    }
    // Writes and commits a message of one frame, whose body is copied, in one step where nothing else is to
    // be done.
    enum class cached : std::uint8_t {
        refused,  // nothing was done
        done,     // and nobody sleeps
        unfenced, // fence_and_wake() answers what commit() would have
    };
    [[nodiscard, gnu::always_inline]] cached send_fast(const std::uint8_t *data, std::size_t size) noexcept {
        if (written() - consumed_seen_ >= limit_.load(std::memory_order_relaxed) || !append_plain(data, size))
            [[unlikely]]
            return cached::refused;
        expect_more();
        return commit_unfenced_until(write_position(), 1) ? cached::unfenced : cached::done;
    }
    [[nodiscard]] bool fence_and_wake() noexcept {
        committed_messages_.store(written(), std::memory_order_seq_cst);
        return take_sleeping_reader();
    }
    // A message to many queues is committed in steps: commit_unfenced() for each queue, one full_fence(),
    // then take_sleeping_reader() for each queue. The last returns what commit() would. So the processor
    // waits for all the stores at once and not for those of each queue. commit_unfenced() answers whether the
    // fence is needed: a reader that streams is awake.
    bool commit_unfenced() noexcept {
        if (in_message_ || conflate_) [[unlikely]]
            end_multipart();
        return commit_unfenced_until(write_position(), 1);
    }
    [[nodiscard]] bool take_sleeping_reader() noexcept {
        reader_state idle = reader_.load(std::memory_order_seq_cst);
        return idle == reader_state::idle && reader_.compare_exchange_strong(idle, reader_state::awake);
    }
    // Messages of a size come one after the other: asks for the memory of the next ones. commit() does.
    void expect_more() const noexcept {
        if (prefetches_)
            prefetch_for_writing(write_ + prefetch_ahead);
    }
    // Takes back the frames of the unfinished message.
    void rollback() noexcept;
    // Whether the reader is about a MiB behind, or 16 large bodies, so that what is written leaves the cache
    // before it is read. take_throttle_check() says when to ask: once per segment or large body where it may
    // be so. While the queue is watched, it is once for each of them. An application thread that is too far
    // ahead then calls throttle(), which lets a reader that is at work catch up.
    [[nodiscard]] bool take_throttle_check() noexcept {
        if (!check_throttle_) [[likely]]
            return false;
        check_throttle_ = false;
        return true;
    }
    void watch(bool on) noexcept { watched_ = on; }
    // Where the next frame begins: bytes since the queue's beginning, large bodies left out.
    [[nodiscard]] std::uint64_t write_position() const noexcept {
        return write_origin_ + reinterpret_cast<std::uintptr_t>(write_);
    }
    // Bytes that are written and not read, large bodies included; up to a segment more.
    [[nodiscard]] std::uint64_t bytes_ahead() const noexcept {
        return write_position() + written_bodies_ - read_bytes_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool should_throttle() const noexcept { return bytes_ahead() > throttle_at_; }
    void throttle(bool patient) noexcept;
    // Messages committed so far.
    [[nodiscard]] std::uint64_t written() const noexcept {
        return committed_messages_.load(std::memory_order_relaxed);
    }
    // The reader has taken all and asked to be told of more.
    [[nodiscard]] bool reader_sleeps() const noexcept {
        return reader_.load(std::memory_order_relaxed) == reader_state::idle;
    }
    // Returns true if the reader sleeps, or if this thread works in its place. `begun`: the bytes of the
    // unfinished message; false, too, when they do not lie together.
    [[nodiscard]] bool quiet(byte_range &begun) const noexcept {
        begun = {nullptr, 0};
        if (conflate_ || !(watched_ || reader_sleeps())) [[unlikely]]
            return false;
        if (!in_message_) [[likely]]
            return true;
        return unfinished(begun);
    }
    [[nodiscard]] bool in_message() const noexcept { return in_message_; }

    // ---- reader
    // The next frame of a committed message; false when there is none.
    [[nodiscard, gnu::always_inline]] bool read(incoming_frame &frame) noexcept {
        return has_message() && (read_plain(frame) || read_slow(frame));
    }
    // Reads the most frequent message: one frame, with a body that lies in the queue. Only when
    // has_message(). Returns false if it is another one.
    [[nodiscard, gnu::always_inline]] bool read_plain(incoming_frame &frame) noexcept {
        const whole_frame_header header(read_);
        if (header.flags() != 0 &&
            (header.flags() != frame_flag::large ||
             head_->payload_ref_count.load(std::memory_order_acquire) != read_payload_ref_)) [[unlikely]]
            return false;
        std::uint8_t *const body = read_ + header.size();
        const std::size_t size = header.body_size();
        read_ = body + size;
        frame = {body, size, nullptr, 0, false, nullptr};
        consume_messages(1);
        return true;
    }
    // Returns true if the next entry is not the last frame of its message, or is a command. Only when
    // has_message().
    [[nodiscard]] bool next_has_more() const noexcept {
        return (whole_frame_header(read_).flags() & (frame_flag::more | frame_flag::command)) != 0;
    }
    // Returns true if the next frame is a delimiter: it is empty, and the message goes on behind it. Only
    // when has_message().
    [[nodiscard, gnu::always_inline]] bool delimiter_is_next() const noexcept {
        const whole_frame_header header(read_);
        return header.flags() == frame_flag::more && header.body_size() == 0;
    }
    // Passes over it.
    void pass_delimiter() noexcept { read_ += small_header_size; }
    // Copies the next message to `to`, as much as there is room for, and removes it. This is one step for a
    // message of few bytes that is known to be committed. Returns its size, or `refused` if nothing was done.
    static constexpr std::size_t refused = std::numeric_limits<std::size_t>::max();
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        const std::uint8_t *const at = read_;
        if (at == read_end_) [[unlikely]]
            return refused;
        const whole_frame_header header(at);
        const std::uint64_t all = consumed() + 1;
        if (header.flags() != 0 || header.body_size() > few_bytes || all >= next_check_) [[unlikely]]
            return refused;
        const std::size_t size = header.body_size();
        read_ = read_ + small_header_size + size;
        copy_few_bytes(to, at + small_header_size, std::min(size, room));
        consumed_.store(all, std::memory_order_release);
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
    // Messages read so far.
    [[nodiscard]] std::uint64_t read_messages() const noexcept { return consumed(); }
    // As far as it has been read.
    [[nodiscard]] std::uint64_t read_position() const noexcept {
        return head_ == nullptr ? 0 : head_->base + static_cast<std::uint64_t>(read_ - head_->data());
    }
    // Committed and not read, large bodies left out.
    [[nodiscard]] std::uint64_t bytes_waiting() const noexcept {
        return committed_.load(std::memory_order_acquire) - read_position();
    }
    [[nodiscard]] bool has_message() noexcept { return has_message_at_hand() || refill(); }
    // One that is known of.
    [[nodiscard]] bool has_message_at_hand() const noexcept { return read_ != read_end_; }
    // The writer is an application thread, and the reader calls read(): see above.
    void enable_backoff() noexcept {
        if (several_processors())
            backoff_at_ = backoff_patience_;
        expect_busy();
    }
    // The reader may become busy from now on, where the system has the asymmetric fence. It backs off or
    // gathers.
    void expect_busy() noexcept {
        if (has_asymmetric_fence() && !busy_)
            busy_at_ = consumed() + busy_patience_;
    }
    // Before anything is read: this end is rung when half a mark was read, see note_half().
    void tell_of_halves(pipe_end &writer) noexcept {
        writer_ = &writer;
        half_at_ = 0;
    }
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

  private:
    friend class write_cursor;
    friend class receive_window;
    friend class throttle_wait;
    using segment = queue_detail::segment;
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint32_t least_patience = 64;
    static constexpr std::uint32_t least_busy = 512;
    enum class reader_state : std::uint8_t { awake, idle, busy };
    // The reader's processor has the lines of a segment that is used again. A commit waits for what was
    // stored, so they are asked for some messages before.
    static constexpr std::size_t prefetch_ahead = 256;
    static constexpr std::size_t cache_line = 64;
    static constexpr std::size_t most_prefetched = 2048;
    static std::uint8_t
        newest_only[small_header_size]; // read_ points here in a conflating queue: no plain frame

    // Bytes of tail_.
    [[nodiscard]] std::uint32_t used() const noexcept {
        return tail_ == nullptr ? 0 : static_cast<std::uint32_t>(write_ - tail_->data());
    }
    void go_on_in(segment &next, std::uint8_t *at) noexcept {
        tail_ = &next;
        write_ = at;
        write_limit_ = next.limit();
        write_origin_ = next.base - reinterpret_cast<std::uintptr_t>(next.data());
    }
    bool commit_until(std::uint64_t position, std::uint64_t messages) noexcept {
        return commit_unfenced_until(position, messages) && fence_and_wake();
    }
    [[gnu::always_inline]] bool commit_unfenced_until(std::uint64_t position,
                                                      std::uint64_t messages) noexcept {
        committed_.store(position, std::memory_order_release);
        committed_messages_.store(written() + messages, std::memory_order_release);
        asymmetric_fence_light();
        return reader_.load(std::memory_order_relaxed) != reader_state::busy;
    }
    // By the reader.
    [[nodiscard]] std::uint64_t consumed() const noexcept {
        return consumed_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool conflated() const noexcept { return read_ == newest_only; }
    [[gnu::always_inline]] void consume_messages(std::uint64_t count) noexcept {
        const std::uint64_t all = consumed() + count;
        consumed_.store(all, std::memory_order_release);
        if (all >= next_check_) [[unlikely]]
            check_writer();
    }
    // Returns how many consumed messages make room.
    [[nodiscard]] std::uint64_t credit(std::uint64_t consumed, std::uint64_t limit) const noexcept {
        return in_halves_ ? consumed - consumed % half_of(limit) : consumed;
    }
    [[nodiscard]] static std::uint64_t half_of(std::uint64_t limit) noexcept { return limit / 2 + limit % 2; }
    void check_writer() noexcept;
    void note_half(std::uint64_t limit) noexcept;
    void ring_writer() noexcept;
    void drop_spare() noexcept;
    [[nodiscard]] bool unfinished(byte_range &begun) const noexcept;

    bool grow(std::size_t needed) noexcept { return grow(needed, watched_ || bytes_ahead() > used()); }
    bool grow(std::size_t needed, bool busy) noexcept;
    // As expect_more(), of the body of a next frame like one of this size that ends there.
    [[gnu::always_inline]] void expect_body(const std::uint8_t *end, std::size_t size) const noexcept {
        if (prefetches_ && size > few_bytes)
            for (std::size_t line = 0; line < std::min(size, most_prefetched); line += cache_line)
                prefetch_for_writing(end + cache_line + line);
    }
    // A frame without flags whose body is copied. Returns false if there is no room for it at hand.
    [[gnu::always_inline]] bool append_plain(const std::uint8_t *data, std::size_t size) noexcept {
        const std::size_t header = frame_header_size(size);
        std::uint8_t *const at = write_;
        if (header + size > static_cast<std::size_t>(write_limit_ - at)) [[unlikely]]
            return false;
        write_ = at + header + size;
        expect_body(write_, size);
        encode_frame_header(at, 0, size);
        copy_fresh_bytes(at + header, data, size);
        return true;
    }
    bool write_slow(const outgoing_frame &frame) noexcept;
    inline void write_body(const outgoing_frame &frame) noexcept;
    bool write_by_reference(const outgoing_frame &frame) noexcept;
    bool write_conflated(const outgoing_frame &frame) noexcept;
    void note_lead() noexcept;
    bool let_reader_make_room() noexcept;
    [[gnu::always_inline]] inline bool append_header(std::uint8_t flags, std::size_t size,
                                                     std::size_t room) noexcept;
    queue_detail::payload_ref *append_payload_ref(const outgoing_frame &frame, const std::uint8_t *data,
                                                  buffer *owner) noexcept;
    queue_detail::payload_ref &add_payload_ref(const queue_detail::payload_ref &body) noexcept;
    void begin_multipart() noexcept;
    void end_multipart() noexcept;

    bool refill() noexcept;
    [[nodiscard]] bool close_behind(std::uint64_t committed) const noexcept;
    std::uint64_t back_off(std::uint64_t committed) noexcept;
    std::uint64_t let_writer_lead(std::uint64_t committed) noexcept;
    // Whether the reader has not been idle for so long that it begins to stream.
    void check_busy() noexcept {
        if (consumed() >= busy_at_ && !busy_) [[unlikely]]
            begin_busy();
    }
    void begin_busy() noexcept;
    [[nodiscard]] bool await_writer() const noexcept;
    void end_busy() noexcept;
    bool read_slow(incoming_frame &frame) noexcept;
    bool read_conflated(incoming_frame &frame) noexcept;
    void read_entry(incoming_frame &frame) noexcept;
    const queue_detail::payload_ref *take_payload_ref() noexcept;
    void retire_head() noexcept;
    void note_body_read(std::size_t size) noexcept {
        read_bodies_ += size;
        read_bytes_.store(head_->base + read_bodies_, std::memory_order_relaxed);
    }

    // A message touches the first line of each group only.
    // ---- writer's
    alignas(64) std::uint8_t *write_ = nullptr; // the next byte
    std::uint8_t *write_limit_ = nullptr;
    std::uint64_t consumed_seen_ = 0; // credit() of consumed_, as last loaded
    std::uint64_t write_origin_ = 0;  // the position at address 0, as tail_ lies
    segment *tail_ = nullptr;
    std::uint32_t mark_payload_refs_ = 0; // of mark_segment_
    const bool conflate_;                 // constant; the reader has `newest_only`
    const bool in_halves_;                // constant
    bool prefetches_ = false;             // the lines of what is used again are another processor's
    bool in_message_ = false;
    bool check_throttle_ = false;
    bool watched_ = false;
    std::uint32_t newest_body_ = 0; // bytes of the last reference
    std::size_t next_segment_ = smallest_segment;
    std::uint64_t written_bodies_ = 0; // bytes of references
    std::uint64_t throttle_at_ =
        throttle_bytes;               // bytes ahead from which to throttle; more after a wait without success
    segment *mark_segment_ = nullptr; // where the unfinished message began
    std::uint8_t *mark_write_ = nullptr;
    std::uint64_t mark_bodies_ = 0;
    buffer *conflated_ = nullptr;            // written, not yet committed
    std::uint64_t next_turn_for_reader_ = 0; // consumed_ at which it is given one again

    // ---- shared, stored by the writer, and by a reader that goes to sleep
    alignas(64) std::atomic<std::uint64_t> committed_{0}; // position
    std::atomic<std::uint64_t> committed_messages_{0};
    std::atomic<std::uint64_t> limit_; // messages; the maximum for none; stored by any thread, seldom
    std::atomic<reader_state> reader_{reader_state::awake}; // by the reader; idle is exchanged by the writer
    std::atomic<bool> writer_waiting_{false};               // set by the writer, exchanged by the reader
    std::atomic<segment *> first_{nullptr};                 // set before anything is committed
    std::atomic<buffer *> newest_{nullptr};                 // of a conflating queue; exchanged by both

    // ---- reader's, and shared, stored by the reader
    alignas(64) std::uint8_t *read_ = nullptr; // the next byte
    std::uint8_t *read_end_ = nullptr;         // the end of what is known to be committed in head_
    std::atomic<std::uint64_t> consumed_{0};   // messages
    std::uint64_t next_check_ = 0;             // consumed_ at which a waiting writer is looked for
    segment *head_ = nullptr;
    // consumed_ from which the reader backs off, and from which it is or was busy.
    std::uint64_t backoff_at_ = never;
    std::uint64_t busy_at_ = never;
    std::uint32_t read_payload_ref_ = 0; // references of head_ that were read
    bool writer_wakeup_ = false;
    bool busy_ = false;
    alignas(64) std::atomic<segment *> spare_{nullptr}; // exchanged by both
    std::atomic<std::uint64_t> read_bytes_{0};          // with references; stored per segment and reference
    std::uint64_t read_bodies_ = 0;                     // bytes of references that were read
    std::uint64_t last_message_ = never;                // consumed_ from which nothing more is read
    std::uint64_t busy_patience_ = least_busy;          // so many messages have to come before busy_at_
    std::uint32_t backoff_patience_ = least_patience;   // the same of backoff_at_
    pipe_end *writer_ = nullptr;                        // see note_half()
    std::uint64_t half_at_ = never;                     // consumed_ at the newest half of a mark
};

} // namespace zlink
