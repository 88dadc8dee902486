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

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/mailbox.hpp"
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

// Whether the sending thread writes a message to a quiet stream by itself. unless_burst: yes, except in a
// burst. at_once: yes, if the thread has saved time_of_write.
enum class direct_writing : std::uint8_t { never, unless_burst, at_once };

class alignas(64) pipe_end final : public ready_node {
    // The fields that each message touches come first, to lie in one cache line with `mark`.
    queue_writer &out_;
    queue_reader &in_;
    metadata_ref peer_metadata_;
    bool answering_ = false; // something was read since the last hand_out()

  public:
    pipe_end(queue_writer &out, queue_reader &in, stream_slot &slot) noexcept
        : ready_node(pipe_event::detached), out_(out), in_(in), slot_(slot) {}
    ~pipe_end() override;

    // Begins to receive events. The returned bits report the events before this call.
    std::uint32_t attach(pipe_owner &owner, std::shared_ptr<mailbox> box) noexcept;
    // The owner lets go: an unfinished message is taken back, the other side learns that nothing will follow,
    // and may still read what was committed.
    // Unsent messages may take `linger_ms` (-1: for ever); the other side reads it with peer_linger_ms().
    void close(int linger_ms = -1) noexcept;
    // Like close(). The end stays in its mailbox until the other side has heard of it. Then it rings there if
    // that side is a socket, and here if it is a worker, as libzmq does. The owner calls forget() before its
    // mailbox goes.
    void part(int linger_ms) noexcept;
    void forget() noexcept;
    [[nodiscard]] bool gone() const noexcept { return pipe_ == nullptr; }
    // Like close(), for an owner that has begun to read a message. The owner reads the next `messages`
    // messages, which are there, and then closes this end. From now on the peer counts as closed.
    void leave(std::uint64_t messages, int linger_ms) noexcept;
    // The other side learns that nothing will follow. The owner still reads, until the other side closes too.
    void announce_end(int linger_ms) noexcept;
    [[nodiscard]] bool peer_closed() const noexcept { return peer_closed_; }
    // Meaningful once the peer has closed.
    [[nodiscard]] int peer_linger_ms() const noexcept {
        return peer_linger_ms_.load(std::memory_order_relaxed);
    }

    // ---- writing
    [[nodiscard]] queue_writer &out() noexcept { return out_; }
    [[nodiscard]] pipe_end &other() noexcept { return *peer_; }
    void commit_from_io() noexcept { // an I/O thread waits for nobody
        if (out_.commit())
            notify_peer(pipe_event::readable);
    }
    [[gnu::always_inline]] void commit() noexcept { after_commit(out_.commit(), true); }
    // The second step of a message to many ends, see queue::commit_unfenced(). One of many is not waited for.
    void wake_committed() noexcept {
        after_commit(out_.take_sleeping_reader(), direct != direct_writing::never);
    }
    void commit_to_one_of_many() noexcept { after_commit(out_.commit(), direct != direct_writing::never); }
    void notify_peer(std::uint32_t events) noexcept;
    // Makes the descriptor of ZMQ_FD of this end's owner readable. Called by the other side's thread.
    void ring() noexcept {
        if (free_of(pipe_event::detached)) // from attach() on its mailbox is there
            box_->ring();
    }

    // See queue::send_fast(). Refused, too, where write_direct() may do better.
    [[nodiscard, gnu::always_inline]] queue_writer::cached send_fast(const std::uint8_t *data,
                                                                     std::size_t size) noexcept {
        return may_write_direct() ? queue_writer::cached::refused : out_.send_fast(data, size);
    }
    // Behind it.
    void fence_and_wake() noexcept { after_commit(out_.fence_and_wake(), true); }

    // ---- reading
    [[nodiscard]] queue_reader &in() noexcept { return in_; }
    // See queue::receive_few(), queue::receive_plain().
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        answering_ = true; // or it is read soon
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

    // ---- the worker's, under the mutex: messages leave for a stream
    // The descriptor of ZMQ_FD becomes readable when half a high-water mark of messages has left, as with
    // libzmq. It does so again with the first frame of a longer message after that.
    // Call this when a message begins to leave.
    void note_begun(bool more) noexcept {
        if (more && messages_sent() == slot_.halves.last) [[unlikely]]
            ring_at_half();
    }
    // Call this when messages have left the queue.
    void note_sent() noexcept {
        if (messages_sent() >= slot_.halves.next) [[unlikely]]
            pass_half();
    }
    void note_frame(const incoming_frame &frame) noexcept { frame.more() ? note_begun(true) : note_sent(); }

