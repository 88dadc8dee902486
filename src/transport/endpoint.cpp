// SPDX-License-Identifier: MPL-2.0
#include "transport/endpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <sys/un.h>

namespace zlink::transport {

namespace {

constexpr bool is_digit(char character) noexcept {
    return character >= '0' && character <= '9';
}

constexpr bool is_alphanumeric(char character) noexcept {
    return is_digit(character) || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z');
}

// The number that the text begins with, after blanks and a plus sign; what follows it is ignored.
result<std::uint16_t> leading_port(std::string_view text) noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc{} || port == 0) {
        return error{EINVAL};
    }
    return port;
}

result<std::uint16_t> parse_port(std::string_view text) noexcept {
    return text == "*" || text == "0" ? result<std::uint16_t>(std::uint16_t{0}) : leading_port(text);
}

result<ipc_name> parse_ipc(std::string_view address) {
    if (address.size() >= sizeof(sockaddr_un::sun_path)) {
        return error{ENAMETOOLONG};
    }
    if (address.empty() || address == "@") {
        return error{EINVAL};
    }
    if (address.front() == '@') {
        return ipc_name{ipc_kind::abstract, std::string(address.substr(1))};
    }
    return ipc_name{ipc_kind::path, std::string(address)};
}

} // namespace

const char *to_string(ipc_kind kind) noexcept {
    switch (kind) {
    case ipc_kind::path:
        return "path";
    case ipc_kind::abstract:
        return "abstract";
    case ipc_kind::wildcard:
        return "wildcard";
    }
    return "?";
}

result<tcp_host_port> parse_tcp_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return error{EINVAL};
    }
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) {
        return error{port.code()};
    }
    std::string_view host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    tcp_host_port parsed;
    parsed.port = *port;
    const std::size_t percent = host.rfind('%');
    if (percent != std::string_view::npos) {
        parsed.scoped = true;
        parsed.scope = host.substr(percent + 1);
        host = host.substr(0, percent);
    }
    parsed.host = host;
    return parsed;
}

result<tcp_pair> parse_tcp_address(std::string_view address) {
    tcp_pair parsed;
    const std::size_t semicolon = address.rfind(';');
    if (semicolon != std::string_view::npos) {
        auto source = parse_tcp_host_port(address.substr(0, semicolon));
        if (!source) {
            return error{source.code()};
        }
        parsed.source = *std::move(source);
        address.remove_prefix(semicolon + 1);
    }
    auto peer = parse_tcp_host_port(address);
    if (!peer) {
        return error{peer.code()};
    }
    parsed.peer = *std::move(peer);
    return parsed;
}

// Letters, digits and a few signs, beginning like a host or a bracket, with a digit after the last colon.
result<void> check_tcp_connect(std::string_view address) noexcept {
    constexpr std::string_view first_signs = "[:";
    constexpr std::string_view signs = "-.:%;[]_*";
    const auto known = [](std::string_view extra) {
        return [extra](char character) {
            return is_alphanumeric(character) || extra.find(character) != std::string_view::npos;
        };
    };
    if (address.empty() || !known(first_signs)(address.front()) ||
        !std::ranges::all_of(address, known(signs))) {
        return error{EINVAL};
    }
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == address.size() || !is_digit(address[colon + 1])) {
        return error{EINVAL};
    }
    return {};
}

result<ipc_name> parse_ipc_bind(std::string_view address) {
    if (address.starts_with('*')) {
        return ipc_name{ipc_kind::wildcard, {}};
    }
    return parse_ipc(address);
}

result<ipc_name> parse_ipc_connect(std::string_view address) {
    return parse_ipc(address);
}

} // namespace zlink::transport
