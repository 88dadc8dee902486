// SPDX-License-Identifier: MPL-2.0
// From the text of an ipc address to socket addresses and back.
//
// Threads: every function may be called from every thread.
#pragma once

#include "base/result.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket_address.hpp"

#include <string>
#include <string_view>

namespace zlink::transport {

// A wildcard makes a directory of its own below the first directory of $TMPDIR, $TEMPDIR and $TMP, else below
// the current one. The caller unlinks an old socket at the path before it binds, as the API has it.
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