    // The worker's, on its I/O thread: the stream can be read. Calls the owner.
    void on_stream_readable() { owner_->on_pipe_event(*this, pipe_event::stream_readable); }

    // Asks for an event unless something may be there. Returns true if so.
    [[nodiscard]] bool arm() noexcept {
        return in_.conflates() || in_.bytes_waiting() != 0 || !prepare_wait_data();
    }

    // ---- the stream of the connection at the other end, by the application's thread
    // Writes the last frame of a message directly to the stream, with its earlier frames from out(), if
    // nothing waits before it. Small bodies of a burst are not written directly: they are better written
    // together. Returns false if the caller must write it to out().
    [[nodiscard]] bool write_direct(const outgoing_frame &frame) noexcept;
    // Takes the commands that wait in out() back, while no connection is in traffic. Returns false if one is.
    [[nodiscard]] bool withdraw_commands() noexcept;
    // Returns true if much more waits for the other side than commands that tell it everything,
    // `all_bytes`. The caller then tells everything anew, or later: this bounds the waiting bytes.
    [[nodiscard]] bool is_behind(std::uint64_t all_bytes) const noexcept {
        return out_.bytes_ahead() > 2 * all_bytes + most_told_singly;
    }
    // Asks for the event `writable` when the other side has read on. Returns false if it has read everything.
    [[nodiscard]] bool prepare_wait_drain() noexcept { return out_.prepare_wait_drain(); }
    // Sends it so, or writes it to out() and commits it. ENOMEM: all of the message is taken back.
    [[nodiscard, gnu::noinline]] int send_last(const outgoing_frame &frame) noexcept;
    // Returns true if write_direct() is worth a try for a small frame.
    [[nodiscard, gnu::always_inline]] bool may_write_direct() const noexcept {
        return out_.reader_sleeps() && direct != direct_writing::never;
    }
    // The thread is about to do something else than to send: what it wrote in place of the I/O thread goes
    // back to that one.
    void release_write_lease() noexcept {
        if (has_write_lease_) [[unlikely]]
            end_write_lease();
    }
    // Reads what has come. Returns false if the stream was not leased.
    bool read_stream() noexcept {
        const std::lock_guard lock(slot_.mutex);
        if (slot_.io == nullptr || !slot_.io->leased()) [[unlikely]]
            return false;
        call(slot_.io->read_in());
        return true;
    }
    // Reads one of many streams that were leased together, under their mutex.
    void read_in_group() noexcept;
    // Before a sleep, and to ask for the stream: the descriptor to be watched, -1 when there is none.
    [[nodiscard]] int begin_wait() noexcept;
    // After it; reads what has come when the stream is `readable`.
    void end_wait(bool readable) noexcept;
    void release_stream() noexcept;
    // ---- memory of the caller of the API where the body of the next message is wanted
    // For the thread at the other end, which copies it there. Until end_local_receive(), which must follow
    // before the memory is used for anything else.
    void post_local_receive(local_receive &where) noexcept;
    bool end_local_receive() noexcept; // whether a body was copied there, and not read since
    // Like post_local_receive() and end_local_receive(), for a thread that reads the stream. end_receive()
    // also returns true if a body has begun to arrive.
    void post_receive(const posted_buffer &posted) noexcept;
    bool end_receive() noexcept;
    // The connection's, under the mutex.
    [[nodiscard]] stream_slot &slot() noexcept { return slot_; }

    // ---- the owner's notes; nobody else looks at them
    std::uint64_t mark = 0;      // of a pattern's choice
    bool by_connections = false; // the other end is a connector's, and is read under the stream slot's mutex
    direct_writing direct = direct_writing::never;
    bool may_lease_writing = false; // a throttled thread may write in place of the I/O thread
    bool local = false;             // this side connected
    bool over_tcp = false;          // the other end is a worker's with a tcp stream
    bool in_process = false;        // the other end is a socket's
    bool takes_all = false;         // the other end cannot say what it wants: it is sent everything
    bool finished = false;          // the owner closes it soon: events are of no use any more
    int own_receive_hwm = 0;        // of inproc: ZMQ_RCVHWM when the sockets were joined
    // ROUTER: the peer's routing id has a turn of its own before its messages. DEALER, REQ: the end keeps its
    // turn to send, although the peer is gone.
    bool turn_note = false;
    std::uint32_t read_place = 0; // places in a pattern's lists
    std::uint32_t write_place = 0;
    std::uint32_t stream_place = 0; // a place in the socket's
    void *attachment = nullptr;
    std::string routing_id; // the peer's: given by it, by the application, or made up
    // The peer's ZMQ_RCVHWM when the sockets were joined, stored by the thread that joins them. -1: no peer
    // yet.
    std::atomic<int> peer_receive_hwm{-1};

