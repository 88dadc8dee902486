// SPDX-License-Identifier: MPL-2.0
// Waiting for several sockets and descriptors at once, and what is built on it: zmq_poll and zmq_proxy.
//
// Threads: the caller's; it owns the sockets for the time of the call. Sockets alone are waited for without a
// descriptor.
#pragma once

#include <span>

#include "base/result.hpp"
#include "core/socket.hpp"

namespace zlink::core {

struct poll_item {
    socket *waited; // or null
    int descriptor; // when there is no socket
    short events;
    short ready;
};

// Fills `ready` and returns the number of items with something. 0: the time is over. EINTR, ETERM, EBADF...
result<int> poll(std::span<poll_item> items, long timeout_ms);

// Passes messages between two sockets in both directions until one gives an error, which is returned (ETERM
// in the end). `capture` may be null; it gets a copy of every message.
int proxy(socket &front, socket &back, socket *capture);

} // namespace zlink::core
