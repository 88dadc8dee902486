// SPDX-License-Identifier: MPL-2.0
// proxy: zmq_proxy and zmq_proxy_steerable: passes whole messages between two sockets in both directions.
//
// Threads: the caller's; it owns the sockets for the time of the call. Ownership: none.
// Control: a message of one frame, PAUSE, RESUME, TERMINATE or STATISTICS; others are not obeyed. The answer
// to STATISTICS has eight frames of 64 bits in native order. They count the messages and bytes received and
// sent by the front socket, then by the back socket. A control socket that has to answer (REP) gives an empty
// message to everything else. A controller that does not read never blocks the proxy.
#pragma once

#include "core/socket.hpp"

namespace zlink::core {

struct proxy_sockets {
    socket &front;
    socket &back;
    socket *capture = nullptr; // gets a copy of every message
    socket *control = nullptr;
};

// Runs until one of the sockets gives an error, which is returned (ETERM in the end), or until TERMINATE: 0.
int run_proxy(const proxy_sockets &sockets);

} // namespace zlink::core