  private:
    friend class pipe;
    // The least time that a message takes from one thread to the next. A thread that sends more often leaves
    // it to the I/O thread to write many messages at once.
    static constexpr std::chrono::microseconds burst_gap{20};
    // With at_once a thread writes if it spent this much time on other work. It saves the time for a few
    // writes. So a thread that only sends leaves the writing to the I/O thread.
    static constexpr std::chrono::microseconds time_of_write{2};
    static constexpr std::chrono::microseconds most_saved = 8 * time_of_write;
    static constexpr std::uint64_t most_told_singly = 64 * 1024;
    static constexpr std::size_t least_placed_afar = 128 * 1024;
    static constexpr std::size_t most_placed = 4 * 1024 * 1024; // who stops waiting waits for the copy

    [[gnu::always_inline]] void note_read(incoming_frame &frame) noexcept {
        frame.metadata = peer_metadata_.get();
        answering_ = true;
        after_read();
    }
    void after_commit(bool reader_sleeps, bool patient) noexcept {
        if (reader_sleeps) [[unlikely]]
            hand_out();
        if (out_.take_throttle_check()) [[unlikely]]
            throttle_sender(patient);
    }
    [[nodiscard]] std::uint64_t messages_sent() const noexcept {
        return in_.read_messages() + slot_.halves.direct;
    }
    void note_directly_sent(bool more, bool whole) noexcept;
    void ring_at_half() noexcept;
    void pass_half() noexcept;
    void on_ready(std::uint32_t events) override;
    void note(std::uint32_t events) noexcept;
    void hand_out() noexcept;
    void throttle_sender(bool patient) noexcept;
    [[nodiscard]] bool write_on_lease(bool begins) noexcept;
    [[nodiscard]] bool place_directly(const outgoing_frame &frame) noexcept;
    [[nodiscard]] bool try_write_direct(const outgoing_frame &frame) noexcept;
    enum class sending : std::uint8_t { unknown, answer, lone, burst };
    [[nodiscard]] sending classify(std::int64_t uncommitted) noexcept;
    [[nodiscard]] static bool spend_write_time(std::chrono::nanoseconds pause) noexcept;
    void end_pause(sending was) noexcept;
    void end_write_lease() noexcept;
    void call(std::uint32_t events) noexcept {
        if (events != 0) [[unlikely]]
            notify_peer(events);
    }
    void let_go() noexcept;

    std::shared_ptr<pipe> pipe_; // until it lets go
    stream_slot &slot_;
    pipe_end *peer_ = nullptr;
    local_receive *local_receive_ = nullptr; // guarded by the stream slot's mutex; the other side fills it
    pipe_owner *owner_ = nullptr;
    std::shared_ptr<mailbox> box_;                         // set before the first event can be pushed
    std::atomic<const peer_metadata *> arriving_{nullptr}; // stored by the other side; taken with the event
    std::atomic<int> peer_linger_ms_{-1};   // stored by the other side before its peer_closed event
    sending classified_ = sending::unknown; // of a message that write_direct() has left to the queue
    bool has_write_lease_ = false;          // this side writes the stream in place of the I/O thread
    bool closed_ = false;
    bool parting_ = false;
    bool left_ = false; // the other side was told that nothing follows
    bool peer_closed_ = false;
    std::uint64_t written_before_ = 0;                   // messages, at the last hand_out()
    std::chrono::steady_clock::time_point handed_out_{}; // when that was
};

class pipe {
  public:
    struct side {
        int high_water_mark; // of the queue that this side writes; 0: none
        bool conflate;
        bool room_in_halves = false; // of the mark, as libzmq has it
    };
    // Both ends wait for their attach() and must be closed. Throws std::bad_alloc.
    static std::shared_ptr<pipe> create(side first, side second);
    pipe(side first, side second); // for create()

    [[nodiscard]] pipe_end &first() noexcept { return first_; }
    [[nodiscard]] pipe_end &second() noexcept { return second_; }

  private:
    message_queue forth_; // written by the first end
    message_queue back_;
    stream_slot slot_;
    pipe_end first_;
    pipe_end second_;
};

} // namespace zlink
