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
#include "common/output.hpp"
#include "common/raw_stream.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"
#include "common/zmtp_probe.hpp"

namespace cli {

namespace {

struct ping_options {
    std::string endpoint;
    endpoint_options socket;
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
                   " closed the connection before its greeting: it is no ZMTP, or it refuses this address"));
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
    const auto &security = options.socket.security();
    probe.greet();
    if (const auto error = probe.plain_hello(*security.user_name(), security.password()))
        throw failure(concat("PLAIN: the peer refuses the user or the password (", *error, ")"));
    return probe.plain_initiate(type);
}

// PLAIN asks for the socket type before the peer tells its own, so that a second connection may be needed.
void finish_plain(const zmtp_greeting &greeting, const ping_options &options, report &told) {
    if (!options.socket.security().user_name())
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

bool is_zap_refusal(int event) {
    return event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
}

// The event that ends the handshake of a socket of this type; 0 if none came in time.
int curve_handshake(const ping_options &options, const char *type) {
    context owner;
    socket probe(owner, find_socket_type(type).number), monitor(owner, ZMQ_PAIR);
    options.socket.apply(probe);
    probe.set(ZMQ_LINGER, 0, "ZMQ_LINGER");
    probe.set(ZMQ_RECONNECT_IVL, -1, "ZMQ_RECONNECT_IVL");
    constexpr int ends = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                         ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                         ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;
    if (zmq_socket_monitor(probe.handle(), "inproc://monitor", ends) != 0)
        fail_with_errno("watch the socket");
    monitor.connect("inproc://monitor");
    probe.connect(options.endpoint);
    zmq_pollitem_t items[] = {{monitor.handle(), 0, ZMQ_POLLIN, 0},
                              {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}};
    message event;
    if (zmq_poll(items, 2, static_cast<long>(options.timeout * 1000)) <= 0 || !monitor.receive(event))
        return 0;
    const auto *bytes = reinterpret_cast<const unsigned char *>(event[0].data());
    return bytes[0] | bytes[1] << 8;
}

void finish_curve(const ping_options &options, report &told) {
    if (!options.socket.security().is_curve())
        throw failure("the peer wants CURVE: give --curve-serverkey @FILE, and --curve-secretkey @FILE if it "
                      "knows its clients");
    for (const char *type : tried_types) {
        const auto begin = now_ns();
        const int event = curve_handshake(options, type);
        if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            told.add("handshake", concat("succeeded, as ", type));
            told.add_round_trip(now_ns() - begin, "the whole handshake");
            return;
        }
        if (is_zap_refusal(event))
            throw failure("CURVE: the peer's authenticator does not allow this key");
    }
    throw failure("CURVE: the handshake failed: is --curve-serverkey the peer's key, and may this key "
                  "(--curve-secretkey) connect?");
}

int run_ping(const ping_options &options) {
    if (options.timeout <= 0)
        throw failure("--timeout is more than 0", status_usage);
    report told(options);
    zmtp_probe probe(options.endpoint, options.timeout);
    const auto greeting = greet(probe, options, told);
    const auto &security = options.socket.security();
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
    told.finish();
    return status_done;
}

} // namespace

action declare_ping(arguments &declared) {
    auto options = std::make_shared<ping_options>();
    declared.option("ENDPOINT", options->endpoint, "ENDPOINT", "The peer: tcp://HOST:PORT or ipc://PATH");
    declared.required();
    declared.option("--timeout", options->timeout, "SECONDS", "How long each step may take (3)");
    declared.option("-n,--count", options->count, "N", "Number of PINGs (1)");
    declared.option("--interval", options->interval, "SECONDS", "Time between PINGs (1)");
    declared.flag("--complete", options->complete,
                  "Finish the handshake also with a peer that may send messages then, which are lost");
    declared.flag("--json", options->json, "Print one JSON object");
    options->socket.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return run_ping(*options);
    };
}

} // namespace cli
