// SPDX-License-Identifier: MPL-2.0
// Waiting for several sockets and descriptors at once: zmq_poll, zmq_ppoll, and the pollers of poller.hpp.
//
// Threads: the caller's; it owns the sockets for the time of the call. Sockets alone are waited for without a
// descriptor.
#pragma once

#include <csignal>
#include <span>

#include "base/result.hpp"
#include "core/socket.hpp"

namespace zlink::core {

struct poll_item {
    socket *waited; // or null
    int descriptor; // when there is no socket
    short events;
    short ready;
    std::size_t streams; // the wait's: of the socket, watched in this sleep
    bool shared;         // the wait's: many threads use the socket, and one may close it
};

// Fills `ready` and returns the number of items with something. 0: the time is over. EINTR, ETERM, EBADF...
// `mask`: the signal mask of the thread while it waits, as ppoll(2) has it: a signal that is pending then
// ends the wait.
result<int> poll(std::span<poll_item> items, long timeout_ms, const sigset_t *mask = nullptr);

} // namespace zlink::core
