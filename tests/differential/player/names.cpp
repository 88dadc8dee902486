// SPDX-License-Identifier: MPL-2.0
#include "names.hpp"

#include <zmq.h>

#include <cerrno>
#include <charconv>
#include <span>

namespace {

struct row {
    std::string_view name;
    int number;
};

std::optional<int> find(std::span<const row> rows, std::string_view name) {
    for (const row &each : rows) {
        if (each.name == name) {
            return each.number;
        }
    }
    if (auto value = number(name)) {
        return static_cast<int>(*value);
    }
    return std::nullopt;
}

#define NAMED(name)                                                                                          \
    { #name, name }
constexpr row errors[] = {
    NAMED(EAGAIN),       NAMED(EINVAL),         NAMED(EFAULT),        NAMED(ENOTSOCK),    NAMED(ENOTSUP),
    NAMED(ENOBUFS),      NAMED(EADDRINUSE),     NAMED(EADDRNOTAVAIL), NAMED(ENETDOWN),    NAMED(ECONNREFUSED),
    NAMED(EINPROGRESS),  NAMED(EMSGSIZE),       NAMED(EAFNOSUPPORT),  NAMED(ENETUNREACH), NAMED(ECONNABORTED),
    NAMED(ECONNRESET),   NAMED(ENOTCONN),       NAMED(ETIMEDOUT),     NAMED(ENETRESET),   NAMED(EHOSTUNREACH),
    NAMED(EFSM),         NAMED(ENOCOMPATPROTO), NAMED(ETERM),         NAMED(EMTHREAD),    NAMED(ENOENT),
    NAMED(ENODEV),       NAMED(EMFILE),         NAMED(ENOMEM),        NAMED(EINTR),       NAMED(EBADF),
    NAMED(EACCES),       NAMED(EPERM),          NAMED(ENAMETOOLONG),  NAMED(ENOTDIR),     NAMED(EISDIR),
    NAMED(ENXIO),        NAMED(EPIPE),          NAMED(EEXIST),        NAMED(EPROTO),      NAMED(EOPNOTSUPP),
    NAMED(EALREADY),     NAMED(EISCONN),        NAMED(ENOSYS),        NAMED(ERANGE),      NAMED(ELOOP),
    NAMED(EROFS),        NAMED(ENOSPC),         NAMED(ENFILE),        NAMED(EDOM),        NAMED(EBUSY),
    NAMED(EDESTADDRREQ), NAMED(EPROTONOSUPPORT)};
#undef NAMED

#define TYPE(name)                                                                                           \
    { #name, ZMQ_##name }
constexpr row types[] = {TYPE(PAIR),   TYPE(PUB),    TYPE(SUB),    TYPE(REQ),  TYPE(REP),    TYPE(DEALER),
                         TYPE(ROUTER), TYPE(PULL),   TYPE(PUSH),   TYPE(XPUB), TYPE(XSUB),   TYPE(STREAM),
                         TYPE(SERVER), TYPE(CLIENT), TYPE(RADIO),  TYPE(DISH), TYPE(GATHER), TYPE(SCATTER),
                         TYPE(DGRAM),  TYPE(PEER),   TYPE(CHANNEL)};
constexpr row context_options[] = {TYPE(IO_THREADS),
                                   TYPE(MAX_SOCKETS),
                                   TYPE(SOCKET_LIMIT),
                                   TYPE(THREAD_PRIORITY),
                                   TYPE(THREAD_SCHED_POLICY),
                                   TYPE(MAX_MSGSZ),
                                   TYPE(MSG_T_SIZE),
                                   TYPE(THREAD_AFFINITY_CPU_ADD),
                                   TYPE(THREAD_NAME_PREFIX),
                                   TYPE(THREAD_AFFINITY_CPU_REMOVE),
                                   TYPE(ZERO_COPY_RECV),
                                   TYPE(IPV6),
                                   TYPE(BLOCKY)};
constexpr row socket_options[] = {TYPE(AFFINITY),
                                  TYPE(ROUTING_ID),
                                  TYPE(SUBSCRIBE),
                                  TYPE(UNSUBSCRIBE),
                                  TYPE(RATE),
                                  TYPE(RECOVERY_IVL),
                                  TYPE(SNDBUF),
                                  TYPE(RCVBUF),
                                  TYPE(RCVMORE),
                                  TYPE(FD),
                                  TYPE(EVENTS),
                                  TYPE(TYPE),
                                  TYPE(LINGER),
                                  TYPE(RECONNECT_IVL),
                                  TYPE(BACKLOG),
                                  TYPE(RECONNECT_IVL_MAX),
                                  TYPE(MAXMSGSIZE),
                                  TYPE(SNDHWM),
                                  TYPE(RCVHWM),
                                  TYPE(MULTICAST_HOPS),
                                  TYPE(RCVTIMEO),
                                  TYPE(SNDTIMEO),
                                  TYPE(IPV4ONLY),
                                  TYPE(LAST_ENDPOINT),
                                  TYPE(ROUTER_MANDATORY),
                                  TYPE(TCP_KEEPALIVE),
                                  TYPE(TCP_KEEPALIVE_CNT),
                                  TYPE(TCP_KEEPALIVE_IDLE),
                                  TYPE(TCP_KEEPALIVE_INTVL),
                                  TYPE(TCP_ACCEPT_FILTER),
                                  TYPE(IMMEDIATE),
                                  TYPE(XPUB_VERBOSE),
                                  TYPE(ROUTER_RAW),
                                  TYPE(IPV6),
                                  TYPE(MECHANISM),
                                  TYPE(PLAIN_SERVER),
                                  TYPE(PLAIN_USERNAME),
                                  TYPE(PLAIN_PASSWORD),
                                  TYPE(CURVE_SERVER),
                                  TYPE(CURVE_PUBLICKEY),
                                  TYPE(CURVE_SECRETKEY),
                                  TYPE(CURVE_SERVERKEY),
                                  TYPE(PROBE_ROUTER),
                                  TYPE(REQ_CORRELATE),
                                  TYPE(REQ_RELAXED),
                                  TYPE(CONFLATE),
                                  TYPE(ZAP_DOMAIN),
                                  TYPE(ROUTER_HANDOVER),
                                  TYPE(TOS),
                                  TYPE(IPC_FILTER_PID),
                                  TYPE(IPC_FILTER_UID),
                                  TYPE(IPC_FILTER_GID),
                                  TYPE(CONNECT_ROUTING_ID),
                                  TYPE(GSSAPI_SERVER),
                                  TYPE(GSSAPI_PRINCIPAL),
                                  TYPE(GSSAPI_SERVICE_PRINCIPAL),
                                  TYPE(GSSAPI_PLAINTEXT),
                                  TYPE(HANDSHAKE_IVL),
                                  TYPE(SOCKS_PROXY),
                                  TYPE(XPUB_NODROP),
                                  TYPE(XPUB_MANUAL),
                                  TYPE(XPUB_WELCOME_MSG),
                                  TYPE(STREAM_NOTIFY),
                                  TYPE(INVERT_MATCHING),
                                  TYPE(HEARTBEAT_IVL),
                                  TYPE(HEARTBEAT_TTL),
                                  TYPE(HEARTBEAT_TIMEOUT),
                                  TYPE(XPUB_VERBOSER),
                                  TYPE(CONNECT_TIMEOUT),
                                  TYPE(TCP_MAXRT),
                                  TYPE(THREAD_SAFE),
                                  TYPE(MULTICAST_MAXTPDU),
                                  TYPE(VMCI_BUFFER_SIZE),
                                  TYPE(VMCI_CONNECT_TIMEOUT),
                                  TYPE(USE_FD),
                                  TYPE(BINDTODEVICE),
                                  TYPE(ZAP_ENFORCE_DOMAIN),
                                  TYPE(LOOPBACK_FASTPATH),
                                  TYPE(METADATA),
                                  TYPE(MULTICAST_LOOP),
                                  TYPE(ROUTER_NOTIFY),
                                  TYPE(XPUB_MANUAL_LAST_VALUE),
                                  TYPE(SOCKS_USERNAME),
                                  TYPE(SOCKS_PASSWORD),
                                  TYPE(IN_BATCH_SIZE),
                                  TYPE(OUT_BATCH_SIZE),
                                  TYPE(ONLY_FIRST_SUBSCRIBE),
                                  TYPE(RECONNECT_STOP),
                                  TYPE(HELLO_MSG),
                                  TYPE(DISCONNECT_MSG),
                                  TYPE(PRIORITY),
                                  TYPE(BUSY_POLL),
                                  TYPE(HICCUP_MSG),
                                  TYPE(XSUB_VERBOSE_UNSUBSCRIBE),
                                  TYPE(TOPICS_COUNT)};
#undef TYPE

#define EVENT(name)                                                                                          \
    { #name, ZMQ_EVENT_##name }
constexpr row events[] = {EVENT(CONNECTED),
                          EVENT(CONNECT_DELAYED),
                          EVENT(CONNECT_RETRIED),
                          EVENT(LISTENING),
                          EVENT(BIND_FAILED),
                          EVENT(ACCEPTED),
                          EVENT(ACCEPT_FAILED),
                          EVENT(CLOSED),
                          EVENT(CLOSE_FAILED),
                          EVENT(DISCONNECTED),
                          EVENT(MONITOR_STOPPED),
                          EVENT(HANDSHAKE_FAILED_NO_DETAIL),
                          EVENT(HANDSHAKE_SUCCEEDED),
                          EVENT(HANDSHAKE_FAILED_PROTOCOL),
                          EVENT(HANDSHAKE_FAILED_AUTH),
                          EVENT(PIPES_STATS),
                          EVENT(ALL)};
#undef EVENT

constexpr std::string_view letters = "ioep";

} // namespace

std::optional<long long> number(std::string_view text) {
    long long value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
        return std::nullopt;
    }
    return value;
}

std::string errno_name(int code) {
    for (const row &each : errors) {
        if (each.number == code) {
            return std::string(each.name);
        }
    }
    return "errno " + std::to_string(code);
}

std::optional<int> socket_type(std::string_view name) {
    return find(types, name);
}

std::optional<int> socket_option(std::string_view name) {
    return find(socket_options, name);
}

std::optional<int> context_option(std::string_view name) {
    return find(context_options, name);
}

std::string event_name(std::uint64_t event) {
    for (const row &each : events) {
        if (static_cast<std::uint64_t>(each.number) == event) {
            return std::string(each.name);
        }
    }
    return "event " + std::to_string(event);
}

std::optional<std::uint64_t> event_mask(std::string_view names) {
    std::uint64_t mask = 0;
    while (!names.empty()) {
        const std::size_t bar = names.find('|');
        const auto value = find(events, names.substr(0, bar));
        if (!value) {
            return std::nullopt;
        }
        mask |= static_cast<std::uint64_t>(*value);
        names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
    }
    return mask;
}

std::string poll_letters(short events_set) {
    std::string text;
    for (std::size_t bit = 0; bit < letters.size(); bit++) {
        if (events_set & (1 << bit)) {
            text += letters[bit];
        }
    }
    if (events_set & ~0xf) {
        text += "+" + std::to_string(events_set & ~0xf);
    }
    return text.empty() ? "-" : text;
}

short poll_bits(std::string_view text) {
    int bits = 0;
    for (const char letter : text) {
        const std::size_t bit = letters.find(letter);
        bits |= bit == std::string_view::npos ? (letter == 'x' ? 16 : 0) : 1 << bit;
    }
    return static_cast<short>(bits);
}
