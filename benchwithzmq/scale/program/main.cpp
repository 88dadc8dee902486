// SPDX-License-Identifier: MPL-2.0
// scale_<library> LABEL SCENARIO name=value...   measures one scenario, prints SCALE lines (parameters.hpp)
// scale_<library> --library                      prints which library file it runs on, and nothing else
#include "common/environment.hpp"
#include "common/fail.hpp"
#include "common/report.hpp"
#include "scale/program/scenarios.hpp"
#include "zmq/loaded_library.hpp"

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

namespace {

using bench::scale::parameters;

struct scenario_row {
    std::string_view name;
    std::initializer_list<std::string_view> parameter_names;
    void (*measure)(const parameters &given);
};

const std::array scenarios{
    scenario_row{
        "fan", {"pattern", "transport", "peers", "size", "io_threads", "run_ms"}, &bench::scale::measure_fan},
    scenario_row{"connections", {"connections"}, &bench::scale::measure_connections},
    scenario_row{"subscriptions", {"topics"}, &bench::scale::measure_subscriptions},
    scenario_row{"matching", {"topics", "run_ms"}, &bench::scale::measure_matching},
    scenario_row{"round_trips", {"transport", "size", "run_ms"}, &bench::scale::measure_round_trips},
    scenario_row{"fixed_rate", {"transport", "size", "rate", "run_ms"}, &bench::scale::measure_fixed_rate},
    scenario_row{
        "broker", {"transport", "size", "clients", "workers", "run_ms"}, &bench::scale::measure_broker},
    scenario_row{"streamer", {"transport", "size", "run_ms"}, &bench::scale::measure_streamer},
    scenario_row{"forwarder", {"transport", "size", "peers", "run_ms"}, &bench::scale::measure_forwarder},
    scenario_row{"cost", {"pattern", "transport", "size", "messages"}, &bench::scale::measure_cost},
};

void print_library(const char *label) {
    const bench::loaded_library library = bench::find_loaded_library();
    bench::report_library(label, library.file, library.version, library.sha256);
}

} // namespace

int main(int argument_count, char **arguments) {
    bench::refuse_unknown_environment();
    const std::span<char *const> words(arguments, static_cast<std::size_t>(argument_count));
    if (words.size() == 2 && std::string_view(words[1]) == "--library") {
        print_library("-");
        return 0;
    }
    if (words.size() < 3)
        bench::fail("usage: %s LABEL SCENARIO name=value...", words[0]);
    for (const scenario_row &row : scenarios) {
        if (row.name != words[2])
            continue;
        const parameters given(words[1], row.parameter_names, words.subspan(3));
        print_library(words[1]);
        row.measure(given);
        return 0;
    }
    bench::fail("there is no scenario '%s'", words[2]);
}
