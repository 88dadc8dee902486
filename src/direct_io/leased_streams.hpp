// SPDX-License-Identifier: MPL-2.0
// leased_streams: the streams of a socket's connections that the socket's thread may read itself. So no I/O
// thread has to read them and then wake it (caller-runs I/O). Up to `most` streams are leased one by one,
// more of them in poll groups.
//
// Threads: the application thread in a call on the socket. Ownership: none; an end is here from add() to
// remove(). The thread asks for the streams when it goes to sleep. It keeps them until it releases them, or
// until the I/O thread revokes the lease because they are not used. All streams stay with the I/O threads in
// two cases. A thread that keeps asking without waiting costs no system call then. A thread that publishes
// has to know a subscription that came before a message when it passes the message on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "direct_io/poll_groups.hpp"
#include "pipe/pipe.hpp"

struct pollfd;

namespace zlink::direct_io {

class leased_streams {
  public:
    static constexpr std::size_t most = 4;
    static constexpr std::size_t most_watched = 2 * most; // streams and sets

    explicit leased_streams(poll_groups &groups) noexcept : poll_groups_(groups) {}

    // This thread has, or had, a socket that sends to those who subscribed: for the rest of its life.
    static void thread_publishes() noexcept;
    void add(pipe_end &end); // throws std::bad_alloc
    void remove(pipe_end &end) noexcept;
    // For good: who polls a descriptor is told by the I/O threads.
    void disable() noexcept;

    // `only`: all messages for the socket come by streams. Else no stream is read ahead.
    void set_only_source(bool only) noexcept { only_source_ = only; }
    // Can nothing be received but what comes by one stream, is it this thread's, and is its queue empty?
    [[nodiscard]] bool lone_and_dry() const noexcept {
        return some_ && only_source_ && ends_.size() == 1 && known_groups_.empty() &&
               ends_.front()->in().bytes_waiting() == 0;
    }
    // Then, when the thread is going to receive, and to wait if need be: reads it. That spares it to find the
    // queue empty, to ask for news of it, and to send and to take them.
    void read_ahead() noexcept;
    // The thread would wait, or is about to: reads what has come.
    void read() noexcept {
        empty_looks_ = 0;
        if (std::exchange(read_in_vain_, false))
            return;
        if (some_) [[unlikely]]
            read_all();
    }
    // The thread found nothing and does not wait: reads what has come, but not time and again in vain.
    void look() noexcept;
    // A message was there: the looks before it were not in vain.
    void found() noexcept {
        empty_looks_ = 0;
        read_in_vain_ = false;
    }
    // The thread is about to sleep. Returns how many entries of `watched` are to be watched with poll(2).
    [[nodiscard]] std::size_t begin_wait(std::span<pollfd> watched) noexcept;
    // An event loop of the program is about to wait with that epoll(7). Watches the thread's streams there,
    // and asks for the others. The I/O threads go on checking that the streams are read.
    void watch_in(int epoll) noexcept;
    // It slept; what has come is read. Those entries, as poll(2) left them.
    void end_wait(std::span<const pollfd> watched) noexcept;
    // It waits for something else.
    void release_lease() noexcept;
    // The thread waits, or would: what it wrote in place of an I/O thread is that one's again. Only streams
    // of few are written so.
    void release_write_lease() noexcept {
        if (ends_.size() <= most)
            for (pipe_end *end : ends_)
                end->writer().release_lease();
    }
    // Where the body of the next message is wanted: a lone stream is read there. To be followed by
    // end_receive(), as read_ahead() is in a receive.
    void post_receive(const posted_buffer &posted) noexcept;
    bool end_receive() noexcept; // whether some of a body is there that was not received

  private:
    void read_all() noexcept;
    void choose_write_lease() noexcept;
    void learn_sets() noexcept;
    [[nodiscard]] std::size_t watch_all(int epoll, bool asks) noexcept;
    [[nodiscard]] std::size_t watch_streams(std::span<pollfd> watched) noexcept;
    [[nodiscard]] std::size_t watch_sets(std::span<pollfd> watched, std::size_t count) noexcept;
    [[nodiscard]] bool few() const noexcept { return ends_.size() <= most && !disabled_; }

    std::vector<pipe_end *> ends_; // in the order of their stream_place
    poll_groups &poll_groups_;
    std::vector<std::shared_ptr<poll_group>> known_groups_; // at most `most` of them
    // One of both.
    struct watched_one {
        pipe_end *end;
        poll_group *set;
    };
    std::array<watched_one, most_watched> waiting_{}; // from begin_wait() to end_wait()
    pipe_end *offered_ = nullptr;                     // until end_receive()
    bool some_ = false;                               // a stream may have been leased
    std::size_t in_loop_ = 0;                         // streams and sets that an event loop watches
    bool only_source_ = true;                         // of messages for the socket
    bool disabled_ = false;
    bool read_in_vain_ = false;     // by read_ahead(), a moment ago
    std::uint32_t empty_looks_ = 0; // one after the other
    std::uint32_t patience_ = 1;    // sleeps before streams are asked for again
    std::uint32_t sleeps_left_ = 0; // of those
};

} // namespace zlink::direct_io
