// SPDX-License-Identifier: MPL-2.0
// What a socket says to a new peer of itself: ZMQ_PROBE_ROUTER and ZMQ_HELLO_MSG (zmq_setsockopt(3)).
//
// Threads: the pattern's. These messages take no heed of the high-water mark.
#pragma once

#include "base/socket_options.hpp"
#include "lane/pipe.hpp"

namespace zlink::patterns {

// With ZMQ_PROBE_ROUTER: an empty message, which tells a ROUTER the routing id of this socket.
void probe(pipe_end &end, const socket_options &options);
// With ZMQ_HELLO_MSG: that message, to every new connection. Not in the middle of a message, and not while
// the last one still waits, which this connection then gets.
void say_hello(pipe_end &end, const socket_options &options);

} // namespace zlink::patterns
