// SPDX-License-Identifier: MPL-2.0
// What a socket says to a new peer of itself: ZMQ_PROBE_ROUTER (zmq_setsockopt(3)). ZMQ_HELLO_MSG is said by
// the connection, or where inproc ends are joined.
//
// Threads: the pattern's. The message takes no heed of the high-water mark.
#pragma once

#include "base/socket_options.hpp"
#include "pipe/pipe.hpp"

namespace zlink::patterns {

// With ZMQ_PROBE_ROUTER: an empty message, which tells a ROUTER the routing id of this socket.
void probe(pipe_end &end, const socket_options &options);

} // namespace zlink::patterns
