// SPDX-License-Identifier: MPL-2.0
// Setters of the options of the transport tls that are read when they are set. Seen by the table only.
//
// Threads: as option_table.hpp. Errors: those of transport/tls/pem.hpp, and nothing changed.
#pragma once

#include "core/option_rows.hpp"

namespace zlink::core {

// These three belong together. Endpoints that there are use them in their next handshakes once they fit.
result<void> set_tls_certificate(socket_options &options, value_bytes value);
result<void> set_tls_key(socket_options &options, value_bytes value);
result<void> set_tls_key_password(socket_options &options, value_bytes value);

result<void> set_tls_authorities(socket_options &options, value_bytes value);
result<void> set_tls_revocations(socket_options &options, value_bytes value);

} // namespace zlink::core
