// SPDX-License-Identifier: MPL-2.0
#include "metrics/text.hpp"

#include <cstdio>
#include <iterator>
#include <map>
#include <vector>

#include "counters/layout.hpp"

namespace zlink::metrics {
namespace {

// One counter of several that a metric shows. Its name ends so, behind what the names have in common.
struct labelled_counter {
    constexpr labelled_counter(const char *both) : value(both), end(both) {}
    constexpr labelled_counter(const char *of_label, const char *of_name) : value(of_label), end(of_name) {}
    const char *value; // of the label
    const char *end;
};

// A metric shows one counter, or each of `several`.
struct metric {
    const char *name, *type, *help, *counter;
    const char *label = nullptr;
    std::span<const labelled_counter> several{};
    double unit = 1; // of the counter, in that of the metric
};

constexpr const char *counts = "counter";
constexpr const char *gauges = "gauge";
constexpr labelled_counter directions[] = {"out", "in"};
constexpr labelled_counter directions_of_bytes[] = {{"out", "out.bytes"}, {"in", "in.bytes"}};
constexpr labelled_counter sides[] = {"accepted", "connected"};
constexpr labelled_counter results[] = {
    {"done", ""}, {"failed", ".failed"}, {"protocol", ".failed.protocol"}, {"auth", ".failed.auth"}};
constexpr labelled_counter parts[] = {"tls", "curve", "zap", "mechanism"};
constexpr labelled_counter drops[] = {
    "mark_reached",   "byte_mark_reached", "no_subscriber", "unroutable", "replaced", "conflated",
    "linger_expired", "connection_lost",   "policy",        "unread",     "filtered"};
constexpr labelled_counter closings[] = {
    "local",     "peer",     "handshake_failed", "handshake_timeout", "malformed",      "oversize",
    "heartbeat", "filtered", "no_memory",        "accept_failed",     "connect_failed", "over_limit"};
static_assert(std::size(drops) == counters::drop_reasons && std::size(closings) == counters::closings);

constexpr metric metrics[] = {
    {"zlink_sent_messages_total", counts, "Messages that sends have given to peers.", "sent.messages"},
    {"zlink_sent_bytes_total", counts, "Bytes of these messages on the wire.", "sent.bytes"},
    {"zlink_received_messages_total", counts, "Messages that the application has received.",
     "received.messages"},
    {"zlink_received_bytes_total", counts, "Bytes that have come from peers.", "received.bytes"},
    {"zlink_queued_messages", gauges, "Messages that wait.", "queued.", "direction", directions},
    {"zlink_queued_bytes", gauges, "Bytes that wait in queues with a mark in bytes.", "queued.", "direction",
     directions_of_bytes},
    {"zlink_dropped_messages_total", counts, "Messages that will not be received.", "dropped.", "reason",
     drops},
    {"zlink_replayed_messages_total", counts, "Messages sent that were kept for late subscribers.",
     "replayed.messages"},
    {"zlink_peers", gauges, "Peers of the socket.", "peers"},
    {"zlink_subscriptions", gauges, "Topics of the socket or of its subscribers.", "subscriptions"},
    {"zlink_send_blocked_total", counts, "Sends that found no room.", "send_blocked"},
    {.name = "zlink_send_blocked_seconds_total",
     .type = counts,
     .help = "Time that they have waited.",
     .counter = "send_blocked.time",
     .unit = 1e-9},
    {"zlink_wakeups_total", counts, "Sleeps of the socket's thread.", "wakeups"},
    {"zlink_connections_total", counts, "Connections that were made.", "", "side", sides},
    {"zlink_connection_retries_total", counts, "Attempts to connect again.", "retries"},
    {"zlink_handshakes_total", counts, "Handshakes, by their result.", "handshakes", "result", results},
    {"zlink_handshake_failures_total", counts, "Failed handshakes whose fault lies in one part.",
     "handshakes.failed.", "part", parts},
    {"zlink_heartbeats_missed_total", counts, "PINGs that had no answer in time.", "heartbeats.missed"},
    {"zlink_connections_closed_total", counts, "Connections that ended.", "closed.", "reason", closings},
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
    for (const metric &row : metrics) {
        const std::string name = row.name;
        made += "# HELP " + name + ' ' + row.help + "\n# TYPE " + name + ' ' + row.type + '\n';
        const auto show = [&](const std::string &label, const std::string &counter) {
            for (const labelled &one : sockets)
                made += name + '{' + one.labels + label + "} " +
                        in_unit(one.socket->number(counter.c_str()), row.unit) + '\n';
        };
        if (row.several.empty())
            show("", row.counter);
        for (const labelled_counter &one : row.several)
            show(std::string(",") + row.label + "=\"" + one.value + '"', std::string(row.counter) + one.end);
    }
    return made;
}

} // namespace zlink::metrics
