// SPDX-License-Identifier: MPL-2.0
// stream_io: the reading and writing of a connection that the application's thread may do in place of the I/O
// thread (caller-runs I/O).
//
// Threads: whoever holds the stream slot's mutex. The I/O thread waits for it, which is short: one turn of a
// connection. An application thread takes it only when it is free, or to read a stream that was handed to it.
// Ownership: a pipe has the stream slot; a connection sits on it while it serves the pipe. Every `calls` is a
// set of pipe_event bits for the worker: what is left for it to do.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/small_mutex.hpp"
#include "queue/message_queue.hpp"

namespace zlink {

class pipe_end;

// Result of a direct write. `untouched`: nothing happened. `cut_short`: the stream took a part. Then the
// queue has the rest, or memory is short and the connection ends. `held`: the stream took all, and holds a
// part that the system has not taken.
enum class direct_write_status : std::uint8_t { untouched, done, cut_short, held };

class stream_io {
  public:
    // Writes what is committed.
    [[nodiscard]] virtual std::uint32_t write_out() noexcept = 0;
    // Writes a message that ends with this frame from the caller's memory, if nothing waits before it.
    // `begun` are its earlier frames, as they lie in the queue.
    [[nodiscard]] virtual direct_write_status write_direct(byte_range begun,
                                                           const outgoing_frame &frame) noexcept = 0;
    // After one that was cut short or held: for the rest of it.
    [[nodiscard]] virtual std::uint32_t goes_on() noexcept = 0;

    // Writes some of the committed bytes in place of the I/O thread, which may be in the middle of a write.
    // The lease lasts from the first call (`begins`) until end_write_lease(). Returns false if the I/O thread
    // has revoked it.
    [[nodiscard]] virtual bool write_on_lease(bool begins) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t end_write_lease() noexcept = 0;

    // Is the stream the application's to read?
    [[nodiscard]] virtual bool leased() const noexcept = 0;
    // Reads what has come, when it is.
    [[nodiscard]] virtual std::uint32_t read_in() noexcept = 0;
    // The thread is going to sleep: what is to be watched for readability; -1: the stream is not the
    // application's, and was asked for.
    [[nodiscard]] virtual int begin_wait(std::uint32_t &calls) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t end_wait() noexcept = 0;
    // An event loop waits with that epoll(7): watches the stream there if it is the application's. If it is
    // not, and the application `asks`, it asks for it. Returns true if it is watched.
    [[nodiscard]] virtual bool watch_in(int epoll, bool asks, std::uint32_t &calls) noexcept = 0;
    // Where the body of the next message is wanted; until end_receive(), which returns true if the beginning
    // of one is there.
    virtual void post_receive(const posted_buffer &posted) noexcept = 0;
    virtual bool end_receive() noexcept = 0;
    // The application does not go on reading.
    [[nodiscard]] virtual std::uint32_t release_lease() noexcept = 0;

  protected:
    ~stream_io() = default;
};

// The messages that have left a pipe for the stream. The descriptor of ZMQ_FD becomes readable when half a
// high-water mark of messages has left, as with libzmq. It does so again with the first frame of a longer
// message after that.
//
// Threads: whoever holds the stream slot's mutex.
class sent_messages {
  public:
    // `written` is the queue that the application's end writes, which is the end that rings.
    sent_messages(queue_reader &written, pipe_end &application) noexcept
        : written_(written), application_(application) {}

    // Call this when a message begins to leave.
    void note_begun(bool more) noexcept {
        if (more && count() == last_half_) [[unlikely]]
            ring_at_half();
    }
    // Call this when messages have left the queue.
    void note_sent() noexcept {
        if (count() >= next_half_) [[unlikely]]
            pass_half();
    }
    void note_frame(const incoming_frame &frame) noexcept { frame.more() ? note_begun(true) : note_sent(); }
    // Call this when a message, or its beginning, has left without the queue.
    void note_directly_sent(bool more, bool whole) noexcept;

  private:
    [[nodiscard]] std::uint64_t count() const noexcept { return written_.read_messages() + direct_; }
    void ring_at_half() noexcept;
    void pass_half() noexcept;

    queue_reader &written_;
    pipe_end &application_;
    std::uint64_t direct_ = 0;    // messages that did not pass through the queue
    std::uint64_t last_half_ = 0; // all messages, at the newest half of the high-water mark
    std::uint64_t next_half_ = 0; // and at the one that follows
};

// The place of a connection in its pipe. The first part is the connection's, the second one is what the
// application's thread does with the stream. Each function of that part takes the mutex.
class stream_slot {
  public:
    stream_slot(queue_reader &written, pipe_end &application) noexcept
        : sent(written, application), application_(application) {}

    small_mutex mutex;
    stream_io *io = nullptr; // guarded
    sent_messages sent;      // guarded

    // Reads what has come. Returns false if the stream was not leased.
    bool read() noexcept;
    // Reads one of many streams that were leased together, under their mutex.
    void read_in_group() noexcept;
    // Before a sleep, and to ask for the stream: the descriptor to be watched, -1 when there is none.
    [[nodiscard]] int begin_wait() noexcept;
    // After it; reads what has come when the stream is `readable`.
    void end_wait(bool readable) noexcept;
    // Before an event loop waits; see stream_io::watch_in().
    [[nodiscard]] bool watch_in(int epoll, bool asks) noexcept;
    void release_lease() noexcept;

  private:
    void call(std::uint32_t events) noexcept;

    pipe_end &application_;
};

} // namespace zlink
