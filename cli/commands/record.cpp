// SPDX-License-Identifier: MPL-2.0
// zlink record: messages of a socket into a file.
#include <memory>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/recording.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

#include "common/endpoints.hpp"

namespace cli {

namespace {

struct record_options {
    endpoint_options endpoints;
    std::string file, type{"SUB"};
    std::vector<std::string> topics;
    std::optional<std::uint64_t> count;
    std::optional<double> duration;
    bool force{false};
};

void check(const record_options &options) {
    const auto wrong = [](const char *line) { throw failure(line, status_usage); };
    if (options.file.empty())
        wrong("into which file? write: zlink record FILE --connect ENDPOINT");
    if (options.endpoints.empty())
        wrong("where? give --bind ENDPOINT or --connect ENDPOINT");
    if (!options.topics.empty() && options.type != "SUB")
        wrong("--subscribe is for SUB");
}

void prepare(socket &source, const record_options &options) {
    options.endpoints.apply(source);
    if (options.type == "SUB" && options.topics.empty())
        source.set(ZMQ_SUBSCRIBE, "", "the subscription");
    for (const auto &topic : options.topics)
        source.set(ZMQ_SUBSCRIBE, topic, "the subscription");
    options.endpoints.attach(source);
}

// Only types that receive without answering are recorded.
void record(socket &source, recording_writer &file, const record_options &options) {
    const auto begun = now_ns();
    const auto ends = options.duration ? begun + seconds_to_ns(*options.duration) : 0;
    recorded_message one;
    const auto is_full = [&] { return options.count && file.messages() >= *options.count; };
    while (!stop_signal::came() && !is_full() && !(ends != 0 && now_ns() >= ends)) {
        zmq_pollitem_t items[] = {{source.handle(), 0, ZMQ_POLLIN, 0},
                                  {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, until_ms(ends, now_ns())) < 0 && zmq_errno() != EINTR)
            fail_with_errno("wait for messages");
        constexpr int at_once = 1000;
        for (int turn = 0; turn < at_once && !is_full() && source.receive(one.frames); ++turn) {
            one.time_ns = now_ns() - begun;
            file.add(one);
        }
        file.flush(); // what was received survives the end of this process
    }
}

int run_record(const record_options &options) {
    check(options);
    context owner;
    const auto authenticator = options.endpoints.security().start_authenticator(owner);
    socket source(owner, find_socket_type(options.type).number);
    prepare(source, options);
    recording_writer file(options.file, options.force); // there is none if the endpoint is wrong
    record(source, file, options);
    file.finish();
    note(concat("recorded ", counted(file.messages(), "message"), " in ", options.file));
    if (options.count && file.messages() < *options.count && stop_signal::came())
        return 128 + stop_signal::number();
    return status_done;
}

} // namespace

action declare_record(arguments &declared) {
    auto options = std::make_shared<record_options>();
    declared.option("FILE", options->file, "FILE", "The file to write; - is the standard output");
    options->endpoints.declare(declared);
    declared.group("Options");
    declared.choice("-t,--type", options->type, {"SUB", "PULL", "PAIR", "DEALER"}, "The socket type (SUB)");
    declared.option("-s,--subscribe", options->topics, "TOPIC",
                    "SUB: receive what begins with this; may be given many times");
    declared.option("-n,--count", options->count, "N", "End after N messages");
    declared.option("--duration", options->duration, "SECONDS", "End after this time");
    declared.flag("--force", options->force, "Replace a file that exists");
    options->endpoints.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return run_record(*options);
    };
}

} // namespace cli
