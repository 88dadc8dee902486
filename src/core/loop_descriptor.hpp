// SPDX-License-Identifier: MPL-2.0
// loop_descriptor: what an event loop of the program watches for a socket (ZLINK_LOOP_FD). It is an epoll
// descriptor. It is readable while the mailbox rings, and while a stream that is the thread's to read has
// bytes. So no I/O thread stands between a peer and the loop.
//
// Threads: the application thread in a call on the socket. Ownership: it closes its descriptor. A loop that
// stays away for 10 to 20 ms loses its streams to the I/O threads, which ring the mailbox.
#pragma once

#include "base/result.hpp"
#include "direct_io/leased_streams.hpp"
#include "runtime/socket_mailbox.hpp"

namespace zlink::core {

class loop_descriptor {
  public:
    loop_descriptor() = default;
    ~loop_descriptor();
    loop_descriptor(const loop_descriptor &) = delete;
    loop_descriptor &operator=(const loop_descriptor &) = delete;

    // The loop is about to wait. Watches what there is to watch now. Returns the descriptor, which stays the
    // same; errors are those of eventfd(2) and epoll_create(2).
    [[nodiscard]] result<int> begin_wait(runtime::socket_mailbox &box,
                                         direct_io::leased_streams &streams) noexcept;
    // Has the loop left messages that are there? Then the I/O threads read on, up to the mark.
    void note(bool messages) noexcept { leaves_messages_ = messages; }
    // The loop looks at the socket, until the next begin_wait(): the mailbox need not ring.
    void end_wait(runtime::socket_mailbox &box) noexcept {
        if (epoll_ >= 0)
            box.ring_for_loop(false);
    }

  private:
    [[nodiscard]] result<void> make(runtime::socket_mailbox &box) noexcept;

    int epoll_ = -1;
    bool leaves_messages_ = false;
};

} // namespace zlink::core
