// SPDX-License-Identifier: MPL-2.0
// zlink ping: a ZMTP handshake by a bare socket, told step by step.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/endpoints.hpp"
#include "common/failure.hpp"
#include "common/handshake_trial.hpp"
#include "common/output.hpp"
#include "common/raw_stream.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"
#include "common/zmtp_probe.hpp"

namespace cli {

namespace {

struct ping_options {
    std::string endpoint;
    security_options security;
    double timeout{3};
    std::uint64_t count{1};
    double interval{1};
    bool json{false}, complete{false};
};

// What a peer of each type is greeted by, and whether it may send messages to this command, which would be
// lost for others.
struct counterpart {
    const char *peer;
    const char *own;
    bool takes_messages;
};

constexpr counterpart counterparts[] = {
    {"PUB", "SUB", false},      {"XPUB", "SUB", false},      {"SUB", "PUB", false},
    {"XSUB", "PUB", false},     {"REP", "REQ", false},       {"ROUTER", "DEALER", false},
    {"PULL", "PUSH", false},    {"SERVER", "CLIENT", false}, {"GATHER", "SCATTER", false},
    {"DISH", "RADIO", false},   {"RADIO", "DISH", false},    {"REQ", "REP", true},
    {"DEALER", "ROUTER", true}, {"PUSH", "PULL", true},      {"PAIR", "PAIR", true},
    {"CLIENT", "SERVER", true}, {"SCATTER", "GATHER", true}, {"CHANNEL", "CHANNEL", true},
    {"PEER", "PEER", true},
};

const counterpart *find_counterpart(const std::string &peer) {
    for (const auto &row : counterparts)
        if (peer == row.peer)
            return &row;
    return nullptr;
}

class report {
  public:
    report(const ping_options &options) : as_json_(options.json) { all_["endpoint"] = options.endpoint; }

    void add(const char *name, const std::string &value) {
        all_[name] = value;
        if (!as_json_) {
            std::string label = name;
            label.resize(14, ' ');
            out_.write(label + value + "\n");
            out_.flush();
        }
    }
    void add_round_trip(std::uint64_t nanoseconds, const std::string &how) {
        all_["round_trips_us"].push_back(static_cast<double>(nanoseconds) / 1000);
        if (!as_json_) {
            out_.write(
                concat("round trip    ", duration(static_cast<double>(nanoseconds)), " (", how, ")\n"));
            out_.flush();
        }
    }
    // The JSON tells what was found before the failure, too.
    void finish_with(const std::string &error) {
        all_["error"] = error;
        finish();
    }
    void finish() {
        if (as_json_)
            out_.write(all_.dump(2) + "\n");
        out_.flush();
    }

