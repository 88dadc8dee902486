// SPDX-License-Identifier: MPL-2.0
// The address forms of tcp and ipc, as they follow "scheme://" in an endpoint. Looks nothing up.
//
// Threads: pure functions. Errors: the errno that zmq_bind and zmq_connect give at once.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zlink::transport {

// One side of a tcp address.
struct tcp_host_port {
    std::string host;  // without brackets and scope; "*" is any address (bind only)
    std::string scope; // what follows '%': an interface, by name or number
    bool scoped = false;
    std::uint16_t port = 0; // 0: the system chooses (bind and source only)
};

struct tcp_pair {
    std::optional<tcp_host_port> source; // "source;peer"; bind checks and then ignores it
    tcp_host_port peer;
};

// "host:port". EINVAL: no port, or a port that is neither "*", "0" nor begins with a number from 1 to 65535.
result<tcp_host_port> parse_tcp_host_port(std::string_view text);

// "[source;]host:port". EINVAL as above.
result<tcp_pair> parse_tcp_address(std::string_view address);

// Returns the errors that zmq_connect gives at once (EINVAL). An address may pass and still fail in
// parse_tcp_address() or when it is resolved: zmq_connect then succeeds, and the connection never comes to
// be.
result<void> check_tcp_connect(std::string_view address) noexcept;

enum class ipc_kind : unsigned char { path, abstract, wildcard };

[[nodiscard]] const char *to_string(ipc_kind kind) noexcept;

struct ipc_name {
    ipc_kind kind = ipc_kind::path;
    std::string name; // a path, or an abstract name without its '@'; empty for the wildcard
};

// ENAMETOOLONG: does not fit a socket address. EINVAL: empty. Only bind knows the wildcard (a leading '*').
result<ipc_name> parse_ipc_bind(std::string_view address);
result<ipc_name> parse_ipc_connect(std::string_view address);

} // namespace zlink::transport
