// SPDX-License-Identifier: MPL-2.0
#include "runtime/io_thread.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "base/brief_yield.hpp"
#include "base/system_calls.hpp"
#include "runtime/signals_blocked.hpp"

namespace zlink::runtime {
namespace {

// Turns of the mailbox before Asio's handlers get theirs although the mailbox is never empty.
constexpr int most_mailbox_turns = 8;
// After this many pipes in one turn, the streams are read before the next turn. Meanwhile each pipe gathers
// more for its next write.
constexpr std::size_t many_pipes = 64;
// With loop_mode::run_for.
constexpr std::chrono::milliseconds longest_sleep{1};

// Without the privilege the thread stays as it is. Policies without priorities use the niceness instead. As
// with libzmq, any priority asks for much more than the process has.
void schedule(pthread_t self, int wanted_policy, int priority) noexcept {
    constexpr int much_less_nice = 20;
    int policy = 0;
    sched_param parameters{};
    pthread_getschedparam(self, &policy, &parameters);
    if (wanted_policy >= 0)
        policy = wanted_policy;
    const bool real_time = policy == SCHED_FIFO || policy == SCHED_RR;
    if (real_time && priority >= 0)
        parameters.sched_priority = priority;
    pthread_setschedparam(self, policy, &parameters);
    const auto thread = static_cast<id_t>(gettid());
    if (!real_time && priority >= 0)
        setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) - much_less_nice);
}

void apply(const thread_settings &settings) noexcept {
    const pthread_t self = pthread_self();
    if (!settings.name.empty())
        pthread_setname_np(self, settings.name.substr(0, 15).c_str());
    if (settings.sched_policy >= 0 || settings.priority >= 0)
        schedule(self, settings.sched_policy, settings.priority);
    if (!settings.cpus.empty()) {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        for (const int cpu : settings.cpus)
            if (cpu < CPU_SETSIZE)
                CPU_SET(static_cast<unsigned>(cpu), &cpus);
        pthread_setaffinity_np(self, sizeof cpus, &cpus);
    }
}

} // namespace

// Wakes the thread by an eventfd(2) among the descriptors that it waits for. A post to Asio would take Asio's
// lock, which the woken thread needs at once, and one more system call.
class io_thread::io_mailbox final : public mailbox {
  public:
    io_mailbox() : wakeup_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (wakeup_fd_ < 0)
            throw std::system_error(errno, std::generic_category());
    }
    ~io_mailbox() override { close(wakeup_fd_); }

    void wake() noexcept override {
        if (!asleep_.load(std::memory_order_seq_cst) || !asleep_.exchange(false, std::memory_order_seq_cst))
            return;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = system_calls::write(wakeup_fd_, &one, sizeof one);
    }
    void asleep(bool on) noexcept { asleep_.store(on, std::memory_order_seq_cst); }
    [[nodiscard]] int wakeup_fd() const noexcept { return wakeup_fd_; }

  private:
    const int wakeup_fd_;             // rung by every write
    std::atomic<bool> asleep_{false}; // set by the I/O thread, exchanged by wakers
};

io_thread::io_thread(loop_mode mode) : mode_(mode) {
    auto box = std::make_shared<io_mailbox>();
    own_box_ = box.get();
    wakeup_fd_.assign(box->wakeup_fd());
    box_ = std::move(box);
}

io_thread::~io_thread() {
    wakeup_fd_.release(); // the mailbox closes it
}

bool io_thread::start(const thread_settings &settings) {
    const signals_blocked guard; // inherited by the new thread
    try {
        thread_ = std::thread([this, settings] { run(settings); });
    } catch (const std::system_error &) {
        return false;
    }
    return true;
}

void io_thread::stop() noexcept {
    if (!thread_.joinable())
        return;
    post(slotted(stop_slot_, [this] { stopping_ = true; }));
    thread_.join();
    while (box_->ready.drain() || box_->attached != 0) {
    }
}

void io_thread::run(const thread_settings &settings) {
    apply(settings);
    counts_ = settings.counts;
    if (counts_ != nullptr)
        counts_->thread_id.set(static_cast<std::uint64_t>(gettid()));
    while (!stopping_) {
        try {
            turn();
        } catch (const std::exception &) { // no memory or no descriptor for what was asked: the others go on
            own_box_->asleep(false);
        }
    }
}

void io_thread::turn() {
    if (const std::size_t served = box_->ready.drain(); served != 0) {
        if (++mailbox_turns_ >= most_mailbox_turns || served >= many_pipes) {
            mailbox_turns_ = 0;
            context_.poll();
        }
        return;
    }
    mailbox_turns_ = 0;
    wait();
}

// For something to do, and does it where it is Asio's.
void io_thread::wait() {
    if (mode_ == loop_mode::poll) { // never asleep: nobody pays for a wakeup
        if (context_.poll() == 0) {
            ++times_idle_;
            std::this_thread::yield();
        }
        return;
    }
    listen_to_wakeup();
    own_box_->asleep(true);
    if (box_->ready.empty()) {
        ++times_idle_;
        note_sleep();
        if (mode_ == loop_mode::run_for)
            context_.run_one_for(longest_sleep);
        else
            context_.run_one();
    }
    own_box_->asleep(false);
    // Who woke the thread may have more for it in a moment, above all on the same processor.
    if (!box_->ready.empty())
        brief_yield();
}

void io_thread::note_sleep() noexcept {
    if (counts_ == nullptr)
        return;
    counts_->wakeups.add();
    counts_->load.set(static_cast<std::uint64_t>(std::max(load(), 0)));
}

void io_thread::listen_to_wakeup() {
    if (!std::exchange(listening_, true))
        wakeup_fd_.async_read_some(boost::asio::buffer(&rings_, sizeof rings_),
                                   slotted(wakeup_slot_, [this](const boost::system::error_code &,
                                                                std::size_t) { listening_ = false; }));
}

} // namespace zlink::runtime
