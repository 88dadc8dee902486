// SPDX-License-Identifier: MPL-2.0
// The values of a socket's options, with their defaults. Plain values: the rules are in core/option_table.
//
// Threads: owned by the socket. A worker gets a copy when it is made, so a later change concerns later
// connections only, as the API promises. The few that take effect at once (linger, high-water marks) are told
// to the workers and pipes by the socket.
// Units: in the names. -1 is "not set", "without limit" or "as the system does", as the comment says.
#pragma once

#include "base/keep_rule.hpp"
#include "base/socket_traits.hpp"
#include "base/socket_type.hpp"
#include "base/wipe.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink {

namespace transport {
class tls_context;
class tls_credentials;
} // namespace transport

// Numbers of the C API.
enum class mechanism_type : std::uint8_t { null = 0, plain = 1, curve = 2, gssapi = 3 };

// The fate of a message for a peer whose queue is full. Numbers of the C API.
enum class hwm_policy : std::uint8_t {
    as_libzmq = 0,
    drop_oldest = 1,
    latest_of_topic = 2,
    block = 3,
    disconnect = 4
};

// Bits of ZMQ_ROUTER_NOTIFY.
namespace router_notify {
inline constexpr int connect = 1;
inline constexpr int disconnect = 2;
} // namespace router_notify

// Bits of ZMQ_RECONNECT_STOP.
namespace reconnect_stop {
inline constexpr int connection_refused = 1;
inline constexpr int handshake_failed = 2;
inline constexpr int after_disconnect = 4;
} // namespace reconnect_stop

// Options that only some patterns read. Set by the application thread, read by the pattern in the same
// thread.
struct pattern_options {
    bool router_mandatory = false;
    bool router_handover = false;
    bool router_raw = false;
    bool probe_router = false;
    bool request_correlate = false;
    bool request_relaxed = false;
    bool xpub_verbose = false;  // duplicate subscriptions are passed up
    bool xpub_verboser = false; // duplicate cancellations too
    bool xpub_manual = false;
    bool xpub_manual_last_value = false; // manual, and the next message goes to the last subscriber only
    bool only_first_subscribe = false;   // later frames of a multipart message are never subscriptions
    bool invert_matching = false;
    bool stream_notify = true;
    bool xsub_verbose_unsubscribe = false; // publishers hear of every cancellation
    std::string xpub_welcome_message;      // empty: none
    std::string hello_message;             // to every new peer; empty: none
    std::string connect_routing_id;        // used up by the next connect; empty: none
};

using curve_key = std::array<std::uint8_t, 32>;

// Options of mechanisms and of ZAP, and the password for a SOCKS proxy. Each copy wipes its secrets.
struct security_options {
    security_options() = default;
    security_options(const security_options &) = default;
    security_options &operator=(const security_options &) = default;
    ~security_options() {
        wipe(plain_password);
        wipe(curve_secret_key);
        wipe(socks_password);
        wipe(http_proxy_login);
    }

    mechanism_type mechanism = mechanism_type::null;
    bool as_server = false;
    bool zap_enforce_domain = false;
    std::string zap_domain;
    std::string plain_username;
    std::string plain_password;
    curve_key curve_public_key{};
    curve_key curve_secret_key{};
    curve_key curve_server_key{}; // of a client: who it wants to talk to
    std::string socks_password;
    std::string http_proxy_login; // user name, colon, password
};

// Options of the transport tls. Certificates and keys are PEM text, or the path of a file with it. Each copy
// wipes its secrets.
struct tls_options {
    tls_options() = default;
    tls_options(const tls_options &) = default;
    tls_options &operator=(const tls_options &) = default;
    ~tls_options() {
        wipe(key);
        wipe(key_password);
    }

    std::string certificate; // with its chain; empty: none
    std::string key;
    std::string key_password;
    std::string authorities;           // that are trusted
    std::string revocations;           // lists of revoked certificates; empty: none are asked
    std::string host;                  // that a server's certificate is for; empty: that of the endpoint
    std::string application_protocols; // with commas between them; empty: none is agreed on
    int trust_system = -1;             // the authorities of the system; -1: if no others were given
    int verification = 1;              // of servers
    int min_version = 0x0304;          // TLS 1.3, as in the protocol
    bool require_client_certificate = false;
    // Shared with the endpoints: a certificate that is set anew is used in their next handshakes.
    std::shared_ptr<transport::tls_credentials> credentials;
    std::shared_ptr<transport::tls_context> context; // of the endpoint that these options are for
};

inline constexpr int default_hwm = 1000;

struct socket_options {
    static constexpr std::uint64_t default_last_value_bytes = std::uint64_t{64} << 20;

    socket_type type = socket_type::pair;
    std::string routing_id; // up to 255 bytes; empty: none
    std::string last_endpoint;

    // Queues and calls.
    int send_hwm = default_hwm; // messages; 0: without limit
    int receive_hwm = default_hwm;
    std::uint64_t send_byte_mark = 0; // bytes of the wire; 0: without limit
    std::uint64_t receive_byte_mark = 0;
    hwm_policy send_policy = hwm_policy::as_libzmq;
    hwm_policy receive_policy = hwm_policy::as_libzmq;
    bool thread_safe = false;                                  // many threads may use the socket
    int last_values = 0;                                       // topics whose last message a publisher keeps
    std::uint64_t last_value_bytes = default_last_value_bytes; // of these; 0: without bound
    int send_timeout_ms = -1;                                  // -1: for ever
    int receive_timeout_ms = -1;
    int linger_ms = -1; // -1: for ever
    bool immediate = false;
    bool conflate = false;
    std::int64_t max_message_size = -1; // bytes; -1: without limit
    std::uint64_t affinity = 0;         // bitmap of I/O threads; 0: all

