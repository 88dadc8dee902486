// SPDX-License-Identifier: MPL-2.0
#include "core/option_rows.hpp"

#include "core/option_setters.hpp"
#include "core/tls_setters.hpp"

#include <array>

namespace zlink::core {

namespace {

using kind = option_kind;
using home = option_home;
using all_options = socket_options;

constexpr std::int64_t most_int = std::numeric_limits<int>::max();
constexpr std::int64_t least_int = std::numeric_limits<int>::min();

constexpr option_range any_int{least_int, most_int};
constexpr option_range positive{1, most_int};
constexpr option_range natural{0, most_int};
constexpr option_range natural_or_unset{-1, most_int};
constexpr option_range any_length{0, std::numeric_limits<std::int64_t>::max()};
constexpr option_range some_length{1, std::numeric_limits<std::int64_t>::max()};
constexpr option_range short_length{1, 255};
constexpr option_range not_counted{0, 0};

constexpr socket_types nobody{};
constexpr socket_types everybody = socket_types::all();
constexpr socket_types pollable = types_where([](const socket_traits &row) { return !row.thread_safe; });
constexpr socket_types publishers = types_where(&socket_traits::publishes_topics);
constexpr socket_types droppers = types_where(&socket_traits::publishes);
constexpr socket_types topic_users = types_where(&socket_traits::has_topics);
// The publishers in manual mode. XSUB subscribes by messages.
constexpr socket_types subscribers =
    types_where([](const socket_traits &row) { return row.has_topics() && !row.sends_subscriptions(); });
constexpr socket_types message_subscribers = types_where(&socket_traits::sends_subscriptions);
// They send or receive subscriptions as messages, or pass them on.
constexpr socket_types request_users =
    types_where([](const socket_traits &row) { return row.has_topics() && row.sends(); });
constexpr socket_types askers = types_where(&socket_traits::asks);
constexpr socket_types bare =
    types_where([](const socket_traits &row) { return row.wire == wire_form::bare; });
constexpr socket_types routers = types_with(option_group::router);
constexpr socket_types probers = types_with(option_group::probe_router);
constexpr socket_types peer_namers = types_with(option_group::connect_routing_id);

// The shapes that most rows have.

constexpr option_row integer(int id, std::string_view name, option_range range, int all_options::*place,
                             home where = home::stored) {
    return {id, name, kind::integer, range, place, everybody, everybody, where};
}

constexpr option_row flag(int id, std::string_view name, option_kind form, option_range range,
                          option_place place) {
    return {id, name, form, range, place, everybody, everybody};
}

constexpr option_row pattern_flag(int id, std::string_view name, socket_types types,
                                  bool pattern_options::*place) {
    return {id, name, kind::truthy, natural, place, types, nobody};
}

constexpr option_row text(int id, std::string_view name, option_range length, option_place place,
                          bool clearable) {
    return {.id = id,
            .name = name,
            .kind = kind::text,
            .range = length,
            .place = place,
            .settable = everybody,
            .gettable = everybody,
            .clearable = clearable};
}

using setter = result<void> (*)(socket_options &, value_bytes);
using getter = int (*)(const socket_options &) noexcept;

// An int that is no plain member.
constexpr option_row special(int id, std::string_view name, socket_types set_types, setter set,
                             socket_types get_types, getter get) {
    return {.id = id,
            .name = name,
            .kind = kind::integer,
            .range = any_int,
            .place = {},
            .settable = set_types,
            .gettable = get_types,
            .set = set,
            .get = get};
}

// A size that is stored as it was set. Until then the getter returns libzmq's default.
constexpr option_row batch_size(int id, std::string_view name, int all_options::*place, getter get) {
    option_row row = integer(id, name, positive, place);
    row.get = get;
    return row;
}

constexpr option_row live_int(int id, std::string_view name, socket_types types) {
    return {.id = id,
            .name = name,
            .kind = kind::integer,
            .range = any_int,
            .place = {},
            .settable = nobody,
            .gettable = types,
            .home = home::live,
            .roomy_get = true};
}

// A count that the socket keeps; the rows follow the order of worker::closed_reason.
constexpr option_row live_count(int id, std::string_view name) {
    return {.id = id,
            .name = name,
            .kind = kind::wide,
            .range = not_counted,
            .place = {},
            .settable = nobody,
            .gettable = everybody,
            .home = home::live};
}

// A text that is made when it is asked for.
constexpr option_row live_text(int id, std::string_view name) {
    return {.id = id,
            .name = name,
            .kind = kind::text,
            .range = any_length,
            .place = {},
            .settable = nobody,
            .gettable = everybody,
            .home = home::live};
}

constexpr option_row live_set(int id, std::string_view name, socket_types types, setter check) {
    return {.id = id,
            .name = name,
            .kind = kind::binary,
            .range = any_length,
            .place = {},
            .settable = types,
            .gettable = nobody,
            .home = home::live,
            .set = check};
}

constexpr option_row roomy(option_row row) {
    row.roomy_get = true;
    return row;
}

constexpr option_row secret_text(int id, std::string_view name, std::string security_options::*place,
                                 setter set) {
    option_row row = text(id, name, short_length, place, false);
    row.set = set;
    return row;
}

// A value that is set and not read.
constexpr option_row set_only(option_row row) {
    row.gettable = nobody;
    return row;
}

// A text of the transport tls.
constexpr option_row tls_text(int id, std::string_view name, std::string tls_options::*place, setter set) {
    option_row row = text(id, name, any_length, place, true);
    row.set = set;
    return row;
}

constexpr option_row tls_int(int id, std::string_view name, option_range range, int tls_options::*place) {
    return {id, name, kind::integer, range, place, everybody, everybody};
}

constexpr option_row wide(int id, std::string_view name, std::uint64_t all_options::*place) {
    return {id, name, kind::wide, not_counted, place, everybody, everybody};
}

constexpr option_row byte_mark(int id, std::string_view name, std::uint64_t all_options::*place) {
    option_row row = wide(id, name, place);
    row.home = home::applied;
    return row;
}

constexpr option_row binary(int id, std::string_view name, option_place place) {
    return {id, name, kind::binary, any_length, place, everybody, nobody};
}

constexpr option_row curve_key_row(int id, std::string_view name, curve_key security_options::*place,
                                   setter set) {
    return {.id = id,
            .name = name,
            .kind = kind::key,
            .range = not_counted,
            .place = place,
            .settable = everybody,
            .gettable = everybody,
            .set = set};
}

// Not here, so unknown: GSSAPI (62 to 65, 90, 91), as in a library built without it.
constexpr auto all_rows = std::to_array<option_row>({
    {4, "AFFINITY", kind::wide, not_counted, &all_options::affinity, everybody, everybody},
    {5, "ROUTING_ID", kind::binary, short_length, &all_options::routing_id, everybody, everybody},
    live_set(6, "SUBSCRIBE", subscribers, check_subscription),
    live_set(7, "UNSUBSCRIBE", subscribers, check_subscription),
    integer(8, "RATE", positive, &all_options::rate_kbits),
    integer(9, "RECOVERY_IVL", natural, &all_options::recovery_interval_ms),
    integer(11, "SNDBUF", natural_or_unset, &all_options::send_buffer),
    integer(12, "RCVBUF", natural_or_unset, &all_options::receive_buffer),
    live_int(13, "RCVMORE", everybody),
    live_int(14, "FD", pollable),
    live_int(15, "EVENTS", everybody),
    special(16, "TYPE", nobody, nullptr, everybody, get_type),
    integer(17, "LINGER", natural_or_unset, &all_options::linger_ms),
    integer(18, "RECONNECT_IVL", natural_or_unset, &all_options::reconnect_interval_ms),
    integer(19, "BACKLOG", natural, &all_options::backlog),
    integer(21, "RECONNECT_IVL_MAX", natural, &all_options::reconnect_interval_max_ms),
    {22, "MAXMSGSIZE", kind::wide, not_counted, &all_options::max_message_size, everybody, everybody},
    integer(23, "SNDHWM", natural, &all_options::send_hwm, home::applied),
    integer(24, "RCVHWM", natural, &all_options::receive_hwm, home::applied),
    integer(25, "MULTICAST_HOPS", positive, &all_options::multicast_hops),
    integer(27, "RCVTIMEO", natural_or_unset, &all_options::receive_timeout_ms),
    integer(28, "SNDTIMEO", natural_or_unset, &all_options::send_timeout_ms),
    special(31, "IPV4ONLY", everybody, set_ipv4_only, everybody, get_ipv4_only),
    {32, "LAST_ENDPOINT", kind::text, any_length, &all_options::last_endpoint, nobody, everybody},
    pattern_flag(33, "ROUTER_MANDATORY", routers, &pattern_options::router_mandatory),
    integer(34, "TCP_KEEPALIVE", {-1, 1}, &all_options::tcp_keepalive),
    integer(35, "TCP_KEEPALIVE_CNT", natural_or_unset, &all_options::tcp_keepalive_count),
    integer(36, "TCP_KEEPALIVE_IDLE", natural_or_unset, &all_options::tcp_keepalive_idle_s),
    integer(37, "TCP_KEEPALIVE_INTVL", natural_or_unset, &all_options::tcp_keepalive_interval_s),
    special(38, "TCP_ACCEPT_FILTER", everybody, add_tcp_filter, nobody, nullptr),
    flag(39, "IMMEDIATE", kind::flag, not_counted, &all_options::immediate),
    special(40, "XPUB_VERBOSE", publishers, set_xpub_verbose, nobody, nullptr),
    pattern_flag(41, "ROUTER_RAW", routers, &pattern_options::router_raw),
    flag(42, "IPV6", kind::flag, not_counted, &all_options::ipv6),
    special(43, "MECHANISM", nobody, nullptr, everybody, get_mechanism),
    special(44, "PLAIN_SERVER", everybody, set_plain_server, everybody, get_plain_server),
    secret_text(45, "PLAIN_USERNAME", &security_options::plain_username, set_plain_username),
    secret_text(46, "PLAIN_PASSWORD", &security_options::plain_password, set_plain_password),
    special(47, "CURVE_SERVER", everybody, set_curve_server, everybody, get_curve_server),
    curve_key_row(48, "CURVE_PUBLICKEY", &security_options::curve_public_key, set_curve_public_key),
    curve_key_row(49, "CURVE_SECRETKEY", &security_options::curve_secret_key, set_curve_secret_key),
    curve_key_row(50, "CURVE_SERVERKEY", &security_options::curve_server_key, set_curve_server_key),
    pattern_flag(51, "PROBE_ROUTER", probers, &pattern_options::probe_router),
    pattern_flag(52, "REQ_CORRELATE", askers, &pattern_options::request_correlate),
    pattern_flag(53, "REQ_RELAXED", askers, &pattern_options::request_relaxed),
    flag(54, "CONFLATE", kind::flag, not_counted, &all_options::conflate),
    text(55, "ZAP_DOMAIN", short_length, &security_options::zap_domain, false),
    pattern_flag(56, "ROUTER_HANDOVER", routers, &pattern_options::router_handover),
    integer(57, "TOS", natural, &all_options::tos),
    special(58, "IPC_FILTER_PID", everybody, add_ipc_filter_pid, nobody, nullptr),
    special(59, "IPC_FILTER_UID", everybody, add_ipc_filter_uid, nobody, nullptr),
    special(60, "IPC_FILTER_GID", everybody, add_ipc_filter_gid, nobody, nullptr),
    {61, "CONNECT_ROUTING_ID", kind::binary, some_length, &pattern_options::connect_routing_id, peer_namers,
     nobody},
    integer(66, "HANDSHAKE_IVL", natural, &all_options::handshake_interval_ms),
    text(68, "SOCKS_PROXY", some_length, &all_options::socks_proxy, true),
    special(69, "XPUB_NODROP", droppers, set_xpub_no_drop, nobody, nullptr),
    pattern_flag(71, "XPUB_MANUAL", publishers, &pattern_options::xpub_manual),
    {72, "XPUB_WELCOME_MSG", kind::binary, any_length, &pattern_options::xpub_welcome_message, publishers,
     nobody},
    {73, "STREAM_NOTIFY", kind::flag, not_counted, &pattern_options::stream_notify, bare, nobody},
    flag(74, "INVERT_MATCHING", kind::truthy, any_int, &pattern_options::invert_matching),
    integer(75, "HEARTBEAT_IVL", natural, &all_options::heartbeat_interval_ms),
    special(76, "HEARTBEAT_TTL", everybody, set_heartbeat_ttl, everybody, get_heartbeat_ttl),
    integer(77, "HEARTBEAT_TIMEOUT", natural, &all_options::heartbeat_timeout_ms),
    special(78, "XPUB_VERBOSER", publishers, set_xpub_verboser, nobody, nullptr),
    integer(79, "CONNECT_TIMEOUT", natural, &all_options::connect_timeout_ms),
    integer(80, "TCP_MAXRT", natural, &all_options::tcp_max_retransmit_ms),
    roomy(special(81, "THREAD_SAFE", nobody, nullptr, everybody, get_thread_safe)),
    integer(84, "MULTICAST_MAXTPDU", positive, &all_options::multicast_max_tpdu),
    set_only(wide(85, "VMCI_BUFFER_SIZE", &all_options::vmci_buffer_size)),
    set_only(wide(86, "VMCI_BUFFER_MIN_SIZE", &all_options::vmci_buffer_min_size)),
    set_only(wide(87, "VMCI_BUFFER_MAX_SIZE", &all_options::vmci_buffer_max_size)),
    set_only(integer(88, "VMCI_CONNECT_TIMEOUT", any_int, &all_options::vmci_connect_timeout_ms)),
    integer(89, "USE_FD", natural_or_unset, &all_options::use_fd),
    text(92, "BINDTODEVICE", {1, 16}, &all_options::bind_to_device, true),
    flag(93, "ZAP_ENFORCE_DOMAIN", kind::truthy, any_int, &security_options::zap_enforce_domain),
    flag(94, "LOOPBACK_FASTPATH", kind::truthy, any_int, &all_options::loopback_fastpath),
    special(95, "METADATA", everybody, add_metadata, nobody, nullptr),
    flag(96, "MULTICAST_LOOP", kind::truthy, any_int, &all_options::multicast_loop),
    {97, "ROUTER_NOTIFY", kind::integer, {0, 3}, &all_options::router_notify, routers, everybody},
    special(98, "XPUB_MANUAL_LAST_VALUE", publishers, set_xpub_manual_last_value, nobody, nullptr),
    text(99, "SOCKS_USERNAME", {0, 255}, &all_options::socks_username, false),
    secret_text(100, "SOCKS_PASSWORD", &security_options::socks_password, set_socks_password),
    batch_size(101, "IN_BATCH_SIZE", &all_options::in_batch_size, get_in_batch_size),
    batch_size(102, "OUT_BATCH_SIZE", &all_options::out_batch_size, get_out_batch_size),
    set_only(text(103, "WSS_KEY_PEM", any_length, &all_options::wss_key_pem, true)),
    set_only(text(104, "WSS_CERT_PEM", any_length, &all_options::wss_cert_pem, true)),
    set_only(text(105, "WSS_TRUST_PEM", any_length, &all_options::wss_trust_pem, true)),
    set_only(text(106, "WSS_HOSTNAME", any_length, &all_options::wss_hostname, true)),
    set_only(flag(107, "WSS_TRUST_SYSTEM", kind::flag, not_counted, &all_options::wss_trust_system)),
    pattern_flag(108, "ONLY_FIRST_SUBSCRIBE", request_users, &pattern_options::only_first_subscribe),
    integer(109, "RECONNECT_STOP", any_int, &all_options::reconnect_stop),
    binary(110, "HELLO_MSG", &pattern_options::hello_message),
    binary(111, "DISCONNECT_MSG", &all_options::disconnect_message),
    integer(112, "PRIORITY", natural, &all_options::priority),
    integer(113, "BUSY_POLL", natural, &all_options::busy_poll_us),
    binary(114, "HICCUP_MSG", &all_options::hiccup_message),
    special(115, "XSUB_VERBOSE_UNSUBSCRIBE", message_subscribers, set_xsub_verbose_unsubscribe, nobody,
            nullptr),
    live_int(116, "TOPICS_COUNT", topic_users),
    integer(117, "NORM_MODE", {0, 4}, &all_options::norm_mode),
    flag(118, "NORM_UNICAST_NACK", kind::flag, not_counted, &all_options::norm_unicast_nack),
    integer(119, "NORM_BUFFER_SIZE", positive, &all_options::norm_buffer_size_kb),
    integer(120, "NORM_SEGMENT_SIZE", positive, &all_options::norm_segment_size),
    integer(121, "NORM_BLOCK_SIZE", {1, 255}, &all_options::norm_block_size),
    integer(122, "NORM_NUM_PARITY", {0, 254}, &all_options::norm_num_parity),
    integer(123, "NORM_NUM_AUTOPARITY", {0, 254}, &all_options::norm_num_autoparity),
    flag(124, "NORM_PUSH", kind::flag, not_counted, &all_options::norm_push),
    live_count(10000, "CLOSED_LOCAL"),
    live_count(10001, "CLOSED_PEER"),
    live_count(10002, "CLOSED_HANDSHAKE_FAILED"),
    live_count(10003, "CLOSED_HANDSHAKE_TIMEOUT"),
    live_count(10004, "CLOSED_MALFORMED"),
    live_count(10005, "CLOSED_OVERSIZE"),
    live_count(10006, "CLOSED_HEARTBEAT"),
    live_count(10007, "CLOSED_FILTERED"),
    live_count(10008, "CLOSED_NO_MEMORY"),
    live_count(10009, "CLOSED_ACCEPT_FAILED"),
    live_count(10010, "CLOSED_CONNECT_FAILED"),
    live_count(10011, "CLOSED_OVER_LIMIT"),
    tls_text(10020, "TLS_CERT", &tls_options::certificate, set_tls_certificate),
    set_only(tls_text(10021, "TLS_KEY", &tls_options::key, set_tls_key)),
    set_only(tls_text(10022, "TLS_KEY_PASSWORD", &tls_options::key_password, set_tls_key_password)),
    tls_text(10023, "TLS_CA", &tls_options::authorities, set_tls_authorities),
    tls_int(10024, "TLS_TRUST_SYSTEM", {-1, 1}, &tls_options::trust_system),
    tls_int(10025, "TLS_VERIFY", {0, 1}, &tls_options::verification),
    flag(10026, "TLS_REQUIRE_CLIENT_CERT", kind::flag, not_counted, &tls_options::require_client_certificate),
    text(10027, "TLS_HOSTNAME", {0, 255}, &tls_options::host, true),
    tls_int(10028, "TLS_MIN_VERSION", {0x0303, 0x0304}, &tls_options::min_version),
    text(10029, "TLS_ALPN", any_length, &tls_options::application_protocols, true),
    tls_text(10030, "TLS_CRL", &tls_options::revocations, set_tls_revocations),
    text(10040, "WS_ORIGINS", any_length, &all_options::ws_origins, true),
    text(10041, "HTTP_PROXY", some_length, &all_options::http_proxy, true),
    secret_text(10042, "HTTP_PROXY_LOGIN", &security_options::http_proxy_login, set_http_proxy_login),
    special(10060, "SNDHWM_POLICY", everybody, set_send_policy, everybody, get_send_policy),
    special(10061, "RCVHWM_POLICY", everybody, set_receive_policy, everybody, get_receive_policy),
    {10062, "LAST_VALUE", kind::integer, natural, &all_options::last_values, publishers, publishers,
     home::applied},
    byte_mark(10063, "SNDHWM_BYTES", &all_options::send_byte_mark),
    byte_mark(10064, "RCVHWM_BYTES", &all_options::receive_byte_mark),
    {10065, "LAST_VALUE_BYTES", kind::wide, not_counted, &all_options::last_value_bytes, publishers,
     publishers, home::applied},
    integer(10070, "MAX_PEERS", natural, &all_options::max_peers),
    live_text(10080, "STATS"),
    live_text(10081, "PEERS"),
    special(10090, "THREAD_SAFE", everybody, set_thread_safe, everybody, get_thread_safe),
    live_int(10091, "LOOP_FD", pollable),
    live_int(10092, "LOOP_EVENTS", everybody),
});

constexpr bool ascending() {
    for (std::size_t index = 1; index < all_rows.size(); ++index) {
        if (all_rows[index - 1].id >= all_rows[index].id) {
            return false;
        }
    }
    return true;
}
static_assert(ascending());

} // namespace

std::span<const option_row> option_rows() noexcept {
    return all_rows;
}

} // namespace zlink::core
