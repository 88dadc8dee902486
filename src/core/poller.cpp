// SPDX-License-Identifier: MPL-2.0
#include "core/poller.hpp"

#include <algorithm>
#include <cerrno>

namespace zlink::core {
namespace {

constexpr int known_events = poll_in | poll_out | poll_error | poll_priority;

bool known(short events) noexcept {
    return (events & ~known_events) == 0;
}

// Unless there is nothing more to be told; also when the thread is cancelled.
struct raised_again {
    ~raised_again() {
        if (!none)
            signal.raise();
    }
    runtime::event_signal &signal;
    bool none = false;
};

} // namespace

poller::~poller() {
    tag_ = 0;
    if (signal_)
        for (const entry &one : entries_)
            if (one.box)
                one.box->remove(*signal_);
}

poller::entry_list::iterator poller::find(const socket *waited, int descriptor) noexcept {
    const auto is_it = [&](const entry &one) {
        return one.waited == waited && (waited != nullptr || one.descriptor == descriptor);
    };
    // A closed socket may have left its address to a new one.
    const auto open = std::find_if(entries_.begin(), entries_.end(),
                                   [&](const entry &one) { return is_it(one) && !one.closed(); });
    return open != entries_.end() ? open : std::find_if(entries_.begin(), entries_.end(), is_it);
}

bool poller::holds(const void *handle) noexcept {
    return handle != nullptr && find(static_cast<const socket *>(handle), no_descriptor) != entries_.end();
}

result<poller::entry_list::iterator> poller::lookup(const socket *waited, int descriptor) noexcept {
    if (waited == nullptr && descriptor == no_descriptor)
        return error{EBADF};
    const auto found = find(waited, descriptor);
    return found != entries_.end() ? result<entry_list::iterator>(found) : error{EINVAL};
}

result<void> poller::add(socket *added, int descriptor, void *user_data, short events) {
    if (added == nullptr && descriptor == no_descriptor)
        return error{EBADF};
    const auto there = find(added, descriptor);
    if (!known(events) || (there != entries_.end() && !there->closed()))
        return error{EINVAL};
    entry fresh{added, added != nullptr ? no_descriptor : descriptor, user_data, events, nullptr, nullptr};
    if (added != nullptr) {
        fresh.inbox = added->hold_inbox();
        if (fresh.inbox == nullptr)
            return error{ENOTSOCK};
        if (added->shared())
            fresh.box = fresh.inbox->box_of_many();
    }
    entries_.push_back(std::move(fresh));
    if (signal_)
        connect_signal(entries_.back());
    return {};
}

result<void> poller::modify(const socket *changed, int descriptor, short events) {
    const auto found = lookup(changed, descriptor);
    if (!found)
        return error{found.code()};
    if ((*found)->closed())
        return error{ENOTSOCK};
    if (!known(events))
        return error{EINVAL};
    (*found)->events = events;
    if (signal_)
        signal_->raise();
    return {};
}

result<void> poller::remove(const socket *removed, int descriptor) {
    const auto found = lookup(removed, descriptor);
    if (!found)
        return error{found.code()};
    if (signal_ && (*found)->box)
        (*found)->box->remove(*signal_);
    entries_.erase(*found);
    return {};
}

// Collects the items to poll now. Returns false if a socket was closed and is still here.
bool poller::prepare() {
    items_.clear();
    places_.clear();
    for (std::size_t place = 0; place < entries_.size(); ++place) {
        const entry &one = entries_[place];
        if (one.events == 0)
            continue;
        if (one.closed())
            return false;
        items_.push_back({one.waited, one.descriptor, one.events, 0, 0, false});
        places_.push_back(place);
    }
    return true;
}

result<std::size_t> poller::wait(std::span<poller_event> out, long timeout_ms) {
    if (!signal_)
        return wait_for(out, timeout_ms);
    signal_->clear();
    raised_again more{*signal_};
    const auto done = wait_for(out, timeout_ms);
    more.none = !done && done.code() == EAGAIN;
    return done;
}

result<std::size_t> poller::wait_for(std::span<poller_event> out, long timeout_ms) {
    if (!prepare())
        return error{ENOTSOCK};
    if (items_.empty() && timeout_ms < 0)
        return error{EFAULT};
    const auto ready = poll(items_, timeout_ms);
    if (!ready)
        return error{ready.code()};
    const std::size_t reported = *ready != 0 ? report(out) : 0; // none also where `out` has no room
    return reported != 0 ? result<std::size_t>(reported) : error{EAGAIN};
}

result<int> poller::descriptor() {
    const bool any =
        std::any_of(entries_.begin(), entries_.end(), [](const entry &one) { return one.box != nullptr; });
    if (!any)
        return error{EINVAL};
    if (signal_)
        return signal_->descriptor();
    auto made = std::make_unique<runtime::event_signal>();
    if (made->descriptor() < 0)
        return error{made->failure()};
    signal_ = std::move(made);
    for (const entry &one : entries_)
        connect_signal(one);
    return signal_->descriptor();
}

// The signal is raised at once, because there may be events that came before it was connected.
void poller::connect_signal(const entry &one) {
    if (one.box)
        one.box->add(*signal_);
    signal_->raise();
}

std::size_t poller::report(std::span<poller_event> out) noexcept {
    std::size_t count = 0;
    for (std::size_t at = 0; at < items_.size() && count < out.size(); ++at) {
        const entry &one = entries_[places_[at]];
        if (items_[at].ready != 0)
            out[count++] = {one.waited, one.descriptor, one.user_data, items_[at].ready};
    }
    return count;
}

} // namespace zlink::core
