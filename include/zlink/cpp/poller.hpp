// SPDX-License-Identifier: MPL-2.0
// A poller waits for several sockets and descriptors, and calls back for those that are ready.
//
// - Ownership. Sockets are not owned. They are to be removed before they are closed or moved from.
// - Threads. A poller is used in the thread of all its sockets.
// - Units. Times are any std::chrono duration of whole milliseconds; `infinite` waits for ever.
// - Source. zmq_poll(3).
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "zlink/cpp/socket.hpp"

namespace zlink {
inline namespace v1 {

class poller {
  public:
    // Gets the events that have come. It may add to the poller and remove from it.
    using callback = std::function<void(poll_events)>;

    // Adds a socket. std::errc::invalid_argument: it is there already.
    void add(const socket &one, poll_events events, callback on_ready) {
        add_item({one.native(), 0, static_cast<short>(events), 0}, std::move(on_ready));
    }
    // Adds a descriptor of the system.
    void add(zmq_fd_t descriptor, poll_events events, callback on_ready) {
        add_item({nullptr, descriptor, static_cast<short>(events), 0}, std::move(on_ready));
    }
    // Changes what is waited for. std::errc::invalid_argument: it is not there.
    void modify(const socket &one, poll_events events) {
        items_[find(one.native(), 0)].events = static_cast<short>(events);
    }
    void modify(zmq_fd_t descriptor, poll_events events) {
        items_[find(nullptr, descriptor)].events = static_cast<short>(events);
    }
    // Takes it out. std::errc::invalid_argument: it is not there.
    void remove(const socket &one) { remove_at(find(one.native(), 0)); }
    void remove(zmq_fd_t descriptor) { remove_at(find(nullptr, descriptor)); }

    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }

    // Waits until something is ready and calls the callbacks, in the order of their addition. Returns how
    // many are ready; 0 means that the time is over.
    std::size_t wait(std::chrono::milliseconds timeout = infinite) {
        const int count =
            zmq_poll(items_.data(), static_cast<int>(items_.size()), static_cast<long>(timeout.count()));
        if (count == -1)
            throw error(zmq_errno(), "zmq_poll");
        if (count == 0)
            return 0;
        // A callback may change the rows, so those that are ready are copied first.
        std::vector<zmq_pollitem_t> ready;
        std::copy_if(items_.begin(), items_.end(), std::back_inserter(ready),
                     [](const zmq_pollitem_t &item) { return item.revents != 0; });
        for (const zmq_pollitem_t &item : ready)
            call_back(item);
        return ready.size();
    }

  private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    [[nodiscard]] std::size_t index_of(void *handle, zmq_fd_t descriptor) const noexcept {
        const auto found = std::find_if(items_.begin(), items_.end(), [&](const zmq_pollitem_t &item) {
            return item.socket == handle && (handle || item.fd == descriptor);
        });
        return found == items_.end() ? nowhere : static_cast<std::size_t>(found - items_.begin());
    }
    [[nodiscard]] std::size_t find(void *handle, zmq_fd_t descriptor) const {
        const std::size_t index = index_of(handle, descriptor);
        if (index == nowhere)
            throw error(EINVAL, "poller: it is not there");
        return index;
    }
    void add_item(zmq_pollitem_t item, callback on_ready) {
        if (index_of(item.socket, item.fd) != nowhere)
            throw error(EINVAL, "poller: it is there already");
        items_.push_back(item);
        callbacks_.push_back(std::move(on_ready));
    }
    void remove_at(std::size_t index) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
        callbacks_.erase(callbacks_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    void call_back(const zmq_pollitem_t &item) {
        const std::size_t index = index_of(item.socket, item.fd);
        if (index == nowhere || !callbacks_[index])
            return;
        const callback on_ready = callbacks_[index];
        on_ready(static_cast<poll_events>(item.revents));
    }

    std::vector<zmq_pollitem_t> items_;
    std::vector<callback> callbacks_; // callbacks_[i] is of items_[i]
};

} // namespace v1
} // namespace zlink
