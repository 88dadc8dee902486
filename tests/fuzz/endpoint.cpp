// SPDX-License-Identifier: MPL-2.0
// Endpoints, and the other texts that name addresses. The first byte chooses the type of the socket and
// whether IPv6 is on, the rest is the text. An accepted endpoint has the same text when it is written again.
#include "require.hpp"

#include "transport/endpoint.hpp"
#include "transport/ipc_address.hpp"
#include "transport/tcp_address.hpp"
#include "transport/transports.hpp"

#include <cstring>

using namespace zlink;
using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

bool same(const socket_address &a, const socket_address &b) {
    return a.size == b.size && std::memcmp(&a.storage, &b.storage, a.size) == 0;
}

std::string address_in_tcp(const std::string &text) {
    const auto parsed = parse_endpoint(text, socket_type::pair);
    require(parsed && parsed->transport == find_transport("tcp"));
    return parsed->address;
}

void check_host_port(const tcp_host_port &parsed) {
    const std::string scope = parsed.scoped ? "%" + parsed.scope : "";
    const auto again = parse_tcp_host_port("[" + parsed.host + scope + "]:" + std::to_string(parsed.port));
    require(again && again->host == parsed.host && again->scope == parsed.scope &&
            again->scoped == parsed.scoped && again->port == parsed.port);
}

void check_bind(const tcp_host_port &parsed, bool ipv6) {
    const auto resolved = resolve_tcp_bind(parsed, ipv6);
    if (!resolved)
        return;
    require(resolved->family() == (ipv6 ? AF_INET6 : AF_INET) && port_of(*resolved) == parsed.port);
    const auto again = resolve_tcp_bind(address_in_tcp(tcp_endpoint_text(*resolved)), ipv6);
    require(again && same(*again, *resolved));
}

void check_numeric(const tcp_host_port &parsed, bool ipv6) {
    const auto resolved = resolve_tcp_numeric(parsed, ipv6);
    if (!resolved || !*resolved)
        return;
    const socket_address &address = **resolved;
    require((ipv6 || address.family() == AF_INET) && port_of(address) == parsed.port && parsed.port != 0);
    const auto text = parse_tcp_host_port(address_in_tcp(tcp_endpoint_text(address)));
    require(static_cast<bool>(text));
    const auto again = resolve_tcp_numeric(*text, ipv6);
    require(again && *again && same(**again, address));
}

void check_tcp(std::string_view address, bool ipv6) {
    if (check_tcp_connect(address))
        require(!address.empty() && address.find_first_of("/@ ") == std::string_view::npos);
    const auto parsed = parse_tcp_address(address);
    if (!parsed)
        return;
    for (const tcp_host_port *side : {&parsed->peer, parsed->source ? &*parsed->source : nullptr})
        if (side != nullptr) {
            check_host_port(*side);
            check_bind(*side, ipv6);
            check_numeric(*side, ipv6);
        }
}

void check_ipc(const std::string &address) {
    const auto called = parse_ipc_connect(address);
    if (called) {
        const auto resolved = resolve_ipc_connect(*called);
        require(resolved && ipc_endpoint_text(*resolved) == "ipc://" + address);
    }
    const auto bound = parse_ipc_bind(address);
    if (!bound || bound->kind == ipc_kind::wildcard) // which makes a directory
        return;
    const auto target = resolve_ipc_bind(*bound);
    require(called && target && ipc_endpoint_text(target->address) == "ipc://" + address);
    require(target->path.empty() == (bound->kind == ipc_kind::abstract));
}

void check_filter(std::string_view text, bool ipv6) {
    if (const auto filter = parse_tcp_filter(text, ipv6)) {
        require(filter->accepts(filter->address));
        require(filter->bits <= (ipv6 ? 128U : 32U));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const bool ipv6 = (data[0] & 1) != 0;
    const auto type = static_cast<socket_type>(data[0] / 2 % 21);
    const std::string whole(reinterpret_cast<const char *>(data) + 1, size - 1);
    const std::string text = whole.substr(0, whole.find('\0'));
    check_filter(text, ipv6);
    const auto parsed = parse_endpoint(text, type);
    if (!parsed)
        return 0;
    require(!parsed->address.empty());
    require(text == text_of(*parsed));
    if (parsed->transport->over_tcp || parsed->kind() == transport_kind::datagrams)
        check_tcp(parsed->address, ipv6); // udp: "[interface;]address:port"
    else if (parsed->transport == find_transport("ipc"))
        check_ipc(parsed->address);
    return 0;
}
