// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_address.hpp"

#include <algorithm>
#include <cerrno>

namespace zlink::transport {

std::string tcp_part(std::string_view address) {
    return std::string(address.substr(0, address.find('/')));
}

std::string path_part(std::string_view address) {
    const std::size_t slash = address.find('/');
    return slash == std::string_view::npos ? std::string("/") : std::string(address.substr(slash));
}

result<ws_address> parse_ws_address(std::string_view address) {
    ws_address parsed{tcp_part(address), path_part(address)};
    const bool good = std::ranges::all_of(
        parsed.path, [](char letter) { return letter > ' ' && letter < 0x7F && letter != '#'; });
    if (!good || parsed.tcp.empty())
        return error{EINVAL};
    return parsed;
}

} // namespace zlink::transport
