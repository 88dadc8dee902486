// SPDX-License-Identifier: MPL-2.0
// queue_writer: the writer's half of a message_queue, and what both halves share. A log_writer in it appends
// to the segments. A receive_window writes it from the network.
//
// Threads: the writer's. A queue_link is for both threads: the comments say which functions are whose.
// Ownership: it borrows the reader's progress; segments belong to the reader once it has seen them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "base/asymmetric_fence.hpp"
#include "base/bytes.hpp"
#include "base/processors.hpp"
#include "counters/layout.hpp"
#include "queue/frame_view.hpp"
#include "queue/incoming_body.hpp"
#include "queue/kept_messages.hpp"
#include "queue/pacing.hpp"
#include "queue/queued_bytes.hpp"
#include "queue/read_progress.hpp"
#include "queue/receive_guess.hpp"
#include "queue/segment.hpp"

namespace zlink {

// The words between the two threads of a queue. The counts among them lie where other programs read them.
class queue_link {
  public:
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    // `in_halves`: room comes when half of the mark was consumed. Throws std::bad_alloc.
    queue_link(counters::queue_counts &counts, int high_water_mark, keep_rule rule, bool in_halves);

    // ---- any thread
    void set_high_water_mark(int messages) noexcept;
    void set_byte_mark(std::uint64_t bytes) noexcept; // 0: none
    // Others see there what few queues count. Before anything is written.
    void count_seldom_in(counters::seldom_counts &where) noexcept { seldom_ = &where; }
    [[nodiscard]] bool drops_oldest() const noexcept { return kept_ != nullptr; }
    // As long as less messages wait, the queue is not full. With a mark in bytes it is 0: who counts messages
    // alone finds no room, and asks further.
    [[nodiscard]] std::uint64_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
    // The marks themselves.
    [[nodiscard]] std::uint64_t most_messages() const noexcept { // or no_limit
        return most_messages_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t byte_mark() const noexcept { // or 0
        return byte_mark_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t half_mark() const noexcept; // half of the high-water mark, or 0
    [[nodiscard]] static std::uint64_t half_of(std::uint64_t limit) noexcept { return limit / 2 + limit % 2; }
    // Returns how many consumed messages make room.
    [[nodiscard]] std::uint64_t credit(std::uint64_t consumed, std::uint64_t limit) const noexcept {
        return in_halves_ ? consumed - consumed % half_of(limit) : consumed;
    }
    // Messages committed and not consumed; a snapshot.
    [[nodiscard]] std::uint64_t depth(std::uint64_t consumed) const noexcept {
        if (drops_oldest())
            return kept_->count(std::memory_order_relaxed);
        // The count is stored behind the position: a message may be consumed before it is counted.
        const std::uint64_t committed = messages();
        return committed > consumed ? committed - consumed : 0;
    }
    // Only if drops_oldest().
    [[nodiscard]] kept_messages &kept() noexcept { return *kept_; }
    [[nodiscard]] queue_detail::segment_exchange &segments() noexcept { return segments_; }
    // Messages committed so far.
    [[nodiscard]] std::uint64_t written() const noexcept { return counts_.written.messages.get(); }
    [[nodiscard]] counters::queue_counts &counts() const noexcept { return counts_; }
    // The reader has taken all and asked to be told of more.
    [[nodiscard]] bool reader_sleeps() const noexcept {
        return reader_.load(std::memory_order_relaxed) == reader_state::idle;
    }

    // ---- writer
    // Returns true if the reader sleeps and must be notified.
    [[gnu::always_inline]] bool commit_until(std::uint64_t position, std::uint64_t messages) noexcept {
        return commit_unfenced_until(position, messages) && fence_and_wake();
    }
    // The first half of it. Returns whether the second is needed: a busy reader is awake.
    [[gnu::always_inline]] bool commit_unfenced_until(std::uint64_t position,
                                                      std::uint64_t messages) noexcept {
        counters::written_counts &counts = counts_.written; // its place is looked for once
        counts.position.set(position, std::memory_order_release);
        counts.messages.set(counts.messages.get() + messages, std::memory_order_release);
        asymmetric_fence_light();
        return reader_.load(std::memory_order_relaxed) != reader_state::busy;
    }
    bool fence_and_wake() noexcept {
        counters::counter &messages = counts_.written.messages;
        messages.set(messages.get(), std::memory_order_seq_cst);
        return take_sleeping_reader();
    }
    bool take_sleeping_reader() noexcept {
        reader_state idle = reader_.load(std::memory_order_seq_cst);
        return idle == reader_state::idle &&
               reader_.compare_exchange_strong(idle, reader_state::awake, std::memory_order_seq_cst);
    }
    void commit_kept() noexcept; // only if drops_oldest()
    // So many bytes of messages wait of those written until there. For others to see.
    void note_bytes(std::uint64_t waiting, std::uint64_t until) noexcept;
    [[nodiscard]] counters::seldom_counts *seldom() const noexcept { return seldom_; } // null: nobody looks
    void announce_writer(bool waits) noexcept { writer_waiting_.store(waits, std::memory_order_seq_cst); }

    // ---- reader
    [[nodiscard]] std::uint64_t position() const noexcept {
        return counts_.written.position.get(std::memory_order_acquire);
    }
    [[nodiscard]] std::uint64_t messages() const noexcept {
        return counts_.written.messages.get(std::memory_order_acquire);
    }
    // The reader is about to sleep. Then it looks again with ends_at(), and may stay awake.
    void announce_idle() noexcept { reader_.store(reader_state::idle, std::memory_order_seq_cst); }
    [[nodiscard]] bool ends_at(std::uint64_t position, std::uint64_t messages) const noexcept;
    void stay_awake() noexcept { reader_.store(reader_state::awake, std::memory_order_seq_cst); }
    [[nodiscard]] bool become_busy() noexcept; // false if the reader is idle
    [[nodiscard]] bool writer_waits(std::memory_order order) const noexcept {
        return writer_waiting_.load(order);
    }
    // Returns true once for each time that it waits.
    [[nodiscard]] bool take_waiting_writer() noexcept;

  private:
    enum class reader_state : std::uint8_t { awake, idle, busy };

    void renew_limit() noexcept;

    counters::queue_counts &counts_;                        // position and messages are stored by the writer
    std::atomic<std::uint64_t> limit_{no_limit};            // messages; stored by any thread, seldom
    std::atomic<reader_state> reader_{reader_state::awake}; // by the reader; idle is exchanged by the writer
    std::atomic<bool> writer_waiting_{false};               // set by the writer, exchanged by the reader
    const std::unique_ptr<kept_messages> kept_;             // null: the log holds all messages
    const bool in_halves_;
    std::atomic<std::uint64_t> most_messages_{no_limit}; // as limit_
    std::atomic<std::uint64_t> byte_mark_{0};            // as limit_
    queue_detail::segment_exchange segments_;
    counters::seldom_counts *seldom_ = nullptr;
};

// The end of the log where its writer appends frames. Units: a position is bytes since the log's beginning,
// payloads left out.
class log_writer {
  public:
    static constexpr std::size_t smallest_segment = 512;
    static constexpr std::size_t quiet_segment = 4 * 1024 - sizeof(queue_detail::segment);
    static constexpr std::size_t largest_segment = 64 * 1024 - sizeof(queue_detail::segment);

    // `unused`: nothing is ever appended, and the queue's messages have another way to end.
    explicit log_writer(bool unused) noexcept : in_message_(unused) {}

    [[nodiscard]] std::uint64_t position() const noexcept {
        return origin_ + reinterpret_cast<std::uintptr_t>(write_);
    }
    [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
    [[nodiscard]] bool in_message() const noexcept { return in_message_; }

    // ---- appending in place: free bytes are reserved and written, and become an entry
    [[nodiscard]] std::uint8_t *free_begin() const noexcept { return write_; }
    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return static_cast<std::size_t>(write_limit_ - write_);
    }
    // Goes on in a new segment that has room for `needed` bytes and a payload_ref. `busy`: in a large one.
    // Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool grow(std::size_t needed, bool busy, queue_detail::segment_exchange &segments) noexcept;
    void append(std::size_t bytes) noexcept { write_ += bytes; }
    // The payload belongs to the header that was appended last.
    queue_detail::payload_ref &append_payload_ref(const queue_detail::payload_ref &body) noexcept;
    // Bytes of the newest segment: all of them, and those that are in use.
    [[nodiscard]] std::size_t capacity() const noexcept { return tail_ == nullptr ? 0 : tail_->capacity; }
    [[nodiscard]] std::uint32_t used() const noexcept {
        return tail_ == nullptr ? 0 : static_cast<std::uint32_t>(write_ - tail_->data());
    }

    // ---- appending a copy
    // A frame without flags. Returns false if there is no room for it at hand.
    [[gnu::always_inline]] bool append_plain(const std::uint8_t *data, std::size_t size) noexcept {
        const std::size_t header = frame_header_size(size);
        std::uint8_t *const at = write_;
        if (header + size > free_bytes()) [[unlikely]]
            return false;
        write_ = at + header + size;
        expect_body(write_, size);
        encode_frame_header(at, 0, size);
        copy_fresh_bytes(at + header, data, size);
        return true;
    }
    // There is room for it.
    [[gnu::always_inline]] void append_header(std::uint8_t flags, std::size_t size) noexcept {
        write_ += encode_frame_header(write_, flags, size);
    }
    void append_body(const std::uint8_t *data, std::size_t size) noexcept;
    // Asks for the memory of the next messages of a size like the last one's.
    void expect_more() const noexcept {
        if (prefetches_)
            prefetch_for_writing(write_ + prefetch_ahead);
    }

    // ---- a message of more than one frame
    void begin_multipart() noexcept;
    void end_multipart() noexcept;
    // The bytes of the unfinished message. Returns false if they lie in more than one place.
    [[nodiscard]] bool unfinished(byte_range &begun) const noexcept;
    void rollback() noexcept;

  private:
    using segment = queue_detail::segment;
    // The reader's processor has the lines of a segment that is used again. A commit waits for what was
    // stored, so they are asked for some messages before.
    static constexpr std::size_t prefetch_ahead = 256;
    static constexpr std::size_t cache_line = 64;
    static constexpr std::size_t most_prefetched = 2048;
    struct mark { // where the unfinished message began
        segment *at = nullptr;
        std::uint8_t *write = nullptr;
        std::uint64_t payload_bytes = 0;
        std::uint32_t payload_refs = 0;
    };

    void go_on_in(segment &next, std::uint8_t *at) noexcept;
    // As expect_more(), of the body of a next frame like one of this size that ends there.
    [[gnu::always_inline]] void expect_body(const std::uint8_t *end, std::size_t size) const noexcept {
        if (prefetches_ && size > few_bytes)
            for (std::size_t line = 0; line < std::min(size, most_prefetched); line += cache_line)
                prefetch_for_writing(end + cache_line + line);
    }

    std::uint8_t *write_ = nullptr; // the next byte
    std::uint8_t *write_limit_ = nullptr;
    std::uint64_t origin_ = 0; // the position at address 0, as tail_ lies
    segment *tail_ = nullptr;
    std::uint32_t next_segment_ = smallest_segment; // bytes
    bool prefetches_ = false;                       // the lines of what is used again are another processor's
    bool in_message_;
    std::uint64_t payload_bytes_ = 0;
    mark mark_;
};

// The writer's half of a queue.
class queue_writer {
  public:
    queue_writer(counters::queue_counts &counts, int high_water_mark, keep_rule rule, bool in_halves)
        : log_(rule != keep_rule::all), reader_(counts), link_(counts, high_water_mark, rule, in_halves) {}

    [[nodiscard]] queue_link &link() noexcept { return link_; }
    [[nodiscard]] log_writer &log() noexcept { return log_; }
    [[nodiscard]] std::uint64_t depth() const noexcept { return link_.depth(reader_.seen()); }
    [[nodiscard]] std::uint64_t written() const noexcept { return link_.written(); } // messages

    // ---- room
    // Is there no room for another message, after so many that are not committed? Ask before its first frame
    // only.
    [[nodiscard, gnu::always_inline]] bool full(std::uint64_t uncommitted = 0) noexcept {
        const std::uint64_t limit = link_.limit();
        if (written() + uncommitted - consumed_seen_ < limit) [[likely]]
            return false;
        return look_again(uncommitted);
    }
    // Like full(), for a writer that drops instead of waiting. With one processor it first yields, so that
    // the reader can make room.
    [[nodiscard]] bool stays_full() noexcept { return full() && !let_reader_make_room(); }
    // Counts a message that is dropped, after full(). Returns true if the mark in bytes alone is reached.
    bool count_drop() noexcept;
    // How many messages there is room for, as far as it is known.
    [[nodiscard]] std::uint64_t known_room(std::uint64_t uncommitted) const noexcept;
    // Asks to be woken when there is room. Returns false if there is room already.
    [[nodiscard]] bool prepare_wait_room() noexcept;
    // Asks to be woken when the reader has gone on. Returns false if it has read everything already.
    [[nodiscard]] bool prepare_wait_drain() noexcept;

    // ---- frames. They return false if there is no memory; nothing was appended then.
    [[nodiscard]] bool write(const outgoing_frame &frame) noexcept {
        return write_plain(frame) || write_slow(frame);
    }
    // Appends the most frequent frame: the last of a message, copied, with room for it at hand. A queue that
    // drops the oldest has no such room. Returns false if it is another one.
    [[nodiscard, gnu::always_inline]] bool write_plain(const outgoing_frame &frame) noexcept {
        return frame.flags == 0 && frame.size <= large_body && log_.append_plain(frame.data, frame.size);
    }
    // Appends a delimiter (an empty frame) and then such a frame: all of a message of REQ or REP.
    [[nodiscard, gnu::always_inline]] bool write_delimited(const outgoing_frame &frame) noexcept {
        if (frame.flags != 0 || frame.size > large_body || log_.in_message() ||
            small_header_size + large_header_size + frame.size > log_.free_bytes()) [[unlikely]]
            return false;
        log_.append_header(frame_flag::more, 0);
        return log_.append_plain(frame.data, frame.size);
    }
    // Appends a large frame, whose body is copied to `memory`, where the reader wants it; see end_receive().
    // A buffer stands by.
    [[nodiscard]] bool write_placed(const outgoing_frame &frame, std::uint8_t *memory,
                                    queue_detail::placed_payload &placed) noexcept;
    // See log_writer.
    [[nodiscard]] bool grow(std::size_t needed, bool busy) noexcept;
    queue_detail::payload_ref &append_payload_ref(const queue_detail::payload_ref &body) noexcept;
    void rollback() noexcept;
    [[nodiscard]] bool in_message() const noexcept { return log_.in_message() && !link_.drops_oldest(); }
    // Returns true if the reader sleeps, or if this thread works in its place. `begun`: the bytes of the
    // unfinished message; false, too, when they do not lie together.
    [[nodiscard]] bool quiet(byte_range &begun) const noexcept {
        begun = {nullptr, 0};
        if (!watched_ && !link_.reader_sleeps()) [[unlikely]]
            return false;
        return !log_.in_message() || (!link_.drops_oldest() && log_.unfinished(begun));
    }

    // ---- commit
    // Ends a message. Returns true if the reader sleeps and must be notified.
    [[nodiscard, gnu::always_inline]] bool commit() noexcept {
        if (log_.in_message()) [[unlikely]]
            end_multipart();
        log_.expect_more();
        return link_.commit_until(log_.position(), 1);
    }
    // Writes and commits a message of one frame, whose body is copied, in one step where nothing else is to
    // be done.
    enum class cached : std::uint8_t {
        refused,  // nothing was done
        done,     // and nobody sleeps
        unfenced, // fence_and_wake() answers what commit() would have
    };
    [[nodiscard, gnu::always_inline]] cached send_fast(const std::uint8_t *data, std::size_t size) noexcept {
        if (written() - consumed_seen_ >= link_.limit() || !log_.append_plain(data, size)) [[unlikely]]
            return cached::refused;
        log_.expect_more();
        return link_.commit_unfenced_until(log_.position(), 1) ? cached::unfenced : cached::done;
    }
    [[nodiscard]] bool fence_and_wake() noexcept { return link_.fence_and_wake(); }
    // A message to many queues is committed in steps: commit_unfenced() for each queue, one full_fence(),
    // then take_sleeping_reader() for each queue. The last returns what commit() would. So the processor
    // waits for all the stores at once and not for those of each queue. commit_unfenced() answers whether the
    // fence is needed: a busy reader is awake.
    bool commit_unfenced() noexcept {
        if (log_.in_message()) [[unlikely]]
            end_multipart();
        return link_.commit_unfenced_until(log_.position(), 1);
    }

    // ---- throttling
    // Says when to ask should_throttle(): once per segment or large body where it may be so. While the queue
    // is watched, it is once for each of them. An application thread that is too much
    // ahead then calls throttle(), which lets a reader that is at work catch up.
    [[nodiscard]] bool take_throttle_check() noexcept {
        if (!check_throttle_) [[likely]]
            return false;
        check_throttle_ = false;
        return true;
    }
    void watch(bool on) noexcept { watched_ = on; }
    // Bytes that are written and not read, payloads included; up to a segment more.
    [[nodiscard]] std::uint64_t bytes_ahead() const noexcept {
        return log_.position() + log_.payload_bytes() - reader_.bytes();
    }
    [[nodiscard]] bool should_throttle() const noexcept { return lead_.exceeds(bytes_ahead()); }
    void throttle(bool patient) noexcept;
    [[nodiscard]] zlink::throttle &lead() noexcept { return lead_; }

  private:
    [[nodiscard]] bool look_again(std::uint64_t uncommitted,
                                  std::memory_order order = std::memory_order_acquire) noexcept;
    [[nodiscard]] bool reaches_byte_mark(std::uint64_t uncommitted, std::uint64_t consumed) noexcept;
    void note_depth() noexcept;
    bool write_slow(const outgoing_frame &frame) noexcept;
    bool write_by_reference(const outgoing_frame &frame) noexcept;
    [[gnu::always_inline]] inline bool begin_frame(std::uint8_t flags, std::size_t size,
                                                   std::size_t room) noexcept;
    queue_detail::payload_ref *append_outside(const outgoing_frame &frame, const std::uint8_t *data,
                                              buffer *owner) noexcept;
    void end_multipart() noexcept;
    void note_lead() noexcept { check_throttle_ = lead_.note(bytes_ahead()) || watched_; }
    bool let_reader_make_room() noexcept;

    // A message touches the first line only.
    alignas(64) std::uint64_t consumed_seen_ = 0; // credit of the reader's progress, as last loaded
    bool check_throttle_ = false;
    bool watched_ = false;
    log_writer log_; // its last fields are on the second line
    zlink::throttle lead_;
    std::uint64_t next_turn_for_reader_ = 0; // consumed_seen_ at which it is given one again
    std::unique_ptr<queued_bytes> bytes_;    // null: there was no mark in bytes
    const read_progress reader_;
    alignas(64) queue_link link_;
};

// Writes a queue from the network. Bytes are received straight behind the queue's last entry; the caller
// walks the frame headers (it knows the protocol) and says what becomes of each.
//
// It takes the place of the queue's writer: do not mix it with write() while bytes are pending or a body is
// being filled. Units: bytes. Nothing appears to the reader before commit().
class receive_window {
  public:
    // `placed` gets what was received outside of the queue's memory; null: nothing is.
    explicit receive_window(queue_writer &target, queue_detail::placed_payload *placed = nullptr) noexcept
        : queue_(target), body_(placed) {}

    // In this order; each may be empty.
    struct room {
        std::span<std::uint8_t> front;            // what comes before a body that is expected
        std::span<std::uint8_t> body;             // that, or the rest of a large body that has begun
        std::span<std::uint8_t> log;              // what is behind it, or all
        const std::uint8_t *body_begin = nullptr; // address of the first byte of the body, if there is one
        std::size_t before_body = 0;              // bytes before it: its header, and an envelope if it lands
        bool alone = false; // no large body ended in the receive that brought the first bytes of this message
        [[nodiscard]] std::size_t size() const noexcept { return front.size() + body.size() + log.size(); }
    };
    // Where to receive next; `frame_size` is the size of the frame at the front with its header, as far as it
    // is known. All parts are empty only when there is no memory. To be followed by received(), also of
    // nothing.
    // Large messages like each other are expected to go on, see receive_guess. If another message comes
    // instead, expects() returns true: walk the frames again after bring_back().
    [[nodiscard]] room space(std::size_t frame_size) noexcept;
    void received(std::size_t bytes) noexcept;
    // Bytes were received where a body was expected, and no body was begun there.
    [[nodiscard]] bool expects() const noexcept { return guess_.filled() != 0; }
    // They are pending bytes. Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool bring_back() noexcept;

    // Received, and not yet accepted, discarded or begun.
    [[nodiscard]] std::span<std::uint8_t> pending() const noexcept { return {front(), pending_}; }
    [[nodiscard]] bool filling_body() const noexcept { return body_.filling(); }
    // The frame at the front, `size` bytes with its header, is an entry of the queue.
    // In line: called for every small message.
    [[gnu::always_inline]] void accept(std::size_t size, bool more) noexcept {
        log_writer &log = queue_.log();
        if (gap_ != 0 || more || log.in_message()) [[unlikely]]
            return accept_slow(size, more);
        log.append(size);
        pending_ -= size;
        ++complete_;
        message_end_ = log.position();
        body_came_last_ = false;
        guess_.forget_shape();
    }
    // Accepts all whole messages of one frame at the front, whose bodies have at most `largest` bytes, as far
    // as the high-water mark allows. Stops at the first frame that is anything else. Returns false if there
    // is none.
    bool accept_messages(std::uint64_t largest) noexcept;
    // Removes `size` bytes from the front: a command that the reader of the queue does not see. The bytes
    // behind it move up when it is accepted, each byte once.
    void cut(std::size_t size) noexcept;
    // It has a large body, seldom all of it here: the header is an entry, the body gets a buffer of its own.
    // Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool begin_body(std::size_t header_size, std::size_t body_size, bool more) noexcept;
    // Posts a buffer for the body of the message that is being filled, or of the next one. The body must end
    // its message and fit. Only an envelope of the given size may come before it, and no other message may
    // wait to be read. The body's own buffer stays ready until end_receive(), so nothing is lost if something
    // comes between.
    void post_receive(const posted_buffer &posted) noexcept;
    // The posted buffer is used no more; see queue::end_receive() for what was committed. Returns true if it
    // holds the beginning of a body.
    bool end_receive() noexcept;
    // Whether the high-water mark stands against beginning another message.
    [[nodiscard]] bool full() noexcept;
    [[nodiscard]] bool in_message() const noexcept { return queue_.log().in_message(); }
    // Shows the reader all whole messages. Returns true if the reader sleeps and must be notified.
    [[nodiscard]] bool commit() noexcept;
    // Commits from the reader's own thread, which needs no fence to know whether it sleeps.
    [[nodiscard]] bool commit_to_self() noexcept;
    // The connection is lost: forgets pending bytes and the unfinished message. Commit whole ones before.
    void reset() noexcept;

  private:
    [[nodiscard]] std::uint64_t take_complete() noexcept;
    void finish_body() noexcept;
    [[nodiscard]] receive_guess::shape shape_of(std::size_t header_size, std::size_t body_size,
                                                bool more) const noexcept;
    [[nodiscard]] bool expect() noexcept;
    void receive_expected(std::size_t bytes) noexcept;
    void adopt_expected() noexcept;
    void take_from_log() noexcept;
    [[nodiscard]] bool fits_posted(std::size_t body_size, bool more) const noexcept;
    void enter(bool more) noexcept;
    void leave(bool more) noexcept;
    [[nodiscard]] std::uint8_t *front() const noexcept { return queue_.log().free_begin() + gap_; }
    void close_gap() noexcept;
    void accept_slow(std::size_t size, bool more) noexcept;
    [[nodiscard]] std::size_t free_bytes() const noexcept;
    bool make_room(std::size_t wanted) noexcept;

    queue_writer &queue_;
    std::size_t pending_ = 0;
    std::size_t gap_ = 0; // bytes that were cut out, between the queue's last entry and the pending bytes
    std::uint64_t complete_ = 0;    // messages accepted and not committed
    std::uint64_t message_end_ = 0; // the queue's position behind the last of them
    std::size_t offered_ = 0;       // in the log, by the last space()
    bool busy_ = false;             // the last receive filled it
    bool body_came_last_ = false;   // large bodies follow each other: read little behind them
    bool in_row_ = false;           // the first bytes of the next message came with the end of a large body
    incoming_body body_;            // its header is at the front of the log's free space
    receive_guess guess_;
};

} // namespace zlink
