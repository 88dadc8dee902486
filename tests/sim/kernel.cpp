// SPDX-License-Identifier: MPL-2.0
#include "sim/kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sim {

kernel *pretend = nullptr;

void object::notify() {
    run->changed();
    for (std::size_t index = 0; index < watchers.size(); ++index)
        watchers[index]->notified(*this);
}

// ---- eventfd and timerfd

ssize_t event_object::read(void *to, std::size_t size) {
    if (size < sizeof count_)
        return -EINVAL;
    if (count_ == 0)
        return -EAGAIN;
    std::memcpy(to, &count_, sizeof count_);
    count_ = 0;
    notify();
    return sizeof count_;
}

ssize_t event_object::write(const void *from, std::size_t size) {
    std::uint64_t more = 0;
    if (size < sizeof more)
        return -EINVAL;
    std::memcpy(&more, from, sizeof more);
    count_ += more;
    notify();
    return sizeof more;
}

ssize_t timer_object::read(void *to, std::size_t size) {
    const std::uint64_t times = 1;
    if (size < sizeof times)
        return -EINVAL;
    if (!std::exchange(rang_, false))
        return -EAGAIN;
    std::memcpy(to, &times, sizeof times);
    return sizeof times;
}

void timer_object::set(time_ns at) {
    rang_ = false;
    const std::uint64_t setting = ++setting_;
    if (at == 0)
        return;
    run->at(at, [this, kept = shared_from_this(), setting] {
        if (setting != setting_)
            return;
        rang_ = true;
        notify();
    });
}

// ---- epoll

std::uint32_t epoll_object::found_in(const entry &one) {
    const auto ready = static_cast<std::uint32_t>(static_cast<unsigned short>(one.of->readiness()));
    return ready & (one.wanted.events | EPOLLERR | EPOLLHUP);
}

void epoll_object::queue(entry &one) {
    if (std::exchange(one.queued, true))
        return;
    queue_.push_back(one.descriptor);
    notify();
}

short epoll_object::readiness() const {
    for (const int descriptor : queue_)
        if (found_in(entries_.at(descriptor)) != 0)
            return POLLIN;
    return 0;
}

int epoll_object::control(int operation, int descriptor, const std::shared_ptr<object> &of,
                          const epoll_event *wanted) {
    const auto found = entries_.find(descriptor);
    if (operation == EPOLL_CTL_ADD ? found != entries_.end() : found == entries_.end())
        return operation == EPOLL_CTL_ADD ? -EEXIST : -ENOENT;
    if (operation == EPOLL_CTL_DEL) {
        forget(*of);
        return 0;
    }
    entry &one = entries_[descriptor];
    if (operation == EPOLL_CTL_ADD)
        of->watchers.push_back(this);
    one.descriptor = descriptor;
    one.of = of;
    one.wanted = *wanted;
    if (found_in(one) != 0)
        queue(one);
    return 0;
}

void epoll_object::notified(const object &by) {
    for (auto &[descriptor, one] : entries_)
        if (one.of.get() == &by && found_in(one) != 0)
            queue(one);
}

void epoll_object::forget(const object &gone) {
    for (auto one = entries_.begin(); one != entries_.end();) {
        if (one->second.of.get() != &gone) {
            ++one;
            continue;
        }
        std::erase(one->second.of->watchers, this);
        std::erase(queue_, one->first);
        one = entries_.erase(one);
    }
}

void epoll_object::closed() {
    for (auto &[descriptor, one] : entries_)
        std::erase(one.of->watchers, this);
    entries_.clear();
    queue_.clear();
}

// An edge is told once, a level again and again.
int epoll_object::take(epoll_event *found, int room) {
    int count = 0;
    std::deque<int> levels;
    while (!queue_.empty() && count < room) {
        entry &one = entries_.at(queue_.front());
        queue_.pop_front();
        one.queued = false;
        const std::uint32_t events = found_in(one);
        if (events == 0)
            continue;
        found[count++] = {events, one.wanted.data};
        if ((one.wanted.events & EPOLLET) == 0) {
            one.queued = true;
            levels.push_back(one.descriptor);
        }
    }
    queue_.insert(queue_.end(), levels.begin(), levels.end());
    return count;
}

// ---- descriptors

int kernel::add(std::shared_ptr<object> made) {
    if (run->chance(refuses_one_in))
        return -EMFILE;
    auto free = std::find(table_.begin(), table_.end(), nullptr);
    if (free == table_.end()) {
        if (table_.size() >= most_descriptors)
            return -EMFILE;
        free = table_.insert(table_.end(), nullptr);
    }
    *free = std::move(made);
    return first_descriptor + static_cast<int>(free - table_.begin());
}

std::shared_ptr<object> kernel::find(int descriptor) const {
    const auto index = static_cast<std::size_t>(descriptor - first_descriptor);
    return descriptor >= first_descriptor && index < table_.size() ? table_[index] : nullptr;
}

int kernel::close(int descriptor) {
    const std::shared_ptr<object> gone = find(descriptor);
    if (gone == nullptr)
        fail("close of descriptor %d, which is not open", descriptor);
    table_[static_cast<std::size_t>(descriptor - first_descriptor)] = nullptr;
    while (!gone->watchers.empty())
        gone->watchers.back()->forget(*gone);
    gone->closed();
    return 0;
}

std::size_t kernel::open_count() const noexcept {
    return table_.size() - static_cast<std::size_t>(std::count(table_.begin(), table_.end(), nullptr));
}

// ---- waits

int kernel::look(pollfd *asked, std::size_t count) const {
    int ready = 0;
    for (pollfd *one = asked; one != asked + count; ++one) {
        one->revents = 0;
        if (one->fd < 0)
            continue;
        const std::shared_ptr<object> of = find(one->fd);
        if (of == nullptr)
            one->revents = POLLNVAL;
        else
            one->revents = static_cast<short>(of->readiness() & (one->events | POLLERR | POLLHUP));
        ready += one->revents != 0 ? 1 : 0;
    }
    return ready;
}

int kernel::poll(pollfd *asked, std::size_t count, time_ns until, const sigset_t *mask) {
    const std::function<bool()> met = [=, this] { return look(asked, count) != 0; };
    if (look(asked, count) == 0 && until > run->now()) {
        wait_for what;
        what.met = &met;
        what.until = until;
        what.mask = mask;
        what.by_signal = true;
        if (run->wait(what) == wait_end::interrupted)
            return -EINTR;
    }
    return look(asked, count);
}

int kernel::epoll_wait(epoll_object &of, epoll_event *found, int room, time_ns until) {
    const auto kept = of.shared_from_this();
    const std::function<bool()> met = [&of] { return of.readiness() != 0; };
    if (of.readiness() == 0 && until > run->now()) {
        wait_for what;
        what.met = &met;
        what.until = until;
        what.by_signal = true;
        if (run->wait(what) == wait_end::interrupted)
            return -EINTR;
    }
    return of.take(found, room);
}

} // namespace sim
