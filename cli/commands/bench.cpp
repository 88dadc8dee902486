// SPDX-License-Identifier: MPL-2.0
// zlink bench: throughput and latency between two sockets.
#include <algorithm>
#include <arpa/inet.h>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <zmq.h>

#include "common/bench_sides.hpp"
#include "common/benchmark.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/messaging.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct bench_options {
    std::string role{"both"}, pattern{"push-pull"}, endpoint{"inproc://bench"};
    std::uint64_t size{64}, count{0};
    double rate{0}, seconds{5}, warm_up{0.2}, timeout{10};
    bool json{false}, chart{false};
    endpoint_options socket;
};

bool is_over(const bench_options &options, std::string_view transport) {
    return options.endpoint.starts_with(std::string(transport) + "://");
}

// Behind "udp://".
std::string address_of(const std::string &endpoint) {
    return endpoint.substr(endpoint.find("://") + 3);
}

bool is_numeric(const std::string &address) {
    const auto colon = address.rfind(':');
    if (colon == address.npos || colon == 0)
        return false;
    const bool is_ipv6 = address.front() == '[' && address[colon - 1] == ']';
    const std::string host = is_ipv6 ? address.substr(1, colon - 2) : address.substr(0, colon);
    in6_addr number{};
    return ::inet_pton(is_ipv6 ? AF_INET6 : AF_INET, host.substr(0, host.find('%')).c_str(), &number) == 1;
}

void check_transport(const bench_options &options, const bench_pattern &pattern) {
    // Of a datagram over IPv4. RADIO puts the name of the group and its length in front.
    constexpr std::uint64_t most_of_datagram = 65507;
    const bool is_stream = pattern.client == ZMQ_STREAM, is_dgram = pattern.client == ZMQ_DGRAM;
    const std::uint64_t most_over_udp = is_dgram ? most_of_datagram : most_of_datagram - 6;
    const auto wrong = [](const std::string &line) { throw failure(line, status_usage); };
    if (is_stream && !is_over(options, "tcp") && !is_over(options, "ipc") && !is_over(options, "tls"))
        wrong("a STREAM needs bytes without messages: give --endpoint 'tcp://127.0.0.1:*', or one of ipc or "
              "tls");
    if (is_stream && options.size == 0)
        wrong("a STREAM needs --size 1 or more: an empty message ends its connection");
    if (is_over(options, "udp") && pattern.client != ZMQ_RADIO && !is_dgram)
        wrong("udp is for --pattern radio-dish and dgram");
    if (is_dgram && !is_over(options, "udp"))
        wrong("a DGRAM sends datagrams: give --endpoint 'udp://127.0.0.1:*'");
    if (is_dgram && options.role == "client" && !is_numeric(address_of(options.endpoint)))
        wrong("a DGRAM sends to numbers, and looks no name up: give --endpoint udp://127.0.0.1:5556, or "
              "udp://[::1]:5556 with --ipv6");
    if (is_dgram && options.role == "client")
        check_port(options.endpoint);
    if (is_over(options, "udp") && options.size > most_over_udp)
        wrong(concat("over udp --size is at most ", most_over_udp, ": a message is one datagram"));
}

void check(const bench_options &options, const bench_pattern &pattern) {
    const auto wrong = [](const char *line) { throw failure(line, status_usage); };
    if (options.role != "both" && options.endpoint.starts_with("inproc:"))
        wrong("inproc joins sockets of one process: give --endpoint tcp://HOST:PORT or ipc://PATH, or leave "
              "--role out");
    if (options.rate > 0 && !pattern.round_trip && options.size < 16)
        wrong("latency at a --rate needs messages of 16 bytes or more (--size)");
    if (options.chart && options.role != "server" && options.rate == 0 && !pattern.round_trip)
        wrong("a chart needs latency: give a --rate, or a --pattern that answers, such as req-rep");
    if (options.role == "both" &&
        (options.socket.security().is_curve() || options.socket.security().is_plain()))
        wrong("the keys of CURVE and PLAIN are those of one side: start --role server and --role client");
    if (options.seconds <= 0 || options.timeout <= 0)
        wrong("--seconds and --timeout are more than 0");
    if (options.size > 1U << 30)
        wrong("--size is at most 1 GiB");
    check_transport(options, pattern);
}

// The server binds, and its address may have a wildcard.
void open_server(socket &server, const bench_options &options, const bench_pattern &pattern) {
    options.socket.apply(server);
    if (pattern.server == ZMQ_SUB)
        server.subscribe("");
    if (pattern.server == ZMQ_DISH)
        server.subscribe(bench_group);
    server.bind(options.endpoint);
}

