// SPDX-License-Identifier: MPL-2.0
// From the text of a tcp address to socket addresses and back.
//
// Threads: every function may be called from every thread. resolve_tcp_bind() may ask the system's resolver
// and block, as zmq_bind does; the others do not block.
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket_address.hpp"

#include <optional>
#include <string>

namespace zlink::transport {

// For bind, and for the source of a connect: "*", a numeric address, the name of an interface, or a host
// name. With `ipv6` both families are taken, IPv6 preferred for "*"; without, IPv4 only. ENODEV: an interface
// or host that is not there.
result<socket_address> resolve_tcp_bind(const tcp_host_port &address, bool ipv6);

// For connect: the address if it is numeric; nothing if it is a name, to be looked up later (and by family:
// unspecified with `ipv6`, else IPv4 only). EINVAL: can never be an address or a name.
result<std::optional<socket_address>> resolve_tcp_numeric(const tcp_host_port &address, bool ipv6);

// The same address with another port (0 to 65535, host order).
[[nodiscard]] socket_address with_port(socket_address address, std::uint16_t port) noexcept;
[[nodiscard]] std::uint16_t port_of(const socket_address &address) noexcept;

// "tcp://127.0.0.1:5555", "tcp://[::1]:5555": the form of ZMQ_LAST_ENDPOINT.
[[nodiscard]] std::string tcp_endpoint_text(const socket_address &address);

} // namespace zlink::transport
