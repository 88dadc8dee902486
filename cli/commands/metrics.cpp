// SPDX-License-Identifier: MPL-2.0
// zlink metrics: counters in the text format of Prometheus.
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "metrics/page_server.hpp"

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/statistics.hpp"
#include "common/stop_signal.hpp"

namespace cli {

namespace {

using zlink::metrics::page;
using zlink::metrics::page_server;

constexpr std::chrono::milliseconds look_for_signals{100};

struct metrics_options {
    std::vector<std::string> processes;
    std::optional<std::string> listen;
};

page_server listening(const std::string &endpoint, page_server::maker make) {
    try {
        return page_server(endpoint, std::move(make));
    } catch (const std::invalid_argument &wrong) {
        throw failure(wrong.what(), status_usage);
    } catch (const std::runtime_error &refused) {
        throw failure(refused.what());
    }
}

int run_metrics(const metrics_options &options) {
    const std::string text = statistics::metrics_of(options.processes, true);
    if (!options.listen) {
        output out;
        out.write(text);
        out.flush();
        return status_done;
    }
    page_server server = listening(*options.listen, [&](const std::string &path) -> page {
        if (path != "/metrics" && path != "/")
            return {404, "text/plain", "look at /metrics\n"};
        return {200, "text/plain; version=0.0.4; charset=utf-8",
                statistics::metrics_of(options.processes, false)};
    });
    note("serving " + server.endpoint());
    while (!stop_signal::came())
        server.run_for(look_for_signals);
    return status_done;
}

} // namespace

action declare_metrics(arguments &declared) {
    auto options = std::make_shared<metrics_options>();
    declared.option("PID", options->processes, "[PID...]",
                    "The processes, or files of ZLINK_RUNTIME_DIR; all, if none is given");
    declared.option("--listen", options->listen, "ENDPOINT",
                    "Serve them by HTTP, as tcp://127.0.0.1:9464, until a signal; otherwise print them once");
    return [options] {
        stop_signal::install();
        return run_metrics(*options);
    };
}

} // namespace cli