// A DGRAM is bound, too, and each of its messages has the address of the server.
void open_client(socket &client, const bench_options &options, const std::string &endpoint,
                 bench_task &task) {
    options.socket.apply(client);
    client.set(ZMQ_LINGER, static_cast<int>(options.timeout * 1000), "ZMQ_LINGER");
    if (task.pattern->client == ZMQ_DGRAM) {
        task.address = address_of(endpoint);
        client.bind(task.address.starts_with('[') ? "udp://[::]:*" : "udp://0.0.0.0:*");
    } else if (task.pattern->client == ZMQ_PEER)
        task.peer = client.connect_peer(endpoint);
    else
        client.connect(endpoint);
}

std::string bench_for_people(const nlohmann::ordered_json &all) {
    auto text =
        concat("pattern     ", all["pattern"].get<std::string>(), " over ",
               all["endpoint"].get<std::string>(), ", ", all["size"].get<std::uint64_t>(), " B a message\n");
    text += concat("messages    ", all["messages"].get<std::uint64_t>(), " in ",
                   fixed(all["seconds"].get<double>(), 2), " s\n");
    text += concat("throughput  ", scaled(all["messages_per_second"].get<double>(), "msg/s"), ", ",
                   scaled(all["bytes_per_second"].get<double>(), "B/s"), "\n");
    if (const auto lost = all["lost"].get<std::uint64_t>(); lost > 0)
        text += concat("lost        ", counted(lost, "message"), " did not arrive\n");
    if (!all.contains("latency_us"))
        return text;
    text += concat("latency     ", all["latency_kind"].get<std::string>(), "\n");
    for (const auto &[name, value] : all["latency_us"].items()) {
        auto label = "  " + name;
        label.resize(12, ' ');
        text += concat(label, duration(value.get<double>() * 1000), "\n");
    }
    if (const auto late = all["late"].get<std::uint64_t>(); late > 0)
        text += concat("late        ", counted(late, "message"),
                       " left more than 1 ms after the time; their latency is from that time\n");
    return text;
}

// Rows of durations 1, 2, 5, 10 ... microseconds, and how many messages took no longer, but longer than the
// row before.
nlohmann::ordered_json histogram_of(const latency_histogram &latency) {
    auto rows = nlohmann::ordered_json::array();
    std::uint64_t before = 0;
    for (std::uint64_t decade = 1000; before < latency.count(); decade *= 10)
        for (const std::uint64_t step : {1U, 2U, 5U}) {
            const auto seen = latency.count_up_to(decade * step);
            if (seen > 0 && before < latency.count())
                rows.push_back({{"up_to_us", decade * step / 1000}, {"messages", seen - before}});
            before = seen;
        }
    return rows;
}

std::string chart_of(const nlohmann::ordered_json &rows) {
    constexpr double widest = 50;
    std::uint64_t most = 1, sum = 0;
    for (const auto &row : rows) {
        most = std::max(most, row["messages"].get<std::uint64_t>());
        sum += row["messages"].get<std::uint64_t>();
    }
    std::string text;
    for (const auto &row : rows) {
        const auto count = row["messages"].get<double>();
        auto label = "  to " + duration(row["up_to_us"].get<double>() * 1000);
        label.resize(16, ' ');
        auto bar =
            std::string(static_cast<std::size_t>(count / static_cast<double>(most) * widest + 0.5), '#');
        bar.resize(static_cast<std::size_t>(widest), ' ');
        text += concat(label, bar, " ", fixed(count * 100 / static_cast<double>(sum), 2), " %\n");
    }
    return text;
}

// Latency of messages that are sent as fast as they go is the time in queues. It is not shown.
void print(const bench_result &result, const bench_options &options, const bench_pattern &pattern) {
    nlohmann::ordered_json all;
    all["pattern"] = pattern.name;
    all["endpoint"] = options.endpoint;
    all["size"] = options.size;
    all["rate"] = options.rate;
    all["messages"] = result.messages;
    all["lost"] = result.lost;
    all["seconds"] = result.seconds;
    const double seconds = result.seconds > 0 ? result.seconds : 1;
    all["messages_per_second"] = static_cast<double>(result.messages) / seconds;
    all["bytes_per_second"] = static_cast<double>(result.bytes) / seconds;
    if (result.has_latency && (pattern.round_trip || options.rate > 0 || options.role == "server")) {
        all["latency_kind"] =
            pattern.round_trip ? "round trip" : "one way, from the time when the message was due";
        const auto us = [&](double part) { return static_cast<double>(result.latency.at(part)) / 1000; };
        all["latency_us"] = {{"p50", us(0.5)},
                             {"p90", us(0.9)},
                             {"p99", us(0.99)},
                             {"p99.9", us(0.999)},
                             {"max", static_cast<double>(result.latency.most()) / 1000}};
        all["late"] = result.late;
        all["histogram"] = histogram_of(result.latency);
    }
    output out;
    out.write(options.json ? all.dump(2) + "\n" : bench_for_people(all));
    if (options.chart && !options.json && all.contains("histogram"))
        out.write(chart_of(all["histogram"]));
    out.flush();
}

