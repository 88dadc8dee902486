// SPDX-License-Identifier: MPL-2.0
#include "transport/udp_socket.hpp"

#include <cerrno>
#include <net/if.h>
#include <netinet/in.h>

#include "base/fork.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/socket_setup.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::transport {
namespace {

template <class Value> result<void> set(int descriptor, int level, int option, const Value &value) noexcept {
    if (::setsockopt(descriptor, level, option, &value, sizeof value) != 0)
        return error{errno};
    return {};
}

void hint(int descriptor, int level, int option, int value) noexcept {
    ::setsockopt(descriptor, level, option, &value, sizeof value);
}

// "[interface;]address:port"
struct udp_address {
    std::string interface; // empty: any
    tcp_host_port peer;
};

result<udp_address> parse_udp_address(std::string_view text) {
    udp_address parsed;
    if (const std::size_t semicolon = text.rfind(';'); semicolon != std::string_view::npos) {
        parsed.interface = text.substr(0, semicolon);
        text.remove_prefix(semicolon + 1);
        if (parsed.interface == "*")
            parsed.interface.clear();
    }
    auto peer = parse_tcp_host_port(text);
    if (!peer)
        return error{peer.code()};
    parsed.peer = *std::move(peer);
    return parsed;
}

// Returns the index of the interface with that name; 0 (any) for an empty name.
result<unsigned> interface_index(const std::string &name) noexcept {
    if (name.empty())
        return 0U;
    const unsigned index = if_nametoindex(name.c_str());
    return index != 0 ? result<unsigned>(index) : error{ENODEV};
}

// An interface is given by its name, or by an address it has.
result<ip_mreqn> membership_v4(const std::string &interface) {
    ip_mreqn made{};
    if (const auto index = interface_index(interface)) {
        made.imr_ifindex = static_cast<int>(*index);
        return made;
    }
    tcp_host_port by_address;
    by_address.host = interface;
    const auto address = resolve_tcp_bind(by_address, false);
    if (!address)
        return error{address.code()};
    made.imr_address = as_v4(*address).sin_addr;
    return made;
}

result<void> join(int descriptor, const socket_address &group, const std::string &interface) {
    if (group.family() == AF_INET6) {
        const auto index = interface_index(interface);
        if (!index)
            return error{index.code()};
        const ipv6_mreq request{as_v6(group).sin6_addr, *index};
        return set(descriptor, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, request);
    }
    auto request = membership_v4(interface);
    if (!request)
        return error{request.code()};
    request->imr_multiaddr = as_v4(group).sin_addr;
    return set(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, *request);
}

// How datagrams for groups leave.
result<void> prepare_sending(int descriptor, int family, const std::string &interface,
                             const socket_options &options) {
    const int loop = options.multicast_loop ? 1 : 0;
    if (family == AF_INET6) {
        const auto index = interface_index(interface);
        if (!index)
            return error{index.code()};
        hint(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, options.multicast_hops);
        hint(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, loop);
        return *index == 0 ? result<void>() : set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_IF, *index);
    }
    const auto chosen = membership_v4(interface);
    if (!chosen)
        return error{chosen.code()};
    hint(descriptor, IPPROTO_IP, IP_MULTICAST_TTL, options.multicast_hops);
    hint(descriptor, IPPROTO_IP, IP_MULTICAST_LOOP, loop);
    return interface.empty() ? result<void>() : set(descriptor, IPPROTO_IP, IP_MULTICAST_IF, *chosen);
}

void set_port(socket_address &changed, const socket_address &from) noexcept {
    if (changed.family() == AF_INET6)
        reinterpret_cast<sockaddr_in6 &>(changed.storage).sin6_port = as_v6(from).sin6_port;
    else
        reinterpret_cast<sockaddr_in &>(changed.storage).sin_port = as_v4(from).sin_port;
}

// The address that a receiver is bound to. A link-local IPv6 group cannot be bound without the number of the
// link. So receivers of IPv6 groups are bound to the port, and receive what is for the groups that they have
// joined.
socket_address bound_address(int descriptor, const socket_address &wanted) noexcept {
    if (wanted.family() != AF_INET6 || !is_multicast(wanted))
        return wanted;
    hint(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    hint(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
    socket_address any = wanted;
    reinterpret_cast<sockaddr_in6 &>(any.storage).sin6_addr = in6addr_any;
    return any;
}

} // namespace

bool is_multicast(const socket_address &address) noexcept {
    if (address.family() == AF_INET6)
        return IN6_IS_ADDR_MULTICAST(&as_v6(address).sin6_addr) != 0;
    return IN_MULTICAST(ntohl(as_v4(address).sin_addr.s_addr));
}

result<udp_socket> open_udp_receiver(const std::string &text, const socket_options &options) {
    const auto wanted = parse_udp_address(text);
    if (!wanted)
        return error{wanted.code()};
    const auto address = resolve_tcp_bind(wanted->peer, options.ipv6);
    if (!address)
        return error{address.code()};
    const auto opened = open_socket(SOCK_DGRAM, address->family(), options);
    if (!opened)
        return error{opened.code()};
    descriptor_guard guard(*opened);
    const bool group = is_multicast(*address);
    if (group) // others on this machine may be members too
        hint(guard.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    const socket_address bound = bound_address(guard.get(), *address);
    if (::bind(guard.get(), bound.data(), bound.size) != 0)
        return error{errno};
    if (group)
        if (const auto joined = join(guard.get(), *address, wanted->interface); !joined)
            return error{joined.code()};
    const auto own = own_address(guard.get());
    if (!own)
        return error{own.code()};
    socket_address named = *address;
    set_port(named, *own);
    withhold_from_children(guard.get());
    return udp_socket{guard.release(), "udp://" + datagram_address_text(named), {}};
}

result<udp_socket> open_udp_sender(const std::string &text, const socket_options &options) {
    const auto wanted = parse_udp_address(text);
    if (!wanted)
        return error{wanted.code()};
    const auto numeric = resolve_tcp_numeric(wanted->peer, options.ipv6);
    if (!numeric)
        return error{numeric.code()};
    const auto target =
        *numeric ? result<socket_address>(**numeric) : resolve_tcp_now(wanted->peer, options.ipv6);
    if (!target)
        return error{target.code()};
    const auto opened = open_socket(SOCK_DGRAM, target->family(), options);
    if (!opened)
        return error{opened.code()};
    descriptor_guard guard(*opened);
    if (is_multicast(*target))
        if (const auto ready = prepare_sending(guard.get(), target->family(), wanted->interface, options);
            !ready)
            return error{ready.code()};
    withhold_from_children(guard.get());
    return udp_socket{guard.release(), "udp://" + text, *target};
}

std::string datagram_address_text(const socket_address &address) {
    constexpr std::size_t scheme_length = 6; // "tcp://"
    return tcp_endpoint_text(address).substr(scheme_length);
}

std::optional<socket_address> parse_datagram_address(std::string_view text, int family) {
    const auto parsed = parse_tcp_host_port(text);
    if (!parsed)
        return std::nullopt;
    const auto numeric = resolve_tcp_numeric(*parsed, family == AF_INET6);
    if (!numeric || !*numeric)
        return std::nullopt;
    if ((*numeric)->family() == family)
        return **numeric;
    const auto mapped = resolve_tcp_bind(*parsed, family == AF_INET6); // IPv4 for a socket of both families
    return mapped && mapped->family() == family ? std::optional(*mapped) : std::nullopt;
}

} // namespace zlink::transport
