// SPDX-License-Identifier: MPL-2.0
#include "runtime/parker.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/lasting.hpp"
#include "base/per_thread.hpp"
#include "base/system_calls.hpp"

namespace zlink::runtime {
namespace {

// Always with a time limit: a wait without one is restarted after a signal handler, and must end with EINTR
// instead.
constexpr time_ms longest_wait_ms = 24LL * 3600 * 1000;
// How long a thread sleeps that nobody can wake.
constexpr time_ms doze_ms = 5;

timespec remaining(time_ms deadline) noexcept {
    const time_ms left = deadline == never ? longest_wait_ms : std::max<time_ms>(0, deadline - now_ms());
    const time_ms bounded = std::min(left, longest_wait_ms);
    return {static_cast<std::time_t>(bounded / 1000), static_cast<long>(bounded % 1000) * 1000000L};
}

// Parkers of threads that have ended, for the next ones.
struct free_parkers final : private fork_handler {
    std::mutex guard;
    std::vector<parker *> list; // guarded

  private:
    void on_fork() noexcept override { // another thread may have been in the middle of it
        ::new (&guard) std::mutex;
        ::new (&list) std::vector<parker *>;
    }
};
free_parkers &free_list() {
    return lasting<free_parkers>();
}

// A cancelled thread may get its signal at any instruction in here. So nothing here needs cleaning up. (The
// thread sanitizer would add code that does.)
[[gnu::noinline, gnu::no_sanitize_thread]] int wait_on(std::atomic<std::uint32_t> &word, std::uint32_t value,
                                                       const timespec &limit) {
    int before = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    const long answer = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &limit, nullptr, 0);
    const int error = answer == 0 ? 0 : errno;
    pthread_setcanceltype(before, &before);
    return error;
}

struct parker_source {
    static parker *take() {
        free_parkers &free = free_list();
        std::lock_guard lock(free.guard);
        if (free.list.empty())
            return new parker;
        parker *const taken = free.list.back();
        free.list.pop_back();
        return taken;
    }
    static void release(parker *old) {
        old->close_descriptor();
        free_parkers &free = free_list();
        std::lock_guard lock(free.guard);
        free.list.push_back(old);
    }
};

} // namespace

parker &parker::of_this_thread() {
    return per_thread<parker, parker_source>::get();
}

// Ends with the thread, too, when that is cancelled.
class parker::sleep {
  public:
    sleep(parker &sleeper, state how) noexcept : sleeper_(sleeper), how_(how) {}
    ~sleep() { (void)end(); }
    sleep(const sleep &) = delete;
    sleep &operator=(const sleep &) = delete;
    // Returns true if it was woken.
    bool end() noexcept {
        const state from = std::exchange(how_, running);
        return from != running && sleeper_.get_up(from);
    }

  private:
    parker &sleeper_;
    state how_;
};

// Another thread may have woken it meanwhile, and its wakeup is taken, too. A store would not acquire what
// that thread did before.
bool parker::lie_down(state how) noexcept {
    std::uint32_t expected = running;
    if (state_.compare_exchange_strong(expected, how, std::memory_order_seq_cst))
        return true;
    state_.exchange(running, std::memory_order_seq_cst);
    return false;
}

bool parker::get_up(state from) noexcept {
    if (state_.exchange(running, std::memory_order_seq_cst) != signalled)
        return false;
    std::uint64_t count = 0;
    // The waker writes after its exchange: wait for the write, so that it does not end a later sleep.
    while (from == polling && system_calls::read(event_fd_, &count, sizeof count) == -EAGAIN) {
        const uncancelled meanwhile;
        pollfd written{event_fd_, POLLIN, 0};
        ppoll(&written, 1, nullptr, nullptr);
    }
    return true;
}

park_result parker::park(time_ms deadline) {
    if (!lie_down(parked))
        return park_result::woken;
    sleep sleeping(*this, parked);
    const int error = wait_on(state_, parked, remaining(deadline));
    if (sleeping.end())
        return park_result::woken;
    switch (error) {
    case EINTR:
        return park_result::interrupted;
    case ETIMEDOUT:
        return now_ms() < deadline ? park_result::woken : park_result::timed_out;
    default:
        return park_result::woken; // spurious
    }
}

park_result parker::park_with(std::span<pollfd> descriptors, time_ms deadline, const sigset_t *mask) {
    if (event_fd_ < 0) {
        event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (event_fd_ < 0) {
            failure_ = errno;
            return park_result::failed;
        }
    }
    descriptors.back() = {event_fd_, POLLIN, 0};
    if (!lie_down(polling))
        return park_result::woken;
    sleep sleeping(*this, polling);
    const timespec limit = remaining(deadline);
    const int ready = ppoll(descriptors.data(), descriptors.size(), &limit, mask);
    const int error = errno;
    return sleeping.end() ? park_result::woken : outcome(ready, error, deadline);
}

park_result parker::doze(std::span<pollfd> descriptors, time_ms deadline, const sigset_t *mask) {
    const timespec limit = remaining(std::min(deadline, now_ms() + doze_ms));
    const int ready = ppoll(descriptors.data(), descriptors.size(), &limit, mask);
    return outcome(ready, errno, deadline);
}

park_result parker::outcome(int ready, int error, time_ms deadline) noexcept {
    if (ready > 0)
        return park_result::woken;
    if (ready == 0)
        return now_ms() < deadline ? park_result::woken : park_result::timed_out;
    failure_ = error;
    return error == EINTR ? park_result::interrupted : park_result::failed;
}

void parker::close_descriptor() noexcept {
    if (event_fd_ >= 0)
        system_calls::close(std::exchange(event_fd_, -1));
}

void parker::unpark() noexcept {
    switch (state_.exchange(signalled, std::memory_order_seq_cst)) {
    case parked:
        syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
        break;
    case polling: {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = system_calls::write(event_fd_, &one, sizeof one);
        break;
    }
    default:
        break;
    }
}

} // namespace zlink::runtime
