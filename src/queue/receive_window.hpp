// SPDX-License-Identifier: MPL-2.0
// receive_window: writes a queue from the network. Bytes are received straight behind the queue's last entry;
// the caller walks the frame headers (it knows the protocol) and says what becomes of each.
//
// Threads: takes the place of the queue's writer; do not mix with write() while bytes are pending or a
// body is being filled.
// Units: bytes. Nothing appears to the reader before commit().
#pragma once

#include <span>

#include "queue/fingerprint.hpp"
#include "queue/message_queue.hpp"

namespace zlink {

class receive_window {
  public:
    // `placed` gets what was received outside of the queue's memory; null: nothing is.
    explicit receive_window(message_queue &target, queue_detail::placed_payload *placed = nullptr) noexcept
        : queue_(target), placed_(placed) {}
    ~receive_window() {
        drop_body();
        forget_expected();
    }
    receive_window(const receive_window &) = delete;
    receive_window &operator=(const receive_window &) = delete;

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
    // Large messages like each other are expected to go on: the next one's body is received at once where it
    // is to lie. If another message comes instead, expects() returns true: walk the frames again after
    // bring_back(). Its bytes have been in the posted buffer then, beyond what the caller is given: only in
    // one that still holds the message before, so that nobody can count on what stands there.
    [[nodiscard]] room space(std::size_t frame_size) noexcept;
    void received(std::size_t bytes) noexcept;
    // Bytes were received where a body was expected, and no body was begun there.
    [[nodiscard]] bool expects() const noexcept { return expected_filled_ != 0; }
    // They are pending bytes. Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool bring_back() noexcept;

    // Received, and not yet accepted, discarded or begun.
    [[nodiscard]] std::span<std::uint8_t> pending() const noexcept { return {front(), pending_}; }
    [[nodiscard]] bool filling_body() const noexcept { return body_ != nullptr; }
    // The frame at the front, `size` bytes with its header, is an entry of the queue.
    // In line: called for every small message.
    [[gnu::always_inline]] void accept(std::size_t size, bool more) noexcept {
        if (gap_ != 0 || more || queue_.in_message_) [[unlikely]]
            return accept_slow(size, more);
        queue_.write_ += size;
        pending_ -= size;
        ++complete_;
        message_end_ = queue_.write_position();
        body_came_last_ = false;
        forget_shape();
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
    // Where the thread that receives and then reads wants a body: that of the message that is being filled,
    // or of the next one to begin, when it ends the message, only an envelope of the size told comes before
    // it, there is room, and no other message is to be read before it. The body's buffer stands by until
    // end_receive(), so that whatever comes between it is not lost.
    void post_receive(const posted_buffer &posted) noexcept;
    // The posted buffer is used no more; see queue::end_receive() for what was committed. Returns true if it
    // holds the beginning of a body.
    bool end_receive() noexcept;
    // Whether the high-water mark stands against beginning another message.
    [[nodiscard]] bool full() noexcept;
    [[nodiscard]] bool in_message() const noexcept { return queue_.in_message_; }
    // Shows the reader all whole messages. Returns true if the reader sleeps and must be notified (see
    // queue).
    [[nodiscard]] bool commit() noexcept;
    // Commits from the reader's own thread, which needs no fence to know whether it sleeps.
    [[nodiscard]] bool commit_to_self() noexcept;
    // The connection is lost: forgets pending bytes and the unfinished message. Commit the whole ones
    // before.
    void reset() noexcept;

  private:
    // A message whose last frame has a large body: the bytes before it, with its header, and those of it.
    struct shape {
        std::size_t front = 0;
        std::size_t body = 0;
        bool operator==(const shape &) const = default;
    };

    [[nodiscard]] std::uint64_t take_complete() noexcept;
    void drop_body() noexcept;
    void finish_body() noexcept;
    void note_shape(std::size_t header_size, std::size_t body_size, bool more) noexcept;
    void forget_shape() noexcept {
        last_ = {};
        alike_ = false;
    }
    [[nodiscard]] bool expect() noexcept;
    void receive_expected(std::size_t bytes) noexcept;
    void forget_expected() noexcept;
    void adopt_expected(buffer &body) noexcept;
    void take_from_log(buffer &body) noexcept;
    [[nodiscard]] bool fits_posted(std::size_t body_size, bool more) const noexcept;
    [[nodiscard]] std::uint8_t *body_bytes() noexcept {
        return placing_ ? posted_.memory.data() : body_->data();
    }
    void enter(bool more) noexcept;
    void leave(bool more) noexcept;
    [[nodiscard]] std::uint8_t *front() const noexcept { return queue_.write_ + gap_; }
    void close_gap() noexcept;
    void accept_slow(std::size_t size, bool more) noexcept;
    [[nodiscard]] std::size_t free_bytes() const noexcept;
    bool make_room(std::size_t wanted) noexcept;

    message_queue &queue_;
    std::size_t pending_ = 0;
    std::size_t gap_ = 0; // bytes that were cut out, between the queue's last entry and the pending bytes
    std::uint64_t complete_ = 0;    // messages accepted and not committed
    std::uint64_t message_end_ = 0; // the queue's position behind the last of them
    buffer *body_ = nullptr;        // being filled; the queue gets it when it is full
    queue_detail::placed_payload *placed_;
    posted_buffer posted_;        // offered
    bool placing_ = false;        // the body is filled there
    std::size_t body_header_ = 0; // bytes of its header, at the front of the queue's free space
    std::size_t filled_ = 0;
    std::size_t offered_ = 0; // in the log, by the last space()
    bool busy_ = false;       // the last receive filled it
    bool body_more_ = false;
    bool body_came_last_ = false; // large bodies follow each other: read little behind them
    bool in_row_ = false;         // the first bytes of the next message came with the end of a large body

    fingerprint fingerprint_;           // of the last body that landed
    std::uint8_t *head_kept_ = nullptr; // what the posted buffer began with, behind what may be received
    shape last_;                        // of the last message; a body of none: it was another one
    bool alike_ = false;                // the one before had the same
    std::uint8_t *expected_ = nullptr;  // where the body of the next one is received
    buffer *expected_in_ = nullptr;     // that memory's owner; null: it is the posted buffer's
    std::size_t expected_filled_ = 0;
    std::size_t behind_expected_ = 0; // received behind it, in the log
};

} // namespace zlink