  private:
    bool as_json_;
    nlohmann::ordered_json all_;
    output out_;
};

// Another connection asks as a browser would: servers of HTTP wait for a line.
[[noreturn]] void explain_silence(const ping_options &options) {
    raw_stream stream(options.endpoint, options.timeout);
    stream.write("GET / HTTP/1.0\r\n\r\n");
    const auto answer = stream.read_up_to(64, options.timeout);
    if (answer.starts_with("HTTP/"))
        throw failure(concat(options.endpoint, " is not ZMTP but a web server: it answered \"",
                             printable(answer, 40), "\" to a GET; is the port right?"));
    throw failure(concat(options.endpoint, " accepts connections and is silent for ", options.timeout,
                         " s: it is no ZMTP, or its process hangs"));
}

// Everything that a connection tells before the mechanism begins.
zmtp_greeting greet(zmtp_probe &probe, const ping_options &options, report &told) {
    const auto begin = now_ns();
    const auto greeting = probe.greet();
    if (greeting.state == greeting_state::silent)
        explain_silence(options);
    if (greeting.state == greeting_state::closed)
        throw failure(
            concat(options.endpoint,
                   " closed the connection before its greeting: it is no ZMTP, or it refuses this address; "
                   "is it tls:// or ws://?"));
    if (greeting.state == greeting_state::foreign)
        throw failure(concat(options.endpoint, " is not ZMTP: it sent \"",
                             printable(greeting.first_bytes, 40), "\"",
                             guess_protocol(greeting.first_bytes)));
    told.add("peer", greeting.version);
    if (greeting.mechanism.empty())
        return greeting;
    told.add("mechanism", greeting.mechanism + (greeting.as_server ? " (as server)" : ""));
    told.add_round_trip(greeting.first_byte_ns - begin, "connected, to the first byte of the greeting");
    return greeting;
}

void tell_metadata(const zmtp_metadata &metadata, report &told) {
    for (const auto &[name, value] : metadata) {
        std::string label = name == "Socket-Type" ? "socket type" : name;
        told.add(label.c_str(), value.empty() ? "(empty)" : printable(value));
    }
}

void measure(zmtp_probe &probe, const ping_options &options, report &told) {
    for (std::uint64_t number = 0; number < options.count; ++number) {
        if (number > 0 && probe.idle(options.interval))
            return;
        told.add_round_trip(probe.ping(), "PING");
    }
}

// NULL: the peer's READY comes by itself, so that the answer can fit it.
void finish_null(zmtp_probe &probe, const zmtp_greeting &greeting, const ping_options &options,
                 report &told) {
    const auto metadata = probe.read_ready();
    tell_metadata(metadata, told);
    const auto type = metadata.find("Socket-Type");
    const auto *row = type == metadata.end() ? nullptr : find_counterpart(type->second);
    if (row == nullptr || greeting.minor < 1) {
        told.add("PING", row == nullptr ? "not sent: this command knows no counterpart of that socket type"
                                        : "not sent: the peer's ZMTP is older than 3.1");
        return;
    }
    if (row->takes_messages && !options.complete) {
        told.add(
            "PING",
            concat("not sent: a ", row->peer,
                   " would count this command as a peer and might send it messages (--complete does it)"));
        return;
    }
    probe.send_ready(row->own);
    measure(probe, options, told);
}

// The types that fit most peers, in the order of how little they disturb.
constexpr const char *tried_types[] = {"DEALER", "SUB", "PUB", "PUSH", "PULL", "PAIR"};

// One handshake of PLAIN. The peer's metadata, or why there is none.
zmtp_ready plain_handshake(zmtp_probe &probe, const ping_options &options, const char *type) {
    const auto &security = options.security;
    probe.greet();
    if (const auto error = probe.plain_hello(*security.user_name(), security.password()))
        throw failure(concat("PLAIN: the peer refuses the user or the password (", *error, ")"));
    return probe.plain_initiate(type);
}

// PLAIN asks for the socket type before the peer tells its own, so that a second connection may be needed.
void finish_plain(const zmtp_greeting &greeting, const ping_options &options, report &told) {
    if (!options.security.user_name())
        throw failure("the peer wants PLAIN: give --plain-username and --plain-password @FILE");
    std::string refusal;
    const char *fitting = nullptr;
    for (const char *type : tried_types) {
        if (fitting != nullptr)
            type = fitting;
        zmtp_probe probe(options.endpoint, options.timeout);
        const auto answer = plain_handshake(probe, options, type);
        if (!answer.metadata) {
            refusal = answer.error;
            continue;
        }
        const auto peer_type = answer.metadata->find("Socket-Type");
        const auto *row = peer_type == answer.metadata->end() ? nullptr : find_counterpart(peer_type->second);
        if (row != nullptr && std::string_view(row->own) != type && fitting == nullptr) {
            fitting = row->own;
            continue;
        }
        tell_metadata(*answer.metadata, told);
        if (greeting.minor >= 1)
            measure(probe, options, told);
        return;
    }
    throw failure(concat("PLAIN: the handshake ends without READY (", refusal, ")"));
}

// The types of the sockets that try, in the order of how little they disturb. A peer may send messages to the
// last ones.
constexpr const char *socket_types_tried[] = {"REQ", "SUB", "PUB", "PUSH"};
constexpr const char *more_socket_types_tried[] = {"ROUTER", "PULL", "PAIR"};

std::string fitting_types(std::string_view own) {
    std::string all;
    for (const auto &row : counterparts)
        if (own == row.own || (own == "REQ" && row.own == std::string_view("DEALER")) ||
            (own == "ROUTER" && row.own == std::string_view("REP")))
            all += (all.empty() ? "" : " or ") + std::string(row.peer);
    return all;
}

handshake_news shake_hands(const ping_options &options, const char *type) {
    return try_handshake(find_socket_type(type).number, options.endpoint, options.timeout,
                         [&](socket &probe) { options.security.apply(probe); });
}

void tell_success(const handshake_news &news, const char *type, report &told) {
    told.add("handshake", concat("succeeded, as ", type, ": the peer is a ", fitting_types(type)));
    told.add_round_trip(news.connected_ns, "connected");
    told.add_round_trip(news.took_ns, "with the handshake");
}

[[noreturn]] void fail_for_all_types(const ping_options &options, bool is_the_type) {
    if (!is_the_type && options.security.is_curve())
        throw failure("CURVE: the handshake failed: is --curve-serverkey the peer's key, and may this key "
                      "(--curve-secretkey) connect? A PUSH, DEALER, REQ or PAIR needs --complete");
    if (options.complete)
        throw failure("the peer takes none of REQ, SUB, PUB, PUSH, ROUTER, PULL and PAIR");
    throw failure(
        "the peer takes none of REQ, SUB, PUB and PUSH: a PUSH, DEALER, REQ or PAIR may send messages "
        "to whoever asks, which would be lost; --complete asks it");
}

// For transports that this command does not speak itself, and for CURVE.
void ping_by_socket(const ping_options &options, report &told) {
    std::vector<const char *> types(std::begin(socket_types_tried), std::end(socket_types_tried));
    if (options.complete)
        types.insert(types.end(), std::begin(more_socket_types_tried), std::end(more_socket_types_tried));
    bool is_the_type = false;
    for (const char *type : types) {
        const auto news = shake_hands(options, type);
        if (news.succeeded())
            return tell_success(news, type, told);
        if (!news.may_be_the_type())
            throw failure(concat(options.endpoint, ": ", news.explanation(options.timeout)));
        is_the_type = is_the_type || news.is_the_type();
    }
    fail_for_all_types(options, is_the_type);
}

void finish_curve(const ping_options &options, report &told) {
    if (!options.security.is_curve())
        throw failure("the peer wants CURVE: give --curve-serverkey @FILE, and --curve-secretkey @FILE if it "
                      "knows its clients");
    ping_by_socket(options, told);
}

// tls://host:5555 and ws://host:5555/path are tcp://host:5555 below; empty for other transports.
std::string tcp_below(const std::string &endpoint) {
    for (const std::string transport : {"tls://", "ws://", "wss://"})
        if (endpoint.starts_with(transport)) {
            const auto rest = endpoint.substr(transport.size());
            return "tcp://" + rest.substr(0, rest.find('/'));
        }
    return "";
}

void ping(const ping_options &options, report &told) {
    if (const auto tcp = tcp_below(options.endpoint); !tcp.empty()) {
        raw_stream(tcp, options.timeout); // says why it cannot connect
        return ping_by_socket(options, told);
    }
    zmtp_probe probe(options.endpoint, options.timeout);
    const auto greeting = greet(probe, options, told);
    const auto &security = options.security;
    if (greeting.mechanism == "NULL" && (security.is_curve() || security.is_plain()))
        throw failure(
            "the peer has the mechanism NULL: leave the options of security out, or turn it on there");
    if (greeting.mechanism == "NULL")
        finish_null(probe, greeting, options, told);
    else if (greeting.mechanism == "PLAIN")
        finish_plain(greeting, options, told);
    else if (greeting.mechanism == "CURVE")
        finish_curve(options, told);
    else if (!greeting.mechanism.empty())
        throw failure(concat("the peer wants the mechanism ", printable(greeting.mechanism),
                             ", which zlink does not have"));
}

int run_ping(const ping_options &options) {
    if (options.timeout <= 0)
        throw failure("--timeout is more than 0", status_usage);
    report told(options);
    try {
        ping(options, told);
    } catch (const failure &error) {
        told.finish_with(error.what());
        throw;
    }
    told.finish();
    return status_done;
}

} // namespace

action declare_ping(arguments &declared) {
    auto options = std::make_shared<ping_options>();
    declared.option("ENDPOINT", options->endpoint, "ENDPOINT",
                    "The peer: tcp://HOST:PORT, ipc://PATH, tls://, ws:// or wss://");
    declared.required();
    declared.option("--timeout", options->timeout, "SECONDS", "How long each step may take (3)");
    declared.option("-n,--count", options->count, "N", "Number of PINGs (1)");
    declared.option("--interval", options->interval, "SECONDS", "Time between PINGs (1)");
    declared.flag("--complete", options->complete,
                  "Finish the handshake also with a peer that may send messages then, which are lost");
    declared.flag("--json", options->json, "Print one JSON object");
    declared.group("Security (KEY, PASSWORD: the text, or @FILE)");
    options->security.declare(declared);
    return [options] {
        stop_signal::install();
        return run_ping(*options);
    };
}

} // namespace cli
