// SPDX-License-Identifier: MPL-2.0
// zlink sub: subscribe and print.
#include <ctime>
#include <memory>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/formats.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/subscription.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct sub_options {
    subscription_options watched;
    std::string format{"line"};
    bool timestamps{false};
};

std::string local_time() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    tm parts{};
    localtime_r(&now.tv_sec, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    auto fraction = std::to_string(1'000'000 + now.tv_nsec / 1000);
    return concat(text, ".", fraction.substr(1), " ");
}

int run_sub(const sub_options &options) {
    subscription watched(options.watched);
    message_text how;
    how.format = find_format(options.format);
    output out;
    watched.watch(
        [&](const message &frames) {
            if (options.timestamps)
                out.write(local_time());
            out.write(to_text(how, frames));
        },
        [&]() -> std::uint64_t {
            out.flush();
            return 0;
        });
    return watched.status();
}

} // namespace

action declare_sub(arguments &declared) {
    auto options = std::make_shared<sub_options>();
    declared.choice("-f,--format", options->format, format_names(),
                    "How messages are printed; frames of a line are parted by tabs");
    declared.flag("--timestamps", options->timestamps, "Print the time before each message");
    options->watched.declare(declared);
    return [options] {
        stop_signal::install();
        return run_sub(*options);
    };
}

} // namespace cli
