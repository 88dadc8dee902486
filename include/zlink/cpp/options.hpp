// SPDX-License-Identifier: MPL-2.0
// Socket options by name and type: `socket.set(opt::linger, 0ms)`, `socket.get(opt::type)`.
//
// - Shapes. An option is a constant that knows its number, the type of its value and whether it can be read
// and
//   set. A program that sets a read-only option, or passes a value of another type, does not compile.
// - Units. A time is any std::chrono duration that converts to the option's unit without loss. `infinite`
// stands
//   for -1: for ever, or as the system has it. Sizes are bytes; high-water marks are messages.
// - Names. A name of the C interface is spelled out: ZMQ_RCVTIMEO is receive_timeout, ZMQ_SNDHWM is send_hwm.
// - Source. zmq_setsockopt(3), zmq_getsockopt(3); docs/api/reference/options.md says what each option does.
#pragma once

#include <array>
#include <chrono>
#include <climits>
#include <cstdint>
#include <string>

#include "zlink/cpp/message.hpp"
#ifdef ZLINK_HAS_ZLINK
#include "zlink/options.h"
#endif

namespace zlink {
inline namespace v1 {

// The time that has no end.
inline constexpr std::chrono::milliseconds infinite{-1};

enum class socket_type {
    pair = ZMQ_PAIR,
    pub = ZMQ_PUB,
    sub = ZMQ_SUB,
    req = ZMQ_REQ,
    rep = ZMQ_REP,
    dealer = ZMQ_DEALER,
    router = ZMQ_ROUTER,
    pull = ZMQ_PULL,
    push = ZMQ_PUSH,
    xpub = ZMQ_XPUB,
    xsub = ZMQ_XSUB,
    stream = ZMQ_STREAM,
#ifdef ZLINK_HAS_DRAFTS
    server = ZMQ_SERVER,
    client = ZMQ_CLIENT,
    radio = ZMQ_RADIO,
    dish = ZMQ_DISH,
    gather = ZMQ_GATHER,
    scatter = ZMQ_SCATTER,
    dgram = ZMQ_DGRAM,
#endif
};

// A socket or a descriptor is ready for these.
enum class poll_events : short {
    none = 0,
    in = ZMQ_POLLIN,
    out = ZMQ_POLLOUT,
    err = ZMQ_POLLERR,
    pri = ZMQ_POLLPRI
};
[[nodiscard]] constexpr poll_events operator|(poll_events left, poll_events right) noexcept {
    return static_cast<poll_events>(static_cast<int>(left) | static_cast<int>(right));
}
[[nodiscard]] constexpr poll_events operator&(poll_events left, poll_events right) noexcept {
    return static_cast<poll_events>(static_cast<int>(left) & static_cast<int>(right));
}
[[nodiscard]] constexpr bool any(poll_events events) noexcept {
    return events != poll_events::none;
}

namespace opt {

enum class access { read_only, write_only, read_write };

// How a value of C++ is passed to the C interface, and comes from there.
namespace kind {

// The value in C is of type C, and in C++ of type Value.
template <class C, class Value = C> struct number {
    using value_type = Value;
    [[nodiscard]] static C to_c(Value value) noexcept { return static_cast<C>(value); }
    [[nodiscard]] static Value from_c(C value) noexcept { return static_cast<Value>(value); }
    template <class Set> static int set(Value value, Set &&call) noexcept {
        const C in_c = to_c(value);
        return call(&in_c, sizeof(in_c));
    }
    template <class Get> static int get(Value &value, Get &&call) noexcept {
        C in_c{};
        std::size_t size_bytes = sizeof(in_c);
        const int result = call(&in_c, &size_bytes);
        value = from_c(in_c);
        return result;
    }
};

// A time in whole units; longer ones than an int can count are as long as it can.
template <class Unit> struct duration {
    using value_type = Unit;
    template <class Set> static int set(Unit value, Set &&call) noexcept {
        return number<int>::set(value.count() > INT_MAX ? INT_MAX : static_cast<int>(value.count()), call);
    }
    template <class Get> static int get(Unit &value, Get &&call) noexcept {
        int count = 0;
        const int result = number<int>::get(count, call);
        value = Unit(count);
        return result;
    }
};

// Text or bytes. Text comes from C with a NUL, which is not a part of the value.
template <bool HasNul> struct string {
    using value_type = bytes_view;
    template <class Set> static int set(bytes_view value, Set &&call) noexcept {
        return call(value.data(), value.size());
    }
    template <class Get> static int get(std::string &value, Get &&call) {
        value.resize(1024);
        std::size_t size_bytes = value.size();
        const int result = call(value.data(), &size_bytes);
        value.resize(result == -1 ? 0 : HasNul && size_bytes != 0 ? size_bytes - 1 : size_bytes);
        return result;
    }
};

// A key of CURVE. It is set as 32 bytes or as 40 characters of Z85, and read as Z85.
struct key {
    using value_type = bytes_view;
    template <class Set> static int set(bytes_view value, Set &&call) noexcept {
        return call(value.data(), value.size());
    }
    template <class Get> static int get(std::string &value, Get &&call) {
        value.resize(41);
        std::size_t size_bytes = value.size();
        const int result = call(value.data(), &size_bytes);
        value.resize(result == -1 ? 0 : 40);
        return result;
    }
};

using integer = number<int>;
using flag = number<int, bool>;
using int64 = number<std::int64_t>;
using uint64 = number<std::uint64_t>;
using type_of_socket = number<int, socket_type>;
using event_bits = number<int, poll_events>;
using milliseconds = duration<std::chrono::milliseconds>;
using seconds = duration<std::chrono::seconds>;
using text = string<true>;
using bytes = string<false>;

} // namespace kind

template <int Number, class Kind, access Access> struct option {
    using kind_type = Kind;
    // The type of a value that is set.
    using value_type = typename Kind::value_type;
    // The type of a value that is read.
    using result_type = std::conditional_t<std::is_same_v<value_type, bytes_view>, std::string, value_type>;
    static constexpr int number = Number;
    static constexpr bool can_be_read = Access != access::write_only;
    static constexpr bool can_be_set = Access != access::read_only;
};

inline constexpr option<ZMQ_AFFINITY, kind::uint64, access::read_write> affinity;
inline constexpr option<ZMQ_ROUTING_ID, kind::bytes, access::read_write> routing_id;
inline constexpr option<ZMQ_SUBSCRIBE, kind::bytes, access::write_only> subscribe;
inline constexpr option<ZMQ_UNSUBSCRIBE, kind::bytes, access::write_only> unsubscribe;
inline constexpr option<ZMQ_RATE, kind::integer, access::read_write> rate;
inline constexpr option<ZMQ_RECOVERY_IVL, kind::milliseconds, access::read_write> recovery_interval;
inline constexpr option<ZMQ_SNDBUF, kind::integer, access::read_write> send_buffer;
inline constexpr option<ZMQ_RCVBUF, kind::integer, access::read_write> receive_buffer;
inline constexpr option<ZMQ_RCVMORE, kind::flag, access::read_only> receive_more;
inline constexpr option<ZMQ_FD, kind::integer, access::read_only> descriptor;
inline constexpr option<ZMQ_EVENTS, kind::event_bits, access::read_only> events;
inline constexpr option<ZMQ_TYPE, kind::type_of_socket, access::read_only> type;
inline constexpr option<ZMQ_LINGER, kind::milliseconds, access::read_write> linger;
inline constexpr option<ZMQ_RECONNECT_IVL, kind::milliseconds, access::read_write> reconnect_interval;
inline constexpr option<ZMQ_RECONNECT_IVL_MAX, kind::milliseconds, access::read_write> reconnect_interval_max;
inline constexpr option<ZMQ_BACKLOG, kind::integer, access::read_write> backlog;
inline constexpr option<ZMQ_MAXMSGSIZE, kind::int64, access::read_write> max_message_size;
inline constexpr option<ZMQ_SNDHWM, kind::integer, access::read_write> send_hwm;
inline constexpr option<ZMQ_RCVHWM, kind::integer, access::read_write> receive_hwm;
inline constexpr option<ZMQ_MULTICAST_HOPS, kind::integer, access::read_write> multicast_hops;
inline constexpr option<ZMQ_RCVTIMEO, kind::milliseconds, access::read_write> receive_timeout;
inline constexpr option<ZMQ_SNDTIMEO, kind::milliseconds, access::read_write> send_timeout;
inline constexpr option<ZMQ_LAST_ENDPOINT, kind::text, access::read_only> last_endpoint;
inline constexpr option<ZMQ_ROUTER_MANDATORY, kind::flag, access::write_only> router_mandatory;
inline constexpr option<ZMQ_TCP_KEEPALIVE, kind::integer, access::read_write> tcp_keepalive;
inline constexpr option<ZMQ_TCP_KEEPALIVE_CNT, kind::integer, access::read_write> tcp_keepalive_count;
inline constexpr option<ZMQ_TCP_KEEPALIVE_IDLE, kind::seconds, access::read_write> tcp_keepalive_idle;
inline constexpr option<ZMQ_TCP_KEEPALIVE_INTVL, kind::seconds, access::read_write> tcp_keepalive_interval;
inline constexpr option<ZMQ_IMMEDIATE, kind::flag, access::read_write> immediate;
inline constexpr option<ZMQ_XPUB_VERBOSE, kind::flag, access::write_only> xpub_verbose;
inline constexpr option<ZMQ_XPUB_VERBOSER, kind::flag, access::write_only> xpub_verboser;
inline constexpr option<ZMQ_XPUB_NODROP, kind::flag, access::write_only> xpub_nodrop;
inline constexpr option<ZMQ_XPUB_MANUAL, kind::flag, access::write_only> xpub_manual;
inline constexpr option<ZMQ_XPUB_WELCOME_MSG, kind::bytes, access::write_only> xpub_welcome_message;
inline constexpr option<ZMQ_IPV6, kind::flag, access::read_write> ipv6;
inline constexpr option<ZMQ_MECHANISM, kind::integer, access::read_only> mechanism;
inline constexpr option<ZMQ_PLAIN_SERVER, kind::flag, access::read_write> plain_server;
inline constexpr option<ZMQ_PLAIN_USERNAME, kind::text, access::read_write> plain_username;
inline constexpr option<ZMQ_PLAIN_PASSWORD, kind::text, access::read_write> plain_password;
inline constexpr option<ZMQ_CURVE_SERVER, kind::flag, access::read_write> curve_server;
inline constexpr option<ZMQ_CURVE_PUBLICKEY, kind::key, access::read_write> curve_public_key;
inline constexpr option<ZMQ_CURVE_SECRETKEY, kind::key, access::read_write> curve_secret_key;
inline constexpr option<ZMQ_CURVE_SERVERKEY, kind::key, access::read_write> curve_server_key;
inline constexpr option<ZMQ_PROBE_ROUTER, kind::flag, access::write_only> probe_router;
inline constexpr option<ZMQ_REQ_CORRELATE, kind::flag, access::write_only> req_correlate;
inline constexpr option<ZMQ_REQ_RELAXED, kind::flag, access::write_only> req_relaxed;
inline constexpr option<ZMQ_CONFLATE, kind::flag, access::write_only> conflate;
inline constexpr option<ZMQ_ZAP_DOMAIN, kind::text, access::read_write> zap_domain;
inline constexpr option<ZMQ_ROUTER_HANDOVER, kind::flag, access::write_only> router_handover;
inline constexpr option<ZMQ_TOS, kind::integer, access::read_write> type_of_service;
inline constexpr option<ZMQ_CONNECT_ROUTING_ID, kind::bytes, access::write_only> connect_routing_id;
inline constexpr option<ZMQ_HANDSHAKE_IVL, kind::milliseconds, access::read_write> handshake_interval;
inline constexpr option<ZMQ_SOCKS_PROXY, kind::text, access::read_write> socks_proxy;
inline constexpr option<ZMQ_STREAM_NOTIFY, kind::flag, access::write_only> stream_notify;
inline constexpr option<ZMQ_INVERT_MATCHING, kind::flag, access::read_write> invert_matching;
inline constexpr option<ZMQ_HEARTBEAT_IVL, kind::milliseconds, access::read_write> heartbeat_interval;
inline constexpr option<ZMQ_HEARTBEAT_TTL, kind::milliseconds, access::read_write> heartbeat_ttl;
inline constexpr option<ZMQ_HEARTBEAT_TIMEOUT, kind::milliseconds, access::read_write> heartbeat_timeout;
inline constexpr option<ZMQ_CONNECT_TIMEOUT, kind::milliseconds, access::read_write> connect_timeout;
inline constexpr option<ZMQ_TCP_MAXRT, kind::milliseconds, access::read_write> tcp_max_retransmit;
inline constexpr option<ZMQ_THREAD_SAFE, kind::flag, access::read_only> thread_safe;
// ZLINK_LOOP_FD and ZLINK_LOOP_EVENTS, also for a program that is built with libzmq's header and runs on
// zlink.
inline constexpr option<10091, kind::integer, access::read_only> loop_descriptor;
inline constexpr option<10092, kind::event_bits, access::read_only> loop_events;
inline constexpr option<ZMQ_USE_FD, kind::integer, access::read_write> use_descriptor;
inline constexpr option<ZMQ_BINDTODEVICE, kind::text, access::read_write> bind_to_device;
#ifdef ZLINK_HAS_DRAFTS
#ifdef ZMQ_ZAP_ENFORCE_DOMAIN
inline constexpr option<ZMQ_ZAP_ENFORCE_DOMAIN, kind::flag, access::read_write> zap_enforce_domain;
#endif
#ifdef ZMQ_ROUTER_NOTIFY
inline constexpr option<ZMQ_ROUTER_NOTIFY, kind::integer, access::read_write> router_notify;
#endif
#ifdef ZMQ_RECONNECT_STOP
inline constexpr option<ZMQ_RECONNECT_STOP, kind::integer, access::read_write> reconnect_stop;
#endif
#ifdef ZMQ_HELLO_MSG
inline constexpr option<ZMQ_HELLO_MSG, kind::bytes, access::write_only> hello_message;
#endif
#ifdef ZMQ_DISCONNECT_MSG
inline constexpr option<ZMQ_DISCONNECT_MSG, kind::bytes, access::write_only> disconnect_message;
#endif
#ifdef ZMQ_HICCUP_MSG
inline constexpr option<ZMQ_HICCUP_MSG, kind::bytes, access::write_only> hiccup_message;
#endif
#endif
#ifdef ZLINK_HAS_ZLINK
// Counts of connections that ended or did not come to be, by reason: docs/api/zlink_options.md.
inline constexpr option<ZLINK_CLOSED_LOCAL, kind::uint64, access::read_only> closed_local;
inline constexpr option<ZLINK_CLOSED_PEER, kind::uint64, access::read_only> closed_peer;
inline constexpr option<ZLINK_CLOSED_HANDSHAKE_FAILED, kind::uint64, access::read_only>
    closed_handshake_failed;
inline constexpr option<ZLINK_CLOSED_HANDSHAKE_TIMEOUT, kind::uint64, access::read_only>
    closed_handshake_timeout;
inline constexpr option<ZLINK_CLOSED_MALFORMED, kind::uint64, access::read_only> closed_malformed;
inline constexpr option<ZLINK_CLOSED_OVERSIZE, kind::uint64, access::read_only> closed_oversize;
inline constexpr option<ZLINK_CLOSED_HEARTBEAT, kind::uint64, access::read_only> closed_heartbeat;
inline constexpr option<ZLINK_CLOSED_FILTERED, kind::uint64, access::read_only> closed_filtered;
inline constexpr option<ZLINK_CLOSED_NO_MEMORY, kind::uint64, access::read_only> closed_no_memory;
inline constexpr option<ZLINK_CLOSED_ACCEPT_FAILED, kind::uint64, access::read_only> closed_accept_failed;
inline constexpr option<ZLINK_CLOSED_CONNECT_FAILED, kind::uint64, access::read_only> closed_connect_failed;
inline constexpr option<ZLINK_CLOSED_OVER_LIMIT, kind::uint64, access::read_only> closed_over_limit;
#endif

} // namespace opt
} // namespace v1
} // namespace zlink
