// SPDX-License-Identifier: MPL-2.0
// zlink metrics: counters in the text format of Prometheus.
#include <memory>
#include <optional>
#include <utility>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/http_server.hpp"
#include "common/output.hpp"
#include "common/statistics.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct metrics_options {
    std::vector<std::string> processes;
    std::optional<std::string> listen;
};

// A metric: its name, and the counter that it shows.
struct metric {
    const char *name, *type, *help, *counter;
    const char *label; // a further label, as name="value"; empty: none
    double unit = 1;   // of the counter, in that of the metric
};

constexpr const char *counts = "counter";
constexpr const char *gauges = "gauge";

// Rows of one name stand together.
const metric metrics[] = {
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
    {"zlink_connections_closed_total", counts, "Connections that ended.", "closed.peer", R"(reason="peer")"},
    {"zlink_connections_closed_total", counts, "", "closed.heartbeat", R"(reason="heartbeat")"},
    {"zlink_connections_closed_total", counts, "", "closed.malformed", R"(reason="malformed")"},
    {"zlink_connections_closed_total", counts, "", "closed.oversize", R"(reason="oversize")"},
    {"zlink_connections_closed_total", counts, "", "closed.connect_failed", R"(reason="connect_failed")"},
};

std::string quoted(const std::string &text) {
    std::string made = "\"";
    for (const char one : printable(text, 256)) {
        if (one == '\\' || one == '"')
            made += '\\';
        made += one;
    }
    return made + '"';
}

struct labelled {
    std::string labels;
    const counted_subject *socket;
};

std::vector<labelled> sockets_of(const std::vector<statistics> &all) {
    std::vector<labelled> found;
    for (const statistics &process : all)
        for (std::size_t context = 0; context < process.contexts().size(); ++context) {
            const auto sockets = process.contexts()[context].parts_of(ZLINK_STATS_SOCKET);
            for (const counted_subject *socket : sockets)
                found.push_back({concat("pid=\"", process.pid(), "\",program=", quoted(process.program()),
                                        ",context=\"", context, "\",socket=\"", socket->number("id"),
                                        "\",type=", quoted(socket->text("type")),
                                        ",endpoint=", quoted(socket->text("endpoint"))),
                                 socket});
        }
    return found;
}

std::string text_of(const std::vector<statistics> &all) {
    const auto sockets = sockets_of(all);
    std::string made;
    std::string last;
    for (const metric &row : metrics) {
        if (std::exchange(last, row.name) != row.name)
            made += concat("# HELP ", row.name, ' ', row.help, "\n# TYPE ", row.name, ' ', row.type, '\n');
        for (const labelled &one : sockets) {
            const std::uint64_t value = one.socket->number(row.counter);
            made += concat(row.name, '{', one.labels, *row.label == '\0' ? "" : ",", row.label, "} ");
            made += row.unit == 1 ? std::to_string(value) : fixed(static_cast<double>(value) * row.unit, 9);
            made += '\n';
        }
    }
    return made;
}

int run_metrics(const metrics_options &options) {
    if (!options.listen) {
        output out;
        out.write(text_of(statistics::of_those(options.processes, true)));
        out.flush();
        return status_done;
    }
    (void)statistics::of_those(options.processes, true);
    http_server server(*options.listen);
    note("serving " + server.endpoint());
    server.serve([&](const std::string &path) -> http_answer {
        if (path != "/metrics" && path != "/")
            return {404, "text/plain", "look at /metrics\n"};
        return {200, "text/plain; version=0.0.4; charset=utf-8",
                text_of(statistics::of_those(options.processes, false))};
    });
    return 128 + stop_signal::number();
}

} // namespace

action declare_metrics(arguments &declared) {
    auto options = std::make_shared<metrics_options>();
    declared.option("processes", options->processes, "PID",
                    "The processes, or files of ZLINK_RUNTIME_DIR; all, if none is given");
    declared.option("--listen", options->listen, "ENDPOINT",
                    "Serve them by HTTP, as tcp://127.0.0.1:9464, until a signal; otherwise print them once");
    return [options] {
        stop_signal::install();
        return run_metrics(*options);
    };
}

} // namespace cli
