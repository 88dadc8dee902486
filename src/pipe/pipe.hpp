// SPDX-License-Identifier: MPL-2.0
// pipe: two queues between two owners, each of which holds one end: a socket and a worker, or two sockets.
//
// Threads: an end belongs to the thread of its owner (a socket's calls, or an I/O thread). The queues connect
// them. Ownership: each end holds the pipe until it is closed and can no longer be queued for its owner. The
// last end deletes the pipe (see mailbox::attached). close() is the end of the owner's interest: no event
// follows, and the end must not be touched again. Events reach an owner through its mailbox. Data is an event
// only after prepare_wait_data() of the queue, and room only after its prepare_wait_room(). The other end's
// close() is always one.
#pragma once

#include <memory>
#include <string>

#include "base/mailbox.hpp"
#include "counters/owners.hpp"
#include "pipe/closing_state.hpp"
#include "pipe/pipe_writer.hpp"
#include "pipe/stream_io.hpp"
#include "queue/message_queue.hpp"

namespace zlink {

namespace pipe_event {
constexpr std::uint32_t readable = 1;
constexpr std::uint32_t writable = 2;
constexpr std::uint32_t peer_closed = 4;
// A connection serves the pipe: peer() is known.
constexpr std::uint32_t identified = 8;
// With it, when it is not the first connection: what the peer should know has to be said again.
constexpr std::uint32_t restarted = 16;
// Events of a connection's stream, for the worker. The application asks for the read lease, releases it, or
// wants its use checked again; a PING was read.
constexpr std::uint32_t lease_wanted = 32;
constexpr std::uint32_t lease_released = 64;
constexpr std::uint32_t lease_resumed = 128;
constexpr std::uint32_t pinged = 256;
constexpr std::uint32_t about_stream = lease_wanted | lease_released | lease_resumed | pinged;
// To the application: it was leased, or taken back.
constexpr std::uint32_t lease_moved = 512;
// The other socket of this process has heard that this end is closed.
constexpr std::uint32_t parted = 1024;
// To the worker, by a direct call: the stream of its connection is readable.
constexpr std::uint32_t stream_readable = 2048;
constexpr std::uint32_t detached = 0x40000000; // keeps an end without owner out of any queue
} // namespace pipe_event

class pipe_end;

class pipe_owner {
  public:
    virtual void on_pipe_event(pipe_end &end, std::uint32_t events) = 0;

  protected:
    ~pipe_owner() = default;
};

class pipe;

// Who has the other end of a socket's pipe.
enum class pipe_peer : std::uint8_t {
    connection, // a worker with one connection
    connector,  // a worker with one connection after another; it reads under the stream slot's mutex
    datagrams,  // a worker that sends all it is given, since its peers cannot say what they want
    socket,     // another socket of the process
};

// Facts that a socket knows about an end of its own from the beginning. The ends of workers have no traits.
struct pipe_traits {
    pipe_peer peer = pipe_peer::connection;
    bool local = false;    // this side connected
    bool over_tcp = false; // the other end is a worker's with a tcp stream

    [[nodiscard]] bool in_process() const noexcept { return peer == pipe_peer::socket; }
};

// Notes of a socket's pattern about one of its ends. Only the pattern reads and writes it, in calls of
// its socket, and says in its own sources what `mark` and `turn_note` mean to it. One exception: whoever
// makes the pipe stores a given routing id before the socket attaches the end.
struct pattern_notes {
    std::uint64_t mark = 0;       // of a pattern's choice
    std::uint32_t read_place = 0; // places in a pattern's lists
    std::uint32_t write_place = 0;
    // ROUTER: the peer's routing id has a turn of its own before its messages. DEALER, REQ: the end keeps its
    // turn to send, although the peer is gone.
    bool turn_note = false;
    std::string routing_id; // the peer's: given by it, by the application, or made up
};

// Memory of the caller of the API where the body of the next message is wanted, until end_receive(). The
// thread at the other end, or the one that reads the stream, copies the body there and notes that in
// `placed`. Guarded by the stream slot's mutex.
struct posted_receive {
    posted_buffer place; // for a thread at the other end; a stream's reader has its own copy
    queue_detail::placed_payload placed;
};

// The marks of a side for what it receives when two sockets of the process were joined, stored by the thread
// that joins them.
struct joined_marks {
    std::atomic<int> receive_hwm{-1}; // -1: not joined yet
    std::atomic<std::uint64_t> receive_bytes{0};
};

class alignas(64) pipe_end final : public ready_node {
    // The fields that each message touches come first, to lie in one cache line.
    queue_reader &in_;
    metadata_ref peer_metadata_;
    pipe_writer writer_;

