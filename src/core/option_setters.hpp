// SPDX-License-Identifier: MPL-2.0
// Setters and getters of the options that are more than one plain member. Seen by the table only.
//
// Threads: as option_table.hpp. Errors: EINVAL, and nothing changed.
#pragma once

#include "core/option_rows.hpp"

namespace zlink::core {

// May a topic be subscribed to here? SUB: always; publishers: in manual mode.
result<void> check_subscription(socket_options &options, value_bytes topic);

result<void> set_ipv4_only(socket_options &options, value_bytes value);
result<void> set_heartbeat_ttl(socket_options &options, value_bytes value);
result<void> set_xpub_verbose(socket_options &options, value_bytes value);
result<void> set_xpub_verboser(socket_options &options, value_bytes value);
result<void> set_xpub_manual_last_value(socket_options &options, value_bytes value);
// EINVAL, too, if the type of the socket has no use for the policy.
result<void> set_send_policy(socket_options &options, value_bytes value);
result<void> set_xpub_no_drop(socket_options &options, value_bytes value);
result<void> set_receive_policy(socket_options &options, value_bytes value);
// Takes a value of any size: libzmq looks at its first byte only.
result<void> set_xsub_verbose_unsubscribe(socket_options &options, value_bytes value);

// These choose the mechanism too.
result<void> set_plain_server(socket_options &options, value_bytes value);
result<void> set_plain_username(socket_options &options, value_bytes value);
result<void> set_plain_password(socket_options &options, value_bytes value);
result<void> set_curve_server(socket_options &options, value_bytes value);
result<void> set_curve_public_key(socket_options &options, value_bytes value);
result<void> set_curve_secret_key(socket_options &options, value_bytes value);
result<void> set_curve_server_key(socket_options &options, value_bytes value); // and makes it a client

// Wipes the password that was set before.
result<void> set_socks_password(socket_options &options, value_bytes value);
result<void> set_http_proxy_login(socket_options &options, value_bytes value);

// These add to a list; a null pointer with size 0 empties it.
result<void> add_tcp_filter(socket_options &options, value_bytes value);
result<void> add_ipc_filter_pid(socket_options &options, value_bytes value);
result<void> add_ipc_filter_uid(socket_options &options, value_bytes value);
result<void> add_ipc_filter_gid(socket_options &options, value_bytes value);

// "X-name:value"; the first value of a name stays.
result<void> add_metadata(socket_options &options, value_bytes value);

// 0 or 1. ZLINK_THREAD_SAFE stays 1 once it is. See socket::set() about when it may be set.
result<void> set_thread_safe(socket_options &options, value_bytes value);

int get_type(const socket_options &options) noexcept;
int get_ipv4_only(const socket_options &options) noexcept;
int get_mechanism(const socket_options &options) noexcept;
int get_plain_server(const socket_options &options) noexcept;
int get_curve_server(const socket_options &options) noexcept;
int get_heartbeat_ttl(const socket_options &options) noexcept;
// libzmq's default as long as nothing was set.
int get_in_batch_size(const socket_options &options) noexcept;
int get_out_batch_size(const socket_options &options) noexcept;
int get_send_policy(const socket_options &options) noexcept;
int get_receive_policy(const socket_options &options) noexcept;
int get_thread_safe(const socket_options &options) noexcept;

} // namespace zlink::core
