// SPDX-License-Identifier: MPL-2.0
// poll_group: the streams of a socket's many connections on one I/O thread. An epoll(7) of their own watches
// them, so that one read lease is for all.
//
// Threads: each function is marked as the I/O thread's or the application's. The holder of the read lease
// reads. The mutex guards the lease and the list of members. The application's thread holds the mutex while
// it reads, so no member leaves meanwhile. Lock order: the mutex, then that of a connection's stream slot.
// Ownership: shared by the socket, by the connections in it and by the handlers that wait for it. It is part
// of the event loop as long as it has members.
#pragma once

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/epoll.h>
#include <vector>

#include "direct_io/lease.hpp"
#include "pipe/pipe.hpp"
#include "runtime/clock.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/io_thread.hpp"

namespace zlink::direct_io {

// One of the streams, and the pipe of its connection. The owner of the worker's end reads the stream on the
// I/O thread (pipe_event::stream_readable).
struct group_member {
    pipe_end *worker_end;
    pipe_end *socket_end;
    int descriptor;
    std::size_t place = 0; // the group's
};

class poll_group final : public std::enable_shared_from_this<poll_group> {
  public:
    // `further`: it is not the socket's first. Throws std::system_error: no descriptor for it.
    poll_group(runtime::io_thread &thread, bool further);
    ~poll_group();
    poll_group(const poll_group &) = delete;
    poll_group &operator=(const poll_group &) = delete;

    [[nodiscard]] const runtime::io_thread &thread() const noexcept { return thread_; }

    // ---- the I/O thread's
    // Returns false if memory or descriptors are short. A stream that has something to be read is told of
    // until it is empty.
    [[nodiscard]] bool add(group_member &fresh) noexcept;
    void remove(group_member &old) noexcept;
    // A stream that nobody reads for a while.
    void pause(const group_member &member) noexcept;
    // And again. Returns false if the system refused.
    [[nodiscard]] bool watch(group_member &member) const noexcept;

    // ---- the application's
    // Reads what has come. Returns false if they were not leased.
    bool read() noexcept;
    // The thread is going to sleep: what is to be watched for readability; -1: they are not the
    // application's, and were asked for.
    [[nodiscard]] int begin_wait() noexcept;
    // It slept; reads what has come when they are `readable`.
    void end_wait(bool readable) noexcept;
    // An event loop waits with that epoll(7): watches them there if they are the application's. If they are
    // not, and the application `asks`, it asks for them. Returns true if they are watched.
    [[nodiscard]] bool watch_in(int epoll, bool asks) noexcept;
    void release_lease() noexcept;

  private:
    static constexpr std::size_t most_at_once = 64; // streams in one turn of the I/O thread
    static constexpr std::size_t most_helped = 16;  // and under the mutex by the application's thread
    static constexpr int most_rounds = 4;           // of those in one read()
    // After an overload, lease requests are refused for this long.
    static constexpr runtime::time_ms rest_ms = 200;
    static constexpr std::uint32_t least_looks = 8;
    static constexpr std::uint32_t often_idle = 32;

    struct in_event_loop {
        explicit in_event_loop(boost::asio::io_context &context) : descriptor(context), timer(context) {}
        boost::asio::posix::stream_descriptor descriptor;
        boost::asio::steady_timer timer; // of the checks
    };

    bool enter(group_member &fresh);
    void forget(const group_member &old) noexcept;
    bool listen() noexcept;
    void leave() noexcept;
    void wait_readable();
    void turn();
    void serve(std::size_t count);
    void on_calls();
    void grant_lease();
    void reclaim_lease();
    void refuse() noexcept;
    [[nodiscard]] bool look_in(int milliseconds) noexcept;
    void check_use();
    void look_again();
    [[nodiscard]] bool overloaded() noexcept;
    void call(std::uint32_t events) noexcept;
    std::optional<std::size_t> read_some() noexcept;

    runtime::io_thread &thread_;
    const bool further_;
    const int watched_; // epoll(7)
    std::mutex mutex_;
    lease lease_;             // guarded
    std::uint32_t calls_ = 0; // guarded: bits of pipe_event for the I/O thread
    bool called_ = false;     // guarded: on_calls() will come
    std::uint32_t looks_ = 0; // guarded, as the next: of the application's thread since check_use()
    std::uint32_t finds_ = 0;

    std::optional<in_event_loop> loop_; // this and all below: the I/O thread's
    std::vector<group_member *> members_;
    std::array<epoll_event, most_at_once> found_{}; // of a turn
    std::size_t found_count_ = 0;
    bool waiting_ = false; // for readability
    runtime::time_ms rest_until_ = 0;
    std::uint32_t idle_seen_ = 0;
    runtime::handler_slot read_slot_;
    runtime::handler_slot timer_slot_;
    runtime::post_slot call_slot_;
};

} // namespace zlink::direct_io