  public:
    // For pipe, which calls hold() before anything else.
    pipe_end(queue_writer &out, queue_reader &in, stream_slot &slot, pipe_end &peer,
             pipe_traits known) noexcept
        : ready_node(pipe_event::detached), in_(in), writer_(out, slot, *this), traits(known), slot_(slot),
          peer_(peer) {}
    ~pipe_end() override;
    void hold(std::shared_ptr<pipe> whole) noexcept { pipe_ = std::move(whole); }

    // Begins to receive events. The returned bits report the events before this call.
    std::uint32_t attach(pipe_owner &owner, std::shared_ptr<mailbox> box) noexcept;
    // The owner lets go: an unfinished message is taken back, the other side learns that nothing will follow,
    // and may still read what was committed.
    // Unsent messages may take `linger_ms` (-1: for ever); the other side reads it with peer_linger_ms().
    void close(int linger_ms = -1) noexcept { close_as(false, linger_ms); }
    // Like close(). The end stays in its mailbox until the other side has heard of it. Then it rings there if
    // that side is a socket, and here if it is a worker, as libzmq does. The owner calls forget() before its
    // mailbox goes.
    void part(int linger_ms) noexcept;
    void forget() noexcept;
    [[nodiscard]] bool gone() const noexcept { return pipe_ == nullptr; }
    // The counts of the pipe, until the end is gone. Null: nobody counts.
    [[nodiscard]] counters::pipe_counts *counts() const noexcept;
    // Like close(), for an owner that has begun to read a message. The owner reads the next `messages`
    // messages, which are there, and then closes this end. From now on the peer counts as closed.
    void leave(std::uint64_t messages, int linger_ms) noexcept;
    // The other side learns that nothing will follow. The owner still reads, until the other side closes too.
    void announce_end(int linger_ms) noexcept;
    [[nodiscard]] bool peer_closed() const noexcept { return closing_.peer_closed(); }
    // Meaningful once the peer has closed.
    [[nodiscard]] int peer_linger_ms() const noexcept {
        return closing_.peer_linger_ms.load(std::memory_order_relaxed);
    }

    // ---- writing
    [[nodiscard]] queue_writer &out() noexcept { return writer_.out(); }
    [[nodiscard]] pipe_writer &writer() noexcept { return writer_; }
    [[nodiscard]] pipe_end &other() noexcept { return peer_; }
    void notify_peer(std::uint32_t events) noexcept;
    // Makes the descriptor of ZMQ_FD of this end's owner readable. Called by the other side's thread.
    void ring() noexcept {
        if (free_of(pipe_event::detached)) // from attach() on its mailbox is there
            box_->ring();
    }

    // ---- reading
    [[nodiscard]] queue_reader &in() noexcept { return in_; }
    // See queue::receive_few(), queue::receive_plain().
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        writer_.note_read(); // or it is read soon
        return in_.receive_few(to, room);
    }
    [[nodiscard, gnu::always_inline]] std::size_t receive_plain(std::uint8_t *to, std::size_t room) noexcept {
        const std::size_t size = in_.receive_plain(to, room);
        after_read();
        return size;
    }
    // All of a message, if it is at hand and one frame in the queue.
    [[nodiscard, gnu::always_inline]] bool read_plain(incoming_frame &frame) noexcept {
        if (!in_.has_message() || !in_.read_plain(frame))
            return false;
        note_read(frame);
        return true;
    }
    [[nodiscard, gnu::always_inline]] bool read(incoming_frame &frame) noexcept {
        if (!in_.read(frame))
            return false;
        note_read(frame);
        return true;
    }
    // To be called after reading from in() by other means.
    void after_read() noexcept {
        if (in_.take_writer_wakeup()) [[unlikely]]
            notify_peer(pipe_event::writable);
    }
    // This side cannot go on reading for some time: its stream is full.
    void tell_room() noexcept {
        in_.tell_room();
        after_read();
    }
    // Queues this end for its own owner. A call that leaves something unread is followed by another one then,
    // and its thread does not sleep before.
    void remind() noexcept {
        if (add_events(pipe_event::readable))
            box_->ready.push(*this);
    }
    // Returns the metadata of the connection that serves the pipe; null for inproc, and before there is one.
    [[nodiscard]] const peer_metadata *peer() const noexcept { return peer_metadata_.get(); }
    // Called by the other side's thread: a (new) connection serves the pipe.
    void introduce_to_peer(metadata_ref connection, bool again) noexcept;

