// SPDX-License-Identifier: MPL-2.0
// The events that a socket tells its monitor, and the beginning and end of a monitor (zmq_socket_monitor).
//
// Threads: the application thread in a call on the socket. Errors: errno numbers.
#pragma once

#include <cstdint>
#include <string>

#include "core/endpoint_table.hpp"
#include "core/peer_list.hpp"

namespace zlink::core {

class context;

// From now on the events go to an inproc endpoint. A monitor that is there stops.
result<void> start_monitor(context &owner, peer_list &peers, const std::string &endpoint,
                           std::uint64_t events, int version, int type);
result<void> stop_monitor(peer_list &peers);
// Tells it how much waits in the pipes. EINVAL: there is no monitor for it. EAGAIN: there is no pipe.
result<void> report_pipes(peer_list &peers, const endpoint_table &endpoints);
// An event of a bind. Without memory it is left out.
void tell_of_bind(socket_inbox &inbox, connections::event_kind kind, int value,
                  const std::string &local) noexcept;
// The last that is heard of the socket: its listeners end later, when nobody listens to them.
void end_monitor(socket_inbox &inbox, const endpoint_table &endpoints) noexcept;

} // namespace zlink::core
