// SPDX-License-Identifier: MPL-2.0
// Sockets for datagrams: to receive at an address or from a multicast group, to send to one. zmq_udp(7).
//
// Threads: any. Ownership: descriptors are returned to the caller, non-blocking and close-on-exec.
// Errors: the errno of the system; EINVAL, ENODEV for addresses as in tcp_address.hpp.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "transport/socket_address.hpp"

namespace zlink::transport {

struct udp_socket {
    int descriptor = -1;
    std::string endpoint;  // as ZMQ_LAST_ENDPOINT gives it
    socket_address target; // of one that sends to one address only; size 0: none
};

// "[interface;]address:port": the interface says where a group is joined, and is nothing to other addresses.
result<udp_socket> open_udp_receiver(const std::string &address, const socket_options &options);
// The interface is that by which the datagrams leave. The name service may be asked, and waited for.
result<udp_socket> open_udp_sender(const std::string &address, const socket_options &options);

[[nodiscard]] bool is_multicast(const socket_address &address) noexcept;

// An address as the first frame of a DGRAM message: "127.0.0.1:5555", "[::1]:5555".
[[nodiscard]] std::string datagram_address_text(const socket_address &address);
// The other way round, for a socket of that family. Nothing: it is not numeric, or of another family.
[[nodiscard]] std::optional<socket_address> parse_datagram_address(std::string_view text, int family);

} // namespace zlink::transport
