// SPDX-License-Identifier: MPL-2.0
// poller: a set of sockets and descriptors to be waited for again and again: zmq_poller_*.
//
// Threads: one at a time; sockets in it that are not thread-safe belong to that thread during wait().
// Ownership: the application's, from zmq_poller_new to zmq_poller_destroy. The poller does not own its
// sockets. They must be removed before they are closed: wait() answers ENOTSOCK as long as a closed one is in
// it. Readiness is of a level: what was reported and not taken is reported again. Errors: errno numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "core/socket_inbox.hpp"

namespace zlink::core {

struct poller_event {
    socket *ready; // or null: the descriptor is
    int descriptor;
    void *user_data;
    short events;
};

class poller {
  public:
    static constexpr int no_descriptor = -1;

    poller() = default;
    ~poller();
    poller(const poller &) = delete;
    poller &operator=(const poller &) = delete;

    [[nodiscard]] bool valid() const noexcept { return tag_ == living; }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    // A socket, or a descriptor when it is null. EINVAL: it is there already, is not there, or the events are
    // no bits of ZMQ_POLL*. EBADF: no descriptor.
    result<void> add(socket *added, int descriptor, void *user_data, short events);
    result<void> modify(const socket *changed, int descriptor, short events);
    result<void> remove(const socket *removed, int descriptor);
    // Is that socket in here? It may have been closed.
    [[nodiscard]] bool holds(const void *handle) noexcept;

    // Fills `out` with the ready items in the order of their registration. Returns their number. Programs use
    // that order as a priority. EAGAIN: the time is over. EFAULT: there is nothing to wait for, and no end to
    // it. ETERM EINTR ENOTSOCK.
    result<std::size_t> wait(std::span<poller_event> out, long timeout_ms);
    // Readable when wait() should be asked, until it has answered EAGAIN. EINVAL: there is none, since no
    // socket in here is thread-safe. EMFILE...
    result<int> descriptor();

  private:
    struct entry {
        socket *waited;
        int descriptor;
        void *user_data;
        short events;
        std::shared_ptr<runtime::shared_mailbox> box; // of a thread-safe socket
        std::shared_ptr<socket_inbox> inbox;          // of any socket: it tells whether the socket is closed
        [[nodiscard]] bool closed() const noexcept { return inbox != nullptr && inbox->gone(); }
    };
    using entry_list = std::vector<entry>;

    entry_list::iterator find(const socket *waited, int descriptor) noexcept;
    result<entry_list::iterator> lookup(const socket *waited, int descriptor) noexcept;
    [[nodiscard]] bool prepare();
    result<std::size_t> wait_for(std::span<poller_event> out, long timeout_ms);
    void connect_signal(const entry &one);
    std::size_t report(std::span<poller_event> out) noexcept;

    static constexpr std::uint32_t living = 0x7A706F6C;
    std::uint32_t tag_ = living;
    entry_list entries_;
    std::unique_ptr<runtime::event_signal> signal_; // since descriptor() was asked for
    std::vector<poll_item> items_;                  // of the entries that have events
    std::vector<std::size_t> places_;               // of those entries
};

} // namespace zlink::core
