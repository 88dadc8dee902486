// SPDX-License-Identifier: MPL-2.0
// background_turn: work for a socket that an I/O thread does while no thread of the application is in it.
//
// Threads: ask() from any thread; the work runs on the I/O thread; end() from another one. Ownership: shared
// by the socket, its mailbox and a turn that is under way. The I/O thread lives longer.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/handler_slot.hpp"
#include "runtime/io_thread.hpp"

namespace zlink::runtime {

class background_turn final : public std::enable_shared_from_this<background_turn> {
  public:
    // Returns false if the place was taken: it is tried again in a millisecond.
    using work = std::function<bool()>;

    background_turn(io_thread &by, work done) : by_(by), work_(std::move(done)), again_(by.context()) {}

    // There is something to do. Without memory for it, it waits for the next time.
    void ask() noexcept;
    // Returns when no turn is under way. There is none from now on.
    void end() noexcept;

  private:
    void run() noexcept;
    void try_later();

    io_thread &by_;
    std::mutex guard_;
    work work_;                       // guarded; empty after end()
    boost::asio::steady_timer again_; // the I/O thread's
    post_slot slot_;
    std::atomic<bool> asked_{false}; // a turn was asked for, and has not begun
};

} // namespace zlink::runtime
