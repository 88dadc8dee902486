// SPDX-License-Identifier: MPL-2.0
#include "metrics/text.hpp"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace zlink::metrics {
namespace {

// A metric: its name, and the counter that it shows.
struct metric {
    const char *name, *type, *help, *counter;
    const char *label; // a further label, as name="value"; empty: none
    double unit = 1;   // of the counter, in that of the metric
};

constexpr const char *counts = "counter";
constexpr const char *gauges = "gauge";

// Rows of one name stand together.
constexpr metric rows[] = {
    {"zlink_sent_messages_total", counts, "Messages that sends have given to peers.", "sent.messages", ""},
    {"zlink_sent_bytes_total", counts, "Bytes of these messages on the wire.", "sent.bytes", ""},
    {"zlink_received_messages_total", counts, "Messages that the application has received.",
     "received.messages", ""},
    {"zlink_received_bytes_total", counts, "Bytes that have come from peers.", "received.bytes", ""},
    {"zlink_queued_messages", gauges, "Messages that wait.", "queued.out", R"(direction="out")"},
    {"zlink_queued_messages", gauges, "", "queued.in", R"(direction="in")"},
    {"zlink_dropped_messages_total", counts, "Messages that will not be received.", "dropped.mark_reached",
     R"(reason="mark_reached")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.no_subscriber", R"(reason="no_subscriber")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.unroutable", R"(reason="unroutable")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.replaced", R"(reason="replaced")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.linger_expired", R"(reason="linger_expired")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.connection_lost", R"(reason="connection_lost")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.policy", R"(reason="policy")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.unread", R"(reason="unread")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.filtered", R"(reason="filtered")"},
    {"zlink_dropped_messages_total", counts, "", "dropped.conflated", R"(reason="conflated")"},
    {"zlink_peers", gauges, "Peers of the socket.", "peers", ""},
    {"zlink_subscriptions", gauges, "Topics of the socket or of its subscribers.", "subscriptions", ""},
    {"zlink_send_blocked_total", counts, "Sends that found no room.", "send_blocked", ""},
    {"zlink_send_blocked_seconds_total", counts, "Time that they have waited.", "send_blocked.time", "",
     1e-9},
    {"zlink_wakeups_total", counts, "Sleeps of the socket's thread.", "wakeups", ""},
    {"zlink_connections_total", counts, "Connections that were made.", "accepted", R"(side="accepted")"},
    {"zlink_connections_total", counts, "", "connected", R"(side="connected")"},
    {"zlink_connection_retries_total", counts, "Attempts to connect again.", "retries", ""},
    {"zlink_handshakes_total", counts, "Handshakes, by their result.", "handshakes", R"(result="done")"},
    {"zlink_handshakes_total", counts, "", "handshakes.failed", R"(result="failed")"},
    {"zlink_handshakes_total", counts, "", "handshakes.failed.protocol", R"(result="protocol")"},
    {"zlink_handshakes_total", counts, "", "handshakes.failed.auth", R"(result="auth")"},
    {"zlink_handshake_failures_total", counts, "Failed handshakes whose fault lies in one part.",
     "handshakes.failed.tls", R"(part="tls")"},
    {"zlink_handshake_failures_total", counts, "", "handshakes.failed.curve", R"(part="curve")"},
    {"zlink_handshake_failures_total", counts, "", "handshakes.failed.zap", R"(part="zap")"},
    {"zlink_handshake_failures_total", counts, "", "handshakes.failed.mechanism", R"(part="mechanism")"},
    {"zlink_connections_closed_total", counts, "Connections that ended.", "closed.local",
     R"(reason="local")"},
    {"zlink_connections_closed_total", counts, "", "closed.peer", R"(reason="peer")"},
    {"zlink_connections_closed_total", counts, "", "closed.handshake_failed", R"(reason="handshake_failed")"},
    {"zlink_connections_closed_total", counts, "", "closed.handshake_timeout",
     R"(reason="handshake_timeout")"},
    {"zlink_connections_closed_total", counts, "", "closed.filtered", R"(reason="filtered")"},
    {"zlink_connections_closed_total", counts, "", "closed.no_memory", R"(reason="no_memory")"},
    {"zlink_connections_closed_total", counts, "", "closed.accept_failed", R"(reason="accept_failed")"},
    {"zlink_connections_closed_total", counts, "", "closed.heartbeat", R"(reason="heartbeat")"},
    {"zlink_connections_closed_total", counts, "", "closed.malformed", R"(reason="malformed")"},
    {"zlink_connections_closed_total", counts, "", "closed.oversize", R"(reason="oversize")"},
    {"zlink_connections_closed_total", counts, "", "closed.over_limit", R"(reason="over_limit")"},
    {"zlink_connections_closed_total", counts, "", "closed.connect_failed", R"(reason="connect_failed")"},
};

// The characters that would end a label's value are escaped. Those that are no text of ASCII become \\xNN.
std::string quoted(const std::string &text) {
    std::string made = "\"";
    for (const char one : text) {
        char hexadecimal[8];
        std::snprintf(hexadecimal, sizeof hexadecimal, "\\\\x%02x", static_cast<unsigned char>(one));
        if (one < ' ' || one == 0x7f)
            made += hexadecimal;
        else
            made += (one == '\\' || one == '"') ? std::string{'\\', one} : std::string{one};
    }
    return made + '"';
}

struct labelled {
    std::string labels;
    const counters::subject_values *socket;
};

std::vector<labelled> sockets_of(std::span<const counters::snapshot> contexts) {
    std::vector<labelled> found;
    std::map<std::uint32_t, int> contexts_of_process;
    for (const counters::snapshot &one : contexts) {
        const std::string begin = "pid=\"" + std::to_string(one.pid) + "\",program=" + quoted(one.program) +
                                  ",context=\"" + std::to_string(contexts_of_process[one.pid]++) + '"';
        for (const counters::subject_values &part : one.subjects)
            if (part.kind == counters::subject_kind::socket)
                found.push_back({begin + ",socket=\"" + std::to_string(part.id) + "\",type=" +
                                     quoted(part.text("type")) + ",endpoint=" + quoted(part.text("endpoint")),
                                 &part});
    }
    return found;
}

std::string in_unit(std::uint64_t value, double unit) {
    if (unit == 1)
        return std::to_string(value);
    char text[64];
    std::snprintf(text, sizeof text, "%.9f", static_cast<double>(value) * unit);
    return text;
}

} // namespace

std::string text_of(std::span<const counters::snapshot> contexts) {
    const std::vector<labelled> sockets = sockets_of(contexts);
    std::string made;
    std::string_view last;
    for (const metric &row : rows) {
        const std::string name = row.name;
        if (std::exchange(last, row.name) != row.name)
            made += "# HELP " + name + ' ' + row.help + "\n# TYPE " + name + ' ' + row.type + '\n';
        for (const labelled &one : sockets)
            made += name + '{' + one.labels + (*row.label == '\0' ? "" : ",") + row.label + "} " +
                    in_unit(one.socket->number(row.counter), row.unit) + '\n';
    }
    return made;
}

} // namespace zlink::metrics
