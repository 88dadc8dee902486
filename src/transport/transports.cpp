// SPDX-License-Identifier: MPL-2.0
#include "transport/transports.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "base/socket_traits.hpp"
#include "runtime/dns_records.hpp"
#include "transport/http_proxy_opening.hpp"
#include "transport/ipc_address.hpp"
#include "transport/socks5_opening.hpp"
#include "transport/tcp_address.hpp"
#include "transport/tls/tls_opening.hpp"
#include "transport/ws/ws_address.hpp"
#include "transport/ws/ws_opening.hpp"
#include "transport/ws/ws_port.hpp"

namespace zlink::transport {
namespace {

// ---- tcp

result<void> check_tcp(const std::string &address) {
    return check_tcp_connect(address);
}

// Empty: none.
const std::string &proxy_of(const socket_options &options) noexcept {
    return options.socks_proxy.empty() ? options.http_proxy : options.socks_proxy;
}

// With a proxy, the connection is made to the proxy.
result<connect_plan> plan_tcp(const std::string &address, const socket_options &options) {
    const auto pair = parse_tcp_address(address);
    if (!pair)
        return error{pair.code()};
    const std::string &proxy = proxy_of(options);
    const auto host = proxy.empty() ? result<tcp_host_port>(pair->peer) : parse_tcp_host_port(proxy);
    if (!host)
        return error{host.code()};
    const auto numeric = resolve_tcp_numeric(*host, options.ipv6);
    if (!numeric)
        return error{numeric.code()};
    connect_plan plan;
    plan.source = pair->source;
    if (*numeric)
        plan.addresses.push_back(**numeric);
    else
        plan.to_look_up = *host;
    return plan;
}

result<int> open_planned_tcp(const socket_address &peer, const connect_plan &plan,
                             const socket_options &options) {
    return open_tcp(peer, plan.source, options);
}

opening_list tcp_openings(connection_side side, const std::string &address, const socket_options &options) {
    opening_list made;
    const auto pair = parse_tcp_address(address);
    if (side == connection_side::accepted || proxy_of(options).empty() || !pair)
        return made;
    if (options.socks_proxy.empty()) {
        made.push_back(std::make_unique<http_proxy_opening>(pair->peer, options.security.http_proxy_login));
    } else {
        const socks5_login login{options.socks_username, options.security.socks_password};
        made.push_back(std::make_unique<socks5_opening>(pair->peer, options.ipv6, login));
    }
    return made;
}

// Events name the proxy, as libzmq's do.
std::string tcp_event_text(const std::string &address, const socket_options &options) {
    const std::string &proxy = proxy_of(options);
    return "tcp://" + (proxy.empty() ? address : proxy);
}

// An endpoint may be given by another name of its host. Port 0 names none.
std::string resolved_tcp_text(const std::string &address, const socket_options &options) {
    const auto pair = parse_tcp_address(address);
    if (!pair || pair->peer.port == 0)
        return {};
    const auto found = resolve_tcp_now(pair->peer, options.ipv6);
    return found ? tcp_endpoint_text(*found) : std::string();
}

// ---- dns+tcp: a tcp connection to each address of a name

// Errors that could never be mended by another answer of the name servers are told at once.
result<void> check_dns(const std::string &address) {
    if (auto checked = check_tcp_connect(address); !checked)
        return checked;
    const auto pair = parse_tcp_address(address);
    if (!pair)
        return error{pair.code()};
    const auto numeric = resolve_tcp_numeric(pair->peer, true);
    return numeric ? result<void>() : result<void>(error{numeric.code()});
}

// ---- tls: tcp with a handshake before ZMTP

std::string with_scheme(std::string_view scheme, const std::string &tcp_text) {
    return std::string(scheme) + tcp_text.substr(tcp_text.find(':'));
}

std::string as_tls(const std::string &tcp_text) {
    return with_scheme("tls", tcp_text);
}

result<listening_socket> listen_tls(const std::string &address, const socket_options &options, int &tried) {
    auto made = listen_tcp(address, options, tried);
    if (made)
        made->endpoint = as_tls(made->endpoint);
    return made;
}

// Makes what the handshakes of an endpoint share, by `rules`, and leaves it in the options.
result<void> prepare_handshakes(connection_side side, const std::string &address, const tls_options &rules,
                                tls_options &into) {
    if (!into.credentials)
        into.credentials = std::make_shared<tls_credentials>();
    if (const auto set = into.credentials->set(rules); !set)
        return set;
    const auto pair = parse_tcp_address(address);
    const bool connects = side == connection_side::connected;
    auto made =
        tls_context::make(connects ? tls_role::client : tls_role::server,
                          connects && pair ? pair->peer.host : std::string(), rules, into.credentials);
    if (!made)
        return error{made.code()};
    into.context = *std::move(made);
    return {};
}

result<void> prepare_tls(connection_side side, const std::string &address, socket_options &options) {
    return prepare_handshakes(side, address, options.tls, options.tls);
}

opening_list tls_openings(connection_side side, const std::string &address, const socket_options &options) {
    opening_list made = tcp_openings(side, address, options);
    made.push_back(std::make_unique<tls_opening>(tls_session::make(options.tls.context)));
    return made;
}

std::string tls_endpoint_text(const socket_address &address) {
    return as_tls(tcp_endpoint_text(address));
}

std::string tls_event_text(const std::string &address, const socket_options &options) {
    return as_tls(tcp_event_text(address, options));
}

std::string resolved_tls_text(const std::string &address, const socket_options &options) {
    const std::string found = resolved_tcp_text(address, options);
    return found.empty() ? found : as_tls(found);
}

// ---- ws and wss: frames of WebSocket over tcp or tls, at a path

constexpr std::string_view scheme_of(bool secure) noexcept {
    return secure ? "wss" : "ws";
}

result<void> check_ws(const std::string &address) {
    const auto parsed = parse_ws_address(address);
    return parsed ? check_tcp(parsed->tcp) : result<void>(error{parsed.code()});
}

result<connect_plan> plan_ws(const std::string &address, const socket_options &options) {
    return plan_tcp(tcp_part(address), options);
}

// The options of libzmq's wss hold where those of tls are not set.
tls_options rules_of_wss(const socket_options &options) {
    tls_options rules = options.tls;
    const auto unless_set = [](std::string &own, const std::string &other) {
        if (own.empty())
            own = other;
    };
    unless_set(rules.certificate, options.wss_cert_pem);
    unless_set(rules.key, options.wss_key_pem);
    unless_set(rules.authorities, options.wss_trust_pem);
    unless_set(rules.host, options.wss_hostname);
    if (rules.trust_system < 0 && options.wss_trust_system)
        rules.trust_system = 1;
    return rules;
}

// Returns what the endpoints of a port have to have in common. The key belongs to the certificate. Each text
// has its size before it, so that no part of one counts for the next one.
std::string rules_of_port(const socket_options &options, bool secure) {
    if (!secure)
        return "ws";
    const tls_options rules = rules_of_wss(options);
    std::string text = "wss";
    for (const std::string &part :
         {rules.certificate, rules.authorities, rules.revocations, rules.application_protocols})
        ((text += ' ') += std::to_string(part.size()) += ':') += part;
    for (const int number : {rules.trust_system, rules.min_version, rules.require_client_certificate ? 1 : 0})
        (text += ' ') += std::to_string(number);
    return text;
}

// Listens at the port together with another path.
result<listening_socket> share_port(const ws_address &where, const socket_options &options, bool secure) {
    const auto wanted = resolve_tcp_bind(where.tcp, options.ipv6);
    if (!wanted)
        return error{wanted.code()};
    listening_socket made;
    made.endpoint = tcp_endpoint_text(*wanted);
    const auto copy = ws_claim::share(made.endpoint, where.path, rules_of_port(options, secure));
    if (!copy)
        return error{copy.code()};
    made.descriptor = *copy;
    return made;
}

result<listening_socket> claim_path(listening_socket made, const std::string &path,
                                    const socket_options &options, bool secure) {
    auto claim = ws_claim::make(made.endpoint, path, rules_of_port(options, secure), made.descriptor);
    if (!claim) {
        stop_listening(made);
        return error{claim.code()};
    }
    made.claim = *std::move(claim);
    made.endpoint = with_scheme(scheme_of(secure), made.endpoint) + path;
    return made;
}

template <bool secure>
result<listening_socket> listen_ws(const std::string &address, const socket_options &options, int &tried) {
    const auto parsed = parse_ws_address(address);
    if (!parsed)
        return error{parsed.code()};
    auto made = listen_tcp(parsed->tcp, options, tried);
    if (!made && made.code() == EADDRINUSE)
        made = share_port(*parsed, options, secure);
    return made ? claim_path(*std::move(made), parsed->path, options, secure) : made;
}

// A raw socket speaks no ZMTP, and hence no ZWS.
result<void> prepare_ws(connection_side, const std::string &, socket_options &options) {
    return is_raw(options) ? result<void>(error{errc::no_compatible}) : result<void>();
}

result<void> prepare_wss(connection_side side, const std::string &address, socket_options &options) {
    if (auto ready = prepare_ws(side, address, options); !ready)
        return ready;
    return prepare_handshakes(side, tcp_part(address), rules_of_wss(options), options.tls);
}

std::string mechanism_name(const socket_options &options) {
    switch (options.security.mechanism) {
    case mechanism_type::plain:
        return "PLAIN";
    case mechanism_type::curve:
        return "CURVE";
    case mechanism_type::null:
    case mechanism_type::gssapi:
        break;
    }
    return "NULL";
}

// Returns the first type that may talk with this one. A peer with the subprotocol ZWS2.0 does not tell its
// own.
std::string_view usual_peer(socket_type type) noexcept {
    const auto *const row =
        std::ranges::find_if(socket_table::rows, [peers = traits_of(type).peers](const socket_traits &one) {
            return peers.contains(one.type);
        });
    return row != std::end(socket_table::rows) ? row->name : std::string_view();
}

std::unique_ptr<opening> make_ws_opening(connection_side side, const std::string &address,
                                         const socket_options &options, bool secure,
                                         std::vector<std::uint8_t> received = {}) {
    const ws_side own = side == connection_side::connected ? ws_side::client : ws_side::server;
    const std::string tcp = tcp_part(address);
    ws_wish wish{own, tcp.substr(tcp.rfind(';') + 1), path_part(address), mechanism_name(options),
                 options.ws_origins};
    zws_terms terms{.side = own,
                    .mechanism = wish.mechanism,
                    .peer_type = usual_peer(options.type),
                    .routing_id = options.routing_id,
                    .max_message = options.max_message_size};
    return std::make_unique<ws_opening>(std::move(wish), std::move(terms), rules_of_port(options, secure),
                                        std::move(received));
}

opening_list ws_openings(connection_side side, const std::string &address, const socket_options &options) {
    opening_list made = tcp_openings(side, tcp_part(address), options);
    made.push_back(make_ws_opening(side, address, options, false));
    return made;
}

opening_list wss_openings(connection_side side, const std::string &address, const socket_options &options) {
    opening_list made = tls_openings(side, tcp_part(address), options);
    made.push_back(make_ws_opening(side, address, options, true));
    return made;
}

template <bool secure> opening_list resumed_ws(const std::string &address, const socket_options &options,
                                               std::vector<std::uint8_t> received) {
    opening_list made;
    made.push_back(make_ws_opening(connection_side::accepted, address, options, secure, std::move(received)));
    return made;
}

template <bool secure> std::string ws_endpoint_text(const socket_address &address) {
    return with_scheme(scheme_of(secure), tcp_endpoint_text(address));
}

template <bool secure> std::string ws_event_text(const std::string &address, const socket_options &options) {
    return with_scheme(scheme_of(secure), tcp_event_text(address, options));
}

template <bool secure>
std::string resolved_ws_text(const std::string &address, const socket_options &options) {
    const std::string found = resolved_tcp_text(tcp_part(address), options);
    return found.empty() ? found : with_scheme(scheme_of(secure), found) + path_part(address);
}

// ---- ipc

result<void> check_ipc(const std::string &address) {
    const auto name = parse_ipc_connect(address);
    return name ? result<void>() : result<void>(error{name.code()});
}

result<connect_plan> plan_ipc(const std::string &address, const socket_options &) {
    const auto name = parse_ipc_connect(address);
    if (!name)
        return error{name.code()};
    const auto resolved = resolve_ipc_connect(*name);
    if (!resolved)
        return error{resolved.code()};
    connect_plan plan;
    plan.addresses.push_back(*resolved);
    return plan;
}

result<int> open_planned_ipc(const socket_address &, const connect_plan &, const socket_options &options) {
    return open_ipc(options);
}

// ---- the table

constexpr socket_types multicast_types = types_over(carrier::multicast);
constexpr socket_types datagram_types = types_over(carrier::datagram);
constexpr socket_types stream_types = types_over(carrier::stream);
constexpr socket_types ws_types = types_where(
    [](const socket_traits &row) { return row.carriers.contains(carrier::stream) && row.speaks_zmtp(); });

constexpr std::array<transport_row, 11> transports{{
    {.scheme = "tcp",
     .kind = transport_kind::byte_stream,
     .types = stream_types,
     .check_connect = check_tcp,
     .over_tcp = true,
     .listen = listen_tcp,
     .plan = plan_tcp,
     .open = open_planned_tcp,
     .openings = tcp_openings,
     .tune = tune_tcp,
     .passes_filters = passes_tcp_filters,
     .endpoint_text = tcp_endpoint_text,
     .peer_address = tcp_peer_address,
     .event_text = tcp_event_text,
     .resolved_text = resolved_tcp_text},
    {.scheme = "tls",
     .kind = transport_kind::byte_stream,
     .types = stream_types,
     .check_connect = check_tcp,
     .over_tcp = true,
     .listen = listen_tls,
     .plan = plan_tcp,
     .open = open_planned_tcp,
     .prepare = prepare_tls,
     .openings = tls_openings,
     .tune = tune_tcp,
     .passes_filters = passes_tcp_filters,
     .endpoint_text = tls_endpoint_text,
     .peer_address = tcp_peer_address,
     .event_text = tls_event_text,
     .resolved_text = resolved_tls_text},
    {.scheme = "ws",
     .kind = transport_kind::byte_stream,
     .types = ws_types,
     .check_connect = check_ws,
     .over_tcp = true,
     .listen = listen_ws<false>,
     .plan = plan_ws,
     .open = open_planned_tcp,
     .prepare = prepare_ws,
     .openings = ws_openings,
     .resumed = resumed_ws<false>,
     .tune = tune_tcp,
     .passes_filters = passes_tcp_filters,
     .endpoint_text = ws_endpoint_text<false>,
     .peer_address = tcp_peer_address,
     .event_text = ws_event_text<false>,
     .resolved_text = resolved_ws_text<false>},
    {.scheme = "wss",
     .kind = transport_kind::byte_stream,
     .types = ws_types,
     .check_connect = check_ws,
     .over_tcp = true,
     .listen = listen_ws<true>,
     .plan = plan_ws,
     .open = open_planned_tcp,
     .prepare = prepare_wss,
     .openings = wss_openings,
     .resumed = resumed_ws<true>,
     .tune = tune_tcp,
     .passes_filters = passes_tcp_filters,
     .endpoint_text = ws_endpoint_text<true>,
     .peer_address = tcp_peer_address,
     .event_text = ws_event_text<true>,
     .resolved_text = resolved_ws_text<true>},
    {.scheme = "ipc",
     .kind = transport_kind::byte_stream,
     .types = stream_types,
     .check_connect = check_ipc,
     .listen = listen_ipc,
     .plan = plan_ipc,
     .open = open_planned_ipc,
     .tune = tune_ipc,
     .passes_filters = passes_ipc_filters,
     .endpoint_text = ipc_endpoint_text,
     .peer_address = ipc_peer_address},
    {.scheme = "dns+tcp",
     .kind = transport_kind::name,
     .types = stream_types,
     .connects_by = "tcp",
     .check_connect = check_dns},
    {.scheme = "inproc", .kind = transport_kind::in_process, .types = stream_types},
    {.scheme = "udp", .kind = transport_kind::datagrams, .types = datagram_types},
    {.scheme = "pgm", .kind = transport_kind::unknown, .types = multicast_types},
    {.scheme = "epgm", .kind = transport_kind::unknown, .types = multicast_types},
    {.scheme = "norm", .kind = transport_kind::unknown, .types = multicast_types},
}};

using name_function = int (*)(int, sockaddr *, socklen_t *);

std::string endpoint_text(const transport_row &of, int descriptor, name_function name) {
    socket_address address;
    address.size = sizeof address.storage;
    if (name(descriptor, address.data(), &address.size) != 0)
        return {};
    return of.endpoint_text(address);
}

} // namespace

const transport_row *find_transport(std::string_view scheme) noexcept {
    const auto *const row = std::ranges::find(transports, scheme, &transport_row::scheme);
    return row != transports.end() ? row : nullptr;
}

result<endpoint> parse_endpoint(std::string_view text, socket_type type) {
    constexpr std::string_view separator = "://";
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos || at == 0 || at + separator.size() == text.size())
        return error{EINVAL};
    const transport_row *const row = find_transport(text.substr(0, at));
    if (row == nullptr)
        return error{EPROTONOSUPPORT};
    if (!row->types.contains(type))
        return error{errc::no_compatible};
    if (row->kind == transport_kind::unknown ||
        (row->kind == transport_kind::name && !runtime::dns_available()))
        return error{EPROTONOSUPPORT};
    return endpoint{row, std::string(text.substr(at + separator.size()))};
}

std::string text_of(const endpoint &of) {
    return std::string(of.transport->scheme) + "://" + of.address;
}

std::string local_endpoint_text(const transport_row &of, int descriptor) {
    return endpoint_text(of, descriptor, ::getsockname);
}

std::string remote_endpoint_text(const transport_row &of, int descriptor) {
    return endpoint_text(of, descriptor, ::getpeername);
}

} // namespace zlink::transport
