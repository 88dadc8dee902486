// SPDX-License-Identifier: MPL-2.0
// zmq_setsockopt and zmq_getsockopt. Most options are values of the table; others act on the socket.
//
// Threads: the application thread in a call on the socket. Errors: errno numbers.
#pragma once

#include <cstddef>
#include <span>

#include "core/waiting_transfer.hpp"
#include "counters/snapshot.hpp"

namespace zlink::core {

result<void> set_socket_option(peer_list &peers, int option, std::span<const std::byte> value);
// Returns how many bytes of `out` have the value.
result<std::size_t> get_socket_option(peer_list &peers, waiting_transfer &transfers, int option,
                                      std::span<std::byte> out);

// Takes the counters of the socket and its peers. ENODATA: there was no room for them. Throws std::bad_alloc.
[[nodiscard]] result<counters::snapshot> take_stats(peer_list &peers);

} // namespace zlink::core
