// SPDX-License-Identifier: MPL-2.0
// zlink bw: bytes a second and sizes of messages, for each topic.
#include <algorithm>
#include <memory>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/subscription.hpp"
#include "common/topic_table.hpp"

namespace cli {

namespace {

struct bw_options {
    subscription_options watched;
    double interval{1};
};

struct sizes {
    std::uint64_t messages{0}, bytes{0}, least{0}, most{0};

    void add(const message &frames) {
        std::uint64_t size = 0;
        for (const auto &frame : frames)
            size += frame.size();
        least = messages == 0 ? size : std::min(least, size);
        most = std::max(most, size);
        bytes += size;
        ++messages;
    }
};

std::string line_of(const std::string &topic, const sizes &one, double seconds) {
    auto line = concat(scaled(static_cast<double>(one.bytes) / seconds, "B/s"), "  ",
                       scaled(static_cast<double>(one.messages) / seconds, "msg/s"), "  ", topic);
    if (one.messages > 0)
        line +=
            concat("  size min ", one.least, ", mean ", one.bytes / one.messages, ", max ", one.most, " B");
    return line + "\n";
}

int run_bw(const bw_options &options) {
    if (options.interval <= 0)
        throw failure("--interval is more than 0", status_usage);
    subscription watched(options.watched);
    topic_table<sizes> table;
    output out;
    watched.watch_and_report([&](const message &frames) { table[watched.topic_of(frames)].add(frames); },
                             options.interval,
                             [&](double seconds) {
                                 table.for_each([&](const std::string &topic, sizes &one) {
                                     out.write(line_of(topic, one, seconds));
                                     one = sizes{};
                                 });
                                 out.flush();
                             });
    return watched.status();
}

} // namespace

action declare_bw(arguments &declared) {
    auto options = std::make_shared<bw_options>();
    declared.option("--interval", options->interval, "SECONDS", "Time between two reports (1)");
    options->watched.declare_topic_bytes(declared);
    options->watched.declare(declared);
    return [options] {
        stop_signal::install();
        return run_bw(*options);
    };
}

} // namespace cli
