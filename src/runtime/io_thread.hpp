// SPDX-License-Identifier: MPL-2.0
// io_thread: one thread that runs Asio's event loop and the workers that were assigned to it.
//
// Threads: post(), box() and load() from any thread; context() and the timers, streams and descriptors made
// on it belong to the I/O thread. Nothing that runs here may block. The loop drains its mailbox (pipes with
// something to send, or with room again) and runs Asio's handlers in turn. It sleeps in Asio only when both
// have nothing. It is woken from outside only when it sleeps. With loop_mode::poll it never sleeps.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mailbox.hpp"
#include "counters/layout.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/tuning.hpp"

namespace zlink::runtime {

struct thread_settings {
    std::string name;
    int sched_policy = -1; // -1: as the process
    int priority = -1;
    std::vector<int> cpus;                        // empty: all
    counters::io_thread_record *counts = nullptr; // lives longer than the thread; null: nobody counts
};

class io_thread {
  public:
    // Throws std::runtime_error: no descriptors for the event loop.
    explicit io_thread(loop_mode mode = process_tuning().io_loop);
    ~io_thread(); // stop() first

    // Returns false if the system has no thread to give.
    [[nodiscard]] bool start(const thread_settings &settings);
    // Ends the loop after what was posted before, and joins.
    void stop() noexcept;

    [[nodiscard]] boost::asio::io_context &context() noexcept { return context_; }
    [[nodiscard]] const std::shared_ptr<mailbox> &box() const noexcept { return box_; }
    template <class Work> void post(Work &&work) { boost::asio::post(context_, std::forward<Work>(work)); }

    // How often the thread found its mailbox empty, and waited for what Asio had next; its own.
    [[nodiscard]] std::uint32_t times_idle() const noexcept { return times_idle_; }

    // Streams and listeners served here; for the choice of a thread.
    [[nodiscard]] int load() const noexcept { return load_.load(std::memory_order_relaxed); }
    void add_load(int change) noexcept { load_.fetch_add(change, std::memory_order_relaxed); }

  private:
    class io_mailbox;
    void run(const thread_settings &settings);
    void note_sleep() noexcept;
    void turn();
    void wait();
    void listen_to_wakeup();

    const loop_mode mode_;
    read_place wakeup_slot_; // has the memory of an operation of the context, as the next
    post_slot stop_slot_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
    std::shared_ptr<mailbox> box_;
    io_mailbox *own_box_;
    boost::asio::posix::stream_descriptor wakeup_fd_{context_}; // readable when the mailbox wakes the thread
    std::atomic<int> load_{0};
    bool stopping_ = false; // this and the next: the I/O thread's
    bool listening_ = false;
    std::uint32_t times_idle_ = 0;
    std::uint64_t rings_ = 0;
    int mailbox_turns_ = 0; // since Asio's handlers had theirs
    counters::io_thread_record *counts_ = nullptr;
    std::thread thread_;
};

} // namespace zlink::runtime
