// SPDX-License-Identifier: MPL-2.0
#include "transport/tcp_address.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

namespace zlink::transport {

namespace {

using addrinfo_list = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;
using interface_list = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

socket_address copy_address(const sockaddr *from, socklen_t size) noexcept {
    socket_address address;
    std::memcpy(&address.storage, from, size);
    address.size = size;
    return address;
}

// All forms the system takes as numbers, "127.1" and "0x7f.1" among them. Never asks a server.
std::optional<socket_address> numeric_address(const std::string &host, int family, int flags) {
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | flags;
    addrinfo *found = nullptr;
    if (host.empty() || getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
        return std::nullopt;
    }
    const addrinfo_list owner(found, &freeaddrinfo);
    return copy_address(found->ai_addr, found->ai_addrlen);
}

std::optional<socket_address> numeric_bind_address(const std::string &host, bool ipv6) {
    return ipv6 ? numeric_address(host, AF_INET6, AI_V4MAPPED) : numeric_address(host, AF_INET, 0);
}

std::optional<socket_address> interface_address(const std::string &name, bool ipv6) {
    ifaddrs *found = nullptr;
    if (getifaddrs(&found) != 0) {
        return std::nullopt;
    }
    const interface_list owner(found, &freeifaddrs);
    const int family = ipv6 ? AF_INET6 : AF_INET;
    for (const ifaddrs *entry = found; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family && name == entry->ifa_name) {
            return copy_address(entry->ifa_addr, ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
        }
    }
    return std::nullopt;
}

socket_address any_address(bool ipv6) noexcept {
    socket_address address;
    address.storage.ss_family = ipv6 ? AF_INET6 : AF_INET;
    address.size = ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    return address;
}

// An interface by name, else by number. 0: there is none.
std::uint32_t scope_number(const std::string &scope) noexcept {
    const std::uint32_t index = if_nametoindex(scope.c_str());
    return index != 0 ? index : static_cast<std::uint32_t>(std::strtol(scope.c_str(), nullptr, 10));
}

result<std::uint32_t> resolve_scope(const tcp_host_port &address) noexcept {
    if (!address.scoped) {
        return std::uint32_t{0};
    }
    const std::uint32_t scope = scope_number(address.scope);
    return scope != 0 ? result<std::uint32_t>(scope) : error{EINVAL};
}

// Only addresses of one link have a scope; the system forgets that of others.
bool has_scope(const socket_address &address) noexcept {
    if (address.family() != AF_INET6) {
        return false;
    }
    const in6_addr &number = as_v6(address).sin6_addr;
    return IN6_IS_ADDR_LINKLOCAL(&number) != 0 || IN6_IS_ADDR_MC_LINKLOCAL(&number) != 0;
}

socket_address finish(socket_address address, const tcp_host_port &from, std::uint32_t scope) noexcept {
    if (address.family() == AF_INET6) { // the resolver takes a second scope from the host's name
        std::uint32_t &known = as_v6(address).sin6_scope_id;
        known = !has_scope(address) ? 0 : scope != 0 ? scope : known;
    }
    return with_port(address, from.port);
}

struct address_bits {
    std::array<std::uint8_t, 16> bytes{};
    unsigned size = 0; // bits
};

// IPv4 addresses come as 32 bits, in both of their forms.
address_bits bits_of(const socket_address &address) noexcept {
    address_bits bits;
    if (address.family() == AF_INET) {
        std::memcpy(bits.bytes.data(), &as_v4(address).sin_addr, 4);
        bits.size = 32;
        return bits;
    }
    const in6_addr &from = as_v6(address).sin6_addr;
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&from) != 0;
    std::memcpy(bits.bytes.data(), from.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
    bits.size = mapped ? 32 : 128;
    return bits;
}

// The number of bits after the '/'. "0" is written so; other texts begin with a number above 0.
result<unsigned> parse_filter_bits(std::string_view text, unsigned most) noexcept {
    if (text == "0") {
        return 0U;
    }
    const std::string digits(text);
    const long number = std::strtol(digits.c_str(), nullptr, 10);
    return number > 0 && number <= static_cast<long>(most) ? result<unsigned>(static_cast<unsigned>(number))
                                                           : error{EINVAL};
}

} // namespace

result<socket_address> resolve_tcp_bind(const tcp_host_port &address, bool ipv6) {
    const auto scope = resolve_scope(address);
    if (!scope) {
        return error{scope.code()};
    }
    if (address.host == "*") {
        return finish(any_address(ipv6), address, 0);
    }
    auto found = interface_address(address.host, ipv6);
    if (!found) {
        found = numeric_bind_address(address.host, ipv6);
    }
    if (!found) {
        return error{ENODEV};
    }
    return finish(*found, address, *scope);
}

result<socket_address> resolve_tcp_bind(std::string_view address, bool ipv6) {
    const auto parsed = parse_tcp_address(address);
    if (!parsed) {
        return error{parsed.code()};
    }
    if (parsed->source) {
        const auto source = resolve_tcp_bind(*parsed->source, ipv6);
        if (!source) {
            return error{source.code()};
        }
    }
    return resolve_tcp_bind(parsed->peer, ipv6);
}

result<std::optional<socket_address>> resolve_tcp_numeric(const tcp_host_port &address, bool ipv6) {
    const auto scope = resolve_scope(address);
    if (!scope || address.port == 0 || address.host.empty() || address.host == "*") {
        return error{EINVAL};
    }
    const auto found = numeric_address(address.host, AF_UNSPEC, 0);
    if (!found) {
        return std::optional<socket_address>();
    }
    const bool mapped = found->family() == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&as_v6(*found).sin6_addr) != 0;
    if (found->family() == AF_INET6 && !ipv6 && !mapped) {
        return error{EINVAL};
    }
    return std::optional(finish(mapped && !ipv6 ? unmapped(*found) : *found, address, *scope));
}

