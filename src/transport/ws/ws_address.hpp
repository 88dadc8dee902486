// SPDX-License-Identifier: MPL-2.0
// The addresses of ws and wss, as they follow "scheme://": "host:port" as of tcp, and a path behind it.
//
// Threads: pure functions. Errors: EINVAL.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace zlink::transport {

struct ws_address {
    std::string tcp;        // as tcp has it
    std::string path = "/"; // begins with '/'; may have a query behind '?'
};

// EINVAL: the path has a blank, a control character, a letter beyond ASCII, or '#'.
result<ws_address> parse_ws_address(std::string_view address);
// For callers whose address has passed already.
[[nodiscard]] std::string tcp_part(std::string_view address);
[[nodiscard]] std::string path_part(std::string_view address);

} // namespace zlink::transport
