// SPDX-License-Identifier: MPL-2.0
// zlink hz: messages a second, and the times between them, for each topic.
#include <algorithm>
#include <cmath>
#include <memory>

#include "common/clock.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/subscription.hpp"
#include "common/topic_table.hpp"

namespace cli {

namespace {

struct hz_options {
    subscription_options watched;
    double interval{1};
};

// Of the current interval but for the last message, whose time the next one is compared with.
struct intervals {
    std::uint64_t messages{0}, gaps{0}, last_ns{0};
    double least{0}, most{0}, sum{0}, squares{0}; // of the gaps, s

    void add(std::uint64_t now) {
        ++messages;
        if (last_ns != 0) {
            const double gap = static_cast<double>(now - last_ns) / 1e9;
            least = gaps == 0 ? gap : std::min(least, gap);
            most = std::max(most, gap);
            sum += gap;
            squares += gap * gap;
            ++gaps;
        }
        last_ns = now;
    }
    void begin_again() {
        const auto kept = last_ns;
        *this = intervals{};
        last_ns = kept;
    }
    double deviation() const {
        const double mean = sum / static_cast<double>(gaps);
        return std::sqrt(std::max(0.0, squares / static_cast<double>(gaps) - mean * mean));
    }
};

std::string line_of(const std::string &topic, const intervals &one, double seconds) {
    auto line = concat(scaled(static_cast<double>(one.messages) / seconds, "msg/s"), "  ", topic);
    if (one.gaps > 0)
        line += concat("  gap min ", duration(one.least * 1e9), ", max ", duration(one.most * 1e9),
                       ", deviation ", duration(one.deviation() * 1e9));
    return line + "\n";
}

int run_hz(const hz_options &options) {
    if (options.interval <= 0)
        throw failure("--interval is more than 0", status_usage);
    subscription watched(options.watched);
    topic_table<intervals> table;
    output out;
    watched.watch_and_report([&](const message &frames) { table[watched.topic_of(frames)].add(now_ns()); },
                             options.interval,
                             [&](double seconds) {
                                 table.for_each([&](const std::string &topic, intervals &one) {
                                     out.write(line_of(topic, one, seconds));
                                     one.begin_again();
                                 });
                                 out.flush();
                             });
    return watched.status();
}

} // namespace

action declare_hz(arguments &declared) {
    auto options = std::make_shared<hz_options>();
    declared.option("--interval", options->interval, "SECONDS", "Time between two reports (1)");
    options->watched.declare_topic_bytes(declared);
    options->watched.declare(declared);
    return [options] {
        stop_signal::install();
        return run_hz(*options);
    };
}

} // namespace cli