socket_address unmapped(const socket_address &address) noexcept {
    if (address.family() != AF_INET6 || IN6_IS_ADDR_V4MAPPED(&as_v6(address).sin6_addr) == 0) {
        return address;
    }
    socket_address plain = any_address(false);
    std::memcpy(&as_v4(plain).sin_addr, as_v6(address).sin6_addr.s6_addr + 12, 4);
    return with_port(plain, port_of(address));
}

bool is_loopback(const socket_address &address) noexcept {
    const socket_address plain = unmapped(address);
    if (plain.family() == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&as_v6(plain).sin6_addr) != 0;
    return plain.family() == AF_INET && ntohl(as_v4(plain).sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
}

result<socket_address> resolve_tcp_now(const tcp_host_port &address, bool ipv6) {
    addrinfo hints{};
    hints.ai_family = ipv6 ? AF_INET6 : AF_INET;
    hints.ai_flags = ipv6 ? AI_V4MAPPED : 0;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0)
        return error{ENODEV};
    socket_address resolved;
    std::memcpy(&resolved.storage, found->ai_addr, found->ai_addrlen);
    resolved.size = found->ai_addrlen;
    freeaddrinfo(found);
    return resolved;
}

socket_address with_port(socket_address address, std::uint16_t port) noexcept {
    if (address.family() == AF_INET6) {
        as_v6(address).sin6_port = htons(port);
    } else {
        as_v4(address).sin_port = htons(port);
    }
    return address;
}

std::uint16_t port_of(const socket_address &address) noexcept {
    return ntohs(address.family() == AF_INET6 ? as_v6(address).sin6_port : as_v4(address).sin_port);
}

std::string tcp_endpoint_text(const socket_address &address) {
    std::array<char, NI_MAXHOST> host{};
    if (getnameinfo(address.data(), address.size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) !=
        0) {
        return {};
    }
    const std::string port = ":" + std::to_string(port_of(address));
    return address.family() == AF_INET6 ? "tcp://[" + std::string(host.data()) + "]" + port
                                        : "tcp://" + std::string(host.data()) + port;
}

bool tcp_filter::accepts(const socket_address &peer) const noexcept {
    const address_bits wanted = bits_of(address);
    const address_bits got = bits_of(peer);
    if (wanted.size != got.size) {
        return false;
    }
    for (unsigned bit = 0; bit < std::min(bits, wanted.size); ++bit) {
        const unsigned difference = static_cast<unsigned>(wanted.bytes[bit / 8] ^ got.bytes[bit / 8]);
        if ((difference & (0x80U >> (bit % 8))) != 0) {
            return false;
        }
    }
    return true;
}

result<tcp_filter> parse_tcp_filter(std::string_view text, bool ipv6) {
    const std::size_t slash = text.rfind('/');
    std::string_view host = text.substr(0, slash);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    const auto address = numeric_bind_address(std::string(host), ipv6);
    if (!address) {
        return error{EINVAL};
    }
    const unsigned most = ipv6 ? 128 : 32;
    const auto bits = slash == std::string_view::npos ? result<unsigned>(most)
                                                      : parse_filter_bits(text.substr(slash + 1), most);
    return bits ? result<tcp_filter>(tcp_filter{*address, *bits}) : error{bits.code()};
}

} // namespace zlink::transport