bench_result run_both(context &owner, const bench_options &options, bench_task &task) {
    socket server(owner, task.pattern->server), client(owner, task.pattern->client);
    open_server(server, options, *task.pattern);
    open_client(client, options,
                options.endpoint.starts_with("inproc:") ? options.endpoint : server.last_endpoint(), task);
    bench_result received;
    std::exception_ptr problem;
    std::thread serving([&] {
        try {
            received = run_bench_server(server, task);
        } catch (...) {
            problem = std::current_exception();
            task.abandoned = true;
        }
    });
    bench_result sent;
    try {
        sent = run_bench_client(client, task);
    } catch (...) {
        task.abandoned = true;
        serving.join();
        throw;
    }
    serving.join();
    if (problem)
        std::rethrow_exception(problem);
    received.late = sent.late;
    return task.pattern->round_trip ? std::move(sent) : std::move(received);
}

bench_result run_role(context &owner, const bench_options &options, bench_task &task) {
    if (options.role == "both")
        return run_both(owner, options, task);
    if (options.role == "client") {
        socket client(owner, task.pattern->client);
        open_client(client, options, options.endpoint, task);
        return run_bench_client(client, task);
    }
    socket server(owner, task.pattern->server);
    open_server(server, options, *task.pattern);
    note("waits for a client at " + server.last_endpoint());
    return run_bench_server(server, task);
}

int run_bench(const bench_options &options) {
    const auto &pattern = find_pattern(options.pattern);
    check(options, pattern);
    bench_task task;
    task.pattern = &pattern;
    task.size = options.size;
    task.rate = options.rate;
    task.seconds = options.seconds;
    task.warm_up = options.warm_up;
    task.timeout = options.timeout;
    task.count = options.count;
    task.is_over_udp = is_over(options, "udp");
    context owner;
    const auto authenticator = options.socket.security().start_authenticator(owner);
    const auto result = run_role(owner, options, task);
    owner.end();
    const bool has_result = options.role == "both" || (options.role == "client") == pattern.round_trip;
    if (!has_result && !stop_signal::came())
        note("done: the other side has the result");
    else if (has_result && result.messages > 0)
        print(result, options, pattern);
    if (stop_signal::came())
        return 128 + stop_signal::number();
    if (has_result && result.messages == 0)
        throw failure("no message was measured: give more --seconds, or less --warm-up");
    return status_done;
}

} // namespace

action declare_bench(arguments &declared) {
    auto options = std::make_shared<bench_options>();
    declared.choice("-p,--pattern", options->pattern, pattern_names(), "What is measured (push-pull)");
    declared.choice("-r,--role", options->role, {"both", "server", "client"},
                    "Which side this process is (both)");
    declared.option(
        "-e,--endpoint", options->endpoint, "ENDPOINT",
        "Where the server binds and the client connects (inproc://bench): tcp://127.0.0.1:*, ipc:///tmp/x");
    declared.option("-s,--size", options->size, "BYTES", "Size of a message (64)");
    declared.option("--rate", options->rate, "N",
                    "Send N messages a second, and measure latency; 0: as many as go (0)");
    declared.option("--seconds", options->seconds, "SECONDS", "Time that is measured (5)");
    declared.option("-n,--count", options->count, "N", "End after N messages, in place of a time");
    declared.option("--warm-up", options->warm_up, "SECONDS", "Time before that (0.2)");
    declared.option("--timeout", options->timeout, "SECONDS",
                    "End if the other side is silent for so long (10)");
    declared.flag("--json", options->json, "Print one JSON object; it has the histogram of latency, too");
    declared.flag("--chart", options->chart, "Draw how many messages had which latency");
    options->socket.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return run_bench(*options);
    };
}

} // namespace cli
