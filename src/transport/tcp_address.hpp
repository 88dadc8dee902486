// SPDX-License-Identifier: MPL-2.0
// From the text of a tcp address to socket addresses and back.
//
// Threads: every function may be called from every thread. None asks a name server: names of hosts are left
// to an asynchronous resolver; names of interfaces are looked up here.
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket_address.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::transport {

// For bind: "*", a numeric address, or the name of an interface; host names are refused, as zmq_bind does.
// With `ipv6` the result is an IPv6 address (IPv4 as ::ffff:a.b.c.d) and interfaces give their first IPv6
// address; without, IPv4 only. ENODEV: no such interface or address; EINVAL: no such scope.
// For the source of a connect: the same, with `ipv6` telling whether the peer's address is IPv6.
result<socket_address> resolve_tcp_bind(const tcp_host_port &address, bool ipv6);

// The whole address part of a bind endpoint, "[source;]host:port". EINVAL as parse_tcp_address() too.
result<socket_address> resolve_tcp_bind(std::string_view address, bool ipv6);

// For connect: returns the address if it is numeric. Else returns nothing: the host is a name, to be looked
// up later (any family with `ipv6`, else IPv4 only). EINVAL: can never be reached (no host, wildcard, port 0,
// unknown scope, IPv6 without `ipv6`).
result<std::optional<socket_address>> resolve_tcp_numeric(const tcp_host_port &address, bool ipv6);

// For the few calls that must know at once: asks the name service, and waits for it. ENODEV: unknown. With
// `ipv6` the result is an IPv6 address, as that of a bind.
result<socket_address> resolve_tcp_now(const tcp_host_port &address, bool ipv6);

// Returns the address with another port (0 to 65535, host order).
[[nodiscard]] socket_address with_port(socket_address address, std::uint16_t port) noexcept;
[[nodiscard]] std::uint16_t port_of(const socket_address &address) noexcept;

// IPv4 that came as ::ffff:a.b.c.d (from a socket that takes both families) as plain IPv4; others as they
// are.
[[nodiscard]] socket_address unmapped(const socket_address &address) noexcept;
// Returns true for addresses of the loopback device.
[[nodiscard]] bool is_loopback(const socket_address &address) noexcept;

// "tcp://127.0.0.1:5555", "tcp://[::1]:5555": the form of ZMQ_LAST_ENDPOINT.
[[nodiscard]] std::string tcp_endpoint_text(const socket_address &address);

// ZMQ_TCP_ACCEPT_FILTER: addresses that share the first bits.
struct tcp_filter {
    socket_address address;
    unsigned bits;

    [[nodiscard]] bool accepts(const socket_address &peer) const noexcept;
};

// "address" or "address/bits". EINVAL: not numeric, or too many bits.
result<tcp_filter> parse_tcp_filter(std::string_view text, bool ipv6);

} // namespace zlink::transport
