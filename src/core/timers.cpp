// SPDX-License-Identifier: MPL-2.0
#include "core/timers.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace zlink::core {

// An interval beyond the end of time ends there.
timers::moment timers::moment_after(std::size_t interval_ms, runtime::time_ms now) noexcept {
    const auto most = static_cast<std::uint64_t>(runtime::never - now);
    const auto interval = static_cast<runtime::time_ms>(std::min<std::uint64_t>(interval_ms, most));
    return {now + interval, ++last_serial_};
}

int timers::add(std::size_t interval_ms, handler called, void *argument, runtime::time_ms now) {
    const int id = last_id_ + 1;
    const moment due = moment_after(interval_ms, now);
    const auto queued = queue_.emplace(due, id).first;
    try {
        timers_.emplace(id, timer{interval_ms, called, argument, due});
    } catch (...) {
        queue_.erase(queued);
        throw;
    }
    return last_id_ = id;
}

result<void> timers::cancel(int id) {
    const auto found = timers_.find(id);
    if (found == timers_.end() || found->second.cancelled)
        return error{EINVAL};
    found->second.cancelled = true;
    return {};
}

// Moves the entry of the queue: it cannot fail.
void timers::set_due(int id, timer &changed, runtime::time_ms now) {
    auto entry = queue_.extract(changed.due);
    changed.due = moment_after(changed.interval_ms, now);
    entry.key() = changed.due;
    entry.mapped() = id;
    queue_.insert(std::move(entry));
}

result<void> timers::set_interval(int id, std::size_t interval_ms, runtime::time_ms now) {
    const auto found = timers_.find(id);
    if (found == timers_.end())
        return error{EINVAL};
    found->second.interval_ms = interval_ms;
    set_due(id, found->second, now);
    return {};
}

result<void> timers::reset(int id, runtime::time_ms now) {
    const auto found = timers_.find(id);
    if (found == timers_.end())
        return error{EINVAL};
    set_due(id, found->second, now);
    return {};
}

timers::queue::iterator timers::forget(queue::iterator entry) noexcept {
    timers_.erase(entry->second);
    return queue_.erase(entry);
}

long timers::timeout_ms(runtime::time_ms now) noexcept {
    auto first = queue_.begin();
    while (first != queue_.end() && timers_.find(first->second)->second.cancelled)
        first = forget(first);
    if (first == queue_.end())
        return -1;
    const runtime::time_ms left = std::max<runtime::time_ms>(0, first->first.time - now);
    return static_cast<long>(std::min<runtime::time_ms>(left, std::numeric_limits<long>::max()));
}

void timers::execute(runtime::time_ms now) {
    const struct counted { // also when the thread is cancelled in a handler
        explicit counted(int &calls) noexcept : calls_(calls) { ++calls_; }
        ~counted() { --calls_; }
        int &calls_;
    } meanwhile(executing_);
    // Timers that are set after this line, by a handler or for the next time, are not of this turn, even with
    // interval 0.
    const std::uint64_t last_of_turn = last_serial_;
    for (auto next = queue_.begin(); next != queue_.end();) {
        const int id = next->second;
        timer &due = timers_.at(id);
        if (due.cancelled) {
            next = forget(next);
            continue;
        }
        if (next->first.time > now)
            break;
        if (next->first.serial > last_of_turn) {
            ++next;
            continue;
        }
        const handler called = due.called;
        void *const argument = due.argument;
        set_due(id, due, now);
        called(id, argument); // may change the queue
        next = queue_.begin();
    }
}

} // namespace zlink::core
