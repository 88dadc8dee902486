// SPDX-License-Identifier: MPL-2.0
// zlink ping: a ZMTP handshake, step by step, told as it goes.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/endpoints.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/raw_stream.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"
#include "common/zmtp_probe.hpp"
#include "security/mechanisms.hpp"
#include "zmtp/socket_rules.hpp"

namespace cli {

namespace {

struct ping_options {
    std::string endpoint;
    security_options security;
    zlink::socket_options values; // that `security` stands for
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
            label.resize(std::max<std::size_t>(14, label.size() + 1), ' ');
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
    raw_stream stream(options.endpoint, options.timeout, options.values);
    stream.write("GET / HTTP/1.0\r\n\r\n");
    const auto answer = stream.read_up_to(64, options.timeout);
    if (answer.starts_with("HTTP/"))
        throw failure(concat(options.endpoint, " is not ZMTP but a web server: it answered \"",
                             printable(answer, 40), "\" to a GET; is the port right?"));
    throw failure(concat(options.endpoint, " accepts connections and is silent for ", options.timeout,
                         " s: it is no ZMTP, or its process hangs"));
}

bool is_over_ws(const std::string &endpoint) {
    return endpoint.starts_with("ws://") || endpoint.starts_with("wss://");
}

// What TLS and WebSocket tell.
void tell_opening(const raw_stream &stream, const ping_options &options, report &told) {
    if (stream.opened_ns() == 0)
        return;
    const bool with_tls = options.endpoint.starts_with("tls://") || options.endpoint.starts_with("wss://");
    const char *what = !with_tls ? "WebSocket" : is_over_ws(options.endpoint) ? "TLS and WebSocket" : "TLS";
    told.add("opened", concat("in ", duration(static_cast<double>(stream.opened_ns())), " (", what, ")"));
    for (const auto &[name, value] : stream.facts())
        told.add(name.c_str(), printable(value, 200));
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
    // WebSocket has no greeting of ZMTP: its layer makes one.
    const bool over_ws = is_over_ws(options.endpoint);
    told.add("peer", over_ws ? "ZWS 2.0 (ZMTP in WebSocket)" : greeting.version);
    if (greeting.mechanism.empty())
        return greeting;
    const bool is_server = greeting.as_server && (!over_ws || greeting.mechanism != "NULL");
    told.add("mechanism", greeting.mechanism + (is_server ? " (as server)" : ""));
    if (!over_ws)
        told.add_round_trip(greeting.first_byte_ns - begin, "to the first byte of the greeting");
    return greeting;
}

void tell_metadata(const zmtp_metadata &metadata, report &told) {
    for (const auto &[name, value] : metadata) {
        const std::string label =
            zlink::zmtp::same_property_name(name, "Socket-Type") ? "socket type" : printable(name);
        told.add(label.c_str(), value.empty() ? "(empty)" : printable(value, 255));
    }
}

// Null: it is no type that this command knows.
const counterpart *counterpart_of(const zmtp_metadata &metadata) {
    const auto *type = zlink::zmtp::find_property(metadata, "Socket-Type");
    return type == nullptr ? nullptr : find_counterpart(*type);
}

void measure(zmtp_probe &probe, const ping_options &options, report &told) {
    for (std::uint64_t number = 0; number < options.count; ++number) {
        if (number > 0 && probe.idle(options.interval))
            return;
        told.add_round_trip(probe.ping(), "PING");
    }
}

// Returns why there can be no PING; empty: there can.
std::string obstacle(const counterpart *peer, const zmtp_greeting &greeting, const ping_options &options) {
    if (peer == nullptr)
        return "this command knows no counterpart of that socket type";
    if (greeting.minor < 1 && !is_over_ws(options.endpoint))
        return "the peer's ZMTP is older than 3.1";
    if (peer->takes_messages && !options.complete)
        return concat("a ", peer->peer,
                      " would count this command as a peer and might send it messages (--complete does it)");
    return "";
}

// NULL: the peer's READY comes by itself, so that the answer can fit it.
void finish_null(zmtp_probe &probe, const zmtp_greeting &greeting, const ping_options &options,
                 report &told) {
    const auto metadata = probe.read_ready();
    tell_metadata(metadata, told);
    const auto *peer = counterpart_of(metadata);
    if (const auto why = obstacle(peer, greeting, options); !why.empty()) {
        told.add("PING", "not sent: " + why);
        return;
    }
    probe.send_ready(peer->own);
    measure(probe, options, told);
}

bool may_talk(const char *own, const counterpart &peer) {
    return zlink::zmtp::may_talk(static_cast<zlink::socket_type>(find_socket_type(own).number), peer.peer);
}

// The types of the handshakes, in the order of how little they disturb. Those to whom a peer may send
// messages come last, and are for --complete.
std::vector<const char *> types_to_try(bool complete) {
    std::vector<const char *> types{"REQ"};
    for (const bool taking : {false, true})
        for (const auto &row : counterparts)
            if (row.takes_messages == taking && (!taking || complete) &&
                std::ranges::none_of(types, [&](const char *one) { return may_talk(one, row); }))
                types.push_back(row.own);
    return types;
}

// Throws if the failure has nothing to do with the type of the socket.
void check_refusal(const zmtp_ready &answer, const ping_options &options) {
    const bool has_status =
        answer.error.size() == 3 && answer.error.find_first_not_of("0123456789") == answer.error.npos;
    if (options.security.is_plain() && answer.steps == 0)
        throw failure(concat("PLAIN: the peer refuses the user or the password (", answer.error, ")"));
    if (options.security.is_curve() && answer.steps == 0)
        throw failure(
            concat("CURVE: the handshake failed: is --curve-serverkey the peer's key? (", answer.error, ")"));
    if (has_status)
        throw failure(concat("the peer's authenticator does not allow this key: is it in its list? (",
                             answer.error, ")"));
}

[[noreturn]] void fail_for_all_types(const std::string &refusal, const ping_options &options) {
    if (options.complete)
        throw failure(concat("the peer refuses every type of socket (", refusal,
                             "): does its authenticator refuse this peer?"));
    throw failure(concat("the peer refuses every type of socket that gets no messages (", refusal,
                         "): a PUSH, DEALER, REQ or PAIR might send messages to whoever asks, which would be "
                         "lost; --complete asks it"));
}

// PLAIN and CURVE ask for the socket type before the peer tells its own. zlink tells it also if they do not
// go together, others do not. So other connections may be needed.
void finish_secured(const zmtp_greeting &greeting, const ping_options &options, report &told) {
    std::string refusal;
    auto types = types_to_try(options.complete);
    for (std::size_t index = 0; index < types.size(); ++index) {
        zmtp_probe probe(options.endpoint, options.timeout, options.values);
        probe.greet();
        const auto security = zlink::security::make_mechanism(options.values.security);
        if (!security)
            throw failure("the system has no random numbers for keys");
        const auto answer = probe.shake_hands(*security, types[index]);
        if (!answer.metadata) {
            check_refusal(answer, options);
            refusal = answer.error;
            continue;
        }
        const auto *peer = counterpart_of(*answer.metadata);
        const auto why = obstacle(peer, greeting, options);
        if (why.empty() && !may_talk(types[index], *peer)) {
            types.push_back(peer->own);
            index = types.size() - 2;
            continue;
        }
        tell_metadata(*answer.metadata, told);
        if (why.empty())
            return measure(probe, options, told);
        told.add("PING", "not sent: " + why);
        return;
    }
    fail_for_all_types(refusal, options);
}

struct mechanism_row {
    zlink::mechanism_type type;
    const char *name;
    const char *advice;
};

constexpr mechanism_row mechanism_rows[] = {
    {zlink::mechanism_type::null, "NULL",
     "the peer has the mechanism NULL: leave the options of security out, or turn it on there"},
    {zlink::mechanism_type::plain, "PLAIN",
     "the peer wants PLAIN: give --plain-username and --plain-password @FILE"},
    {zlink::mechanism_type::curve, "CURVE",
     "the peer wants CURVE: give --curve-serverkey @FILE, and --curve-secretkey @FILE if it knows its "
     "clients"},
};

// Throws if the peer has another mechanism than the options.
void check_mechanism(const std::string &of_peer, const ping_options &options) {
    for (const auto &row : mechanism_rows)
        if (of_peer == row.name) {
            if (row.type != options.values.security.mechanism)
                throw failure(row.advice);
            return;
        }
    throw failure(concat("the peer wants the mechanism ", printable(of_peer), ", which zlink does not have"));
}

// WebSocket agrees on the mechanism. If there is none in common, others are asked for, to tell the peer's.
std::unique_ptr<zmtp_probe> connect(const ping_options &options) {
    check_port(options.endpoint);
    try {
        return std::make_unique<zmtp_probe>(options.endpoint, options.timeout, options.values);
    } catch (const opening_failed &error) {
        if (!error.by_protocol() || !is_over_ws(options.endpoint))
            throw;
    }
    for (const auto &row : mechanism_rows) {
        auto others = options.values;
        others.security.mechanism = row.type;
        try {
            zmtp_probe(options.endpoint, options.timeout, others);
        } catch (const opening_failed &) {
            continue;
        }
        check_mechanism(row.name, options);
    }
    throw failure(
        concat(options.endpoint, ": no WebSocket of ZMTP is there: are the path and the port right?"));
}

void ping(const ping_options &options, report &told) {
    const auto probe = connect(options);
    tell_opening(probe->stream(), options, told);
    const auto greeting = greet(*probe, options, told);
    if (greeting.mechanism.empty())
        return tell_metadata(greeting.metadata, told);
    check_mechanism(greeting.mechanism, options);
    if (greeting.mechanism == "NULL")
        finish_null(*probe, greeting, options, told);
    else
        finish_secured(greeting, options, told);
}

// The options, checked by a socket that is not used.
void take_options(ping_options &options) {
    if (options.endpoint.starts_with("dns+")) // one of the addresses is asked
        options.endpoint.erase(0, 4);
    options.values = options.security.values();
    context owner;
    socket checked(owner, ZMQ_DEALER);
    options.security.apply(checked);
}

int run_ping(ping_options &options) {
    if (options.timeout <= 0)
        throw failure("--timeout is more than 0", status_usage);
    take_options(options);
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
                    "The peer: tcp://HOST:PORT, ipc://PATH, tls://, ws://, wss:// or dns+tcp://");
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