    // Connecting.
    int reconnect_interval_ms = 100;   // -1: never again
    int reconnect_interval_max_ms = 0; // 0: no back-off
    int reconnect_stop = 0;            // bits of namespace reconnect_stop
    int connect_timeout_ms = 0;        // 0: as the system does
    int handshake_interval_ms = 30000; // 0: without limit
    int heartbeat_interval_ms = 0;     // 0: none
    int heartbeat_timeout_ms = -1;     // -1: as the interval
    std::uint16_t heartbeat_ttl_deciseconds = 0;
    std::string hiccup_message; // the socket hears it when a connection of its own is lost; empty: none
    int router_notify = 0;      // bits of namespace router_notify
    std::vector<std::pair<std::string, std::string>> metadata; // own properties: "X-..." and its value

    // Listening.
    int backlog = 100;
    int max_peers = 0;              // connections that a listener has at a time; 0: no limit
    std::string disconnect_message; // the socket hears it when an accepted peer is lost; empty: none
    int use_fd = -1;                // descriptor that already listens; -1: none
    std::vector<std::string> tcp_accept_filters; // "address/bits"; empty: everybody
    std::vector<std::uint32_t> ipc_filter_uids;  // the three together; all empty: everybody
    std::vector<std::uint32_t> ipc_filter_gids;
    std::vector<std::int32_t> ipc_filter_pids;

    // The streams below.
    bool ipv6 = false;
    bool loopback_fastpath = false;
    int send_buffer = -1; // bytes; -1: as the system does
    int receive_buffer = -1;
    int tos = 0;
    int priority = 0;       // 0: as the system does
    int busy_poll_us = 0;   // 0: as the system does
    int tcp_keepalive = -1; // -1: as the system does
    int tcp_keepalive_count = -1;
    int tcp_keepalive_idle_s = -1;
    int tcp_keepalive_interval_s = -1;
    int tcp_max_retransmit_ms = 0; // 0: as the system does
    int in_batch_size = 0;         // bytes of one read; 0: as the engine decides
    int out_batch_size = 0;        // bytes of one write; 0: as the engine decides
    std::string bind_to_device;
    std::string socks_proxy;
    std::string socks_username;
    std::string http_proxy; // if there is no socks_proxy

    // Multicast.
    int rate_kbits = 100;
    int recovery_interval_ms = 10000;
    int multicast_hops = 1;
    int multicast_max_tpdu = 1500; // bytes
    bool multicast_loop = true;

    // Options of transports that are not here are kept and read back.
    std::uint64_t vmci_buffer_size = 0; // bytes
    std::uint64_t vmci_buffer_min_size = 0;
    std::uint64_t vmci_buffer_max_size = 0;
    int vmci_connect_timeout_ms = -1;
    std::string wss_key_pem;
    std::string wss_cert_pem;
    std::string wss_trust_pem;
    std::string wss_hostname;
    std::string ws_origins; // whose pages may connect to a listener of ws or wss; empty: all
    bool wss_trust_system = false;
    int norm_mode = 1;
    bool norm_unicast_nack = false;
    int norm_buffer_size_kb = 2048;
    int norm_segment_size = 1400; // bytes
    int norm_block_size = 16;     // segments
    int norm_num_parity = 4;
    int norm_num_autoparity = 0;
    bool norm_push = false;

    security_options security;
    tls_options tls;
    pattern_options pattern;
};

// Returns which messages the queues of one direction keep. The options concern messages: subscriptions on
// their way to a publisher are all kept.
[[nodiscard]] inline keep_rule keeps(const socket_options &options, direction way) noexcept {
    if (options.conflate && traits_of(options.type).conflates.contains(way))
        return keep_rule::latest_frame;
    switch (way == direction::send ? options.send_policy : options.receive_policy) {
    case hwm_policy::drop_oldest:
        return keep_rule::newest;
    case hwm_policy::latest_of_topic:
        return keep_rule::latest_of_topic;
    default:
        return keep_rule::all;
    }
}

// Returns true if the connections of such a socket carry bare bytes.
[[nodiscard]] inline bool is_raw(const socket_options &options) noexcept {
    const wire_form wire = traits_of(options.type).wire;
    return wire == wire_form::bare || (wire == wire_form::bare_by_option && options.pattern.router_raw);
}
// Returns true if the application has peers of ZMTP with routing ids that it sees.
[[nodiscard]] inline bool shows_routing_ids(const socket_options &options) noexcept {
    return traits_of(options.type).shows == peer_name::routing_id && !is_raw(options);
}

// Returns true if the application is told of lost peers (ZMQ_DISCONNECT_MSG).
[[nodiscard]] inline bool hears_disconnects(const socket_options &options) noexcept {
    return traits_of(options.type).sides.contains(conversation_side::service);
}
// Returns true if the application is told of its own lost connections (ZMQ_HICCUP_MSG).
[[nodiscard]] inline bool hears_hiccups(const socket_options &options) noexcept {
    return traits_of(options.type).sides.contains(conversation_side::client);
}

// Returns the first message to a new peer (ZMQ_HELLO_MSG). Empty: there is none.
[[nodiscard]] inline std::string_view hello_of(const socket_options &options) noexcept {
    const bool greets = !traits_of(options.type).sides.empty() && !options.pattern.router_raw;
    return greets ? options.pattern.hello_message : std::string_view();
}

} // namespace zlink