    // Nothing to read: asks for an event. Returns false if something came meanwhile.
    [[nodiscard]] bool prepare_wait_data() noexcept {
        const bool idle = in_.prepare_wait_data();
        after_read();
        return idle;
    }
    // Asks for an event unless something may be there. Returns true if so.
    [[nodiscard]] bool arm() noexcept {
        return in_.drops_oldest() || in_.bytes_waiting() != 0 || !prepare_wait_data();
    }

    // The body of the next message is wanted there. end_receive() must follow before the memory is used for
    // anything else.
    void post_receive(const posted_buffer &posted) noexcept;
    // Returns true if a body was copied there and not read since, or has begun to arrive from the stream.
    bool end_receive() noexcept;
    [[nodiscard]] posted_receive &posted() noexcept { return posted_; }

    // The worker's, on its I/O thread: the stream can be read. Calls the owner.
    void on_stream_readable() { owner_->on_pipe_event(*this, pipe_event::stream_readable); }
    // The place of the connection, and the use of its stream by the application's thread.
    [[nodiscard]] stream_slot &slot() noexcept { return slot_; }

    pattern_notes notes;
    const pipe_traits traits;
    std::uint32_t stream_place = 0; // counted from one, in the socket's list of leased streams; 0: not there
    joined_marks joined;
    owner_interest interest;

  private:
    [[gnu::always_inline]] void note_read(incoming_frame &frame) noexcept {
        frame.metadata = peer_metadata_.get();
        writer_.note_read();
        after_read();
    }
    void on_ready(std::uint32_t events) override;
    void note(std::uint32_t events) noexcept;
    void close_as(bool parts, int linger_ms) noexcept;
    void let_go() noexcept;

    stream_slot &slot_;
    pipe_end &peer_;
    closing_state closing_;
    std::shared_ptr<pipe> pipe_; // until it lets go
    pipe_owner *owner_ = nullptr;
    std::shared_ptr<mailbox> box_;                         // set before the first event can be pushed
    std::atomic<const peer_metadata *> arriving_{nullptr}; // stored by the other side; taken with the event
    posted_receive posted_;                                // see its own contract
};

class pipe {
  public:
    struct side {
        int high_water_mark;             // of the queue that this side writes; 0: none
        keep_rule rule = keep_rule::all; // of that queue
        bool room_in_halves = false;     // of the mark, as libzmq has it
        pipe_traits traits{};
        std::uint64_t byte_mark = 0; // as high_water_mark, of the bytes
    };
    // Both ends wait for their attach() and must be closed. An application that uses the stream of a
    // connection has the first end. Throws std::bad_alloc.
    // `counts`: who counts what goes through it; null: nobody.
    static std::shared_ptr<pipe> create(side first, side second,
                                        std::unique_ptr<counters::pipe_counts> counts = nullptr);
    pipe(side first, side second, std::unique_ptr<counters::pipe_counts> counts); // for create()
    // Null: nobody counts.
    [[nodiscard]] counters::pipe_counts *counts() noexcept { return counts_.get(); }

    [[nodiscard]] pipe_end &first() noexcept { return first_; }
    [[nodiscard]] pipe_end &second() noexcept { return second_; }

  private:
    const std::unique_ptr<counters::pipe_counts> counts_;
    message_queue forth_; // written by the first end
    message_queue back_;
    stream_slot slot_;
    pipe_end first_;
    pipe_end second_;
};

} // namespace zlink
