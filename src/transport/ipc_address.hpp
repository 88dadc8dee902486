// SPDX-License-Identifier: MPL-2.0
// From the text of an ipc address to socket addresses and back.
//
// Threads: every function may be called from every thread.
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket_address.hpp"

#include <string>

namespace zlink::transport {

// A wildcard makes a directory of its own below $TMPDIR, $TEMPDIR, $TMP or /tmp.
struct ipc_bind_target {
    socket_address address;
    std::string path;      // to be unlinked when the listener closes; empty for an abstract name
    std::string directory; // to be removed after it; empty unless made for a wildcard
};

result<ipc_bind_target> resolve_ipc_bind(const ipc_name &name);

// EINVAL: a wildcard.
result<socket_address> resolve_ipc_connect(const ipc_name &name);

// "ipc:///path" or "ipc://@name": the form of ZMQ_LAST_ENDPOINT.
[[nodiscard]] std::string ipc_endpoint_text(const socket_address &address);

} // namespace zlink::transport
