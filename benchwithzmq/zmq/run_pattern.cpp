// SPDX-License-Identifier: MPL-2.0
#include "common/certificate.hpp"
#include "common/environment.hpp"
#include "common/fail.hpp"
#include "common/report.hpp"
#include "common/round_trips.hpp"
#include "common/throughput.hpp"
#include "common/two_ends.hpp"
#include "zmq/loaded_library.hpp"
#include "zmq/pattern.hpp"
#include "zmq/zmq_end.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace bench {
namespace {

// Where the receiver binds; a socket file of this process for ipc, removed when the measurement is over.
class address {
  public:
    explicit address(transport over) {
        switch (over) {
        case transport::inproc:
            endpoint_ = "inproc://bench";
            break;
        case transport::tcp:
            endpoint_ = "tcp://127.0.0.1:*";
            break;
        case transport::tls:
            endpoint_ = "tls://127.0.0.1:*";
            break;
        case transport::ws:
            endpoint_ = "ws://127.0.0.1:*/bench";
            break;
        case transport::wss:
            endpoint_ = "wss://127.0.0.1:*/bench";
            break;
        case transport::ipc:
            const char *folder = std::getenv("TMPDIR");
            file_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/zmq-bench-" +
                    std::to_string(getpid()) + ".ipc";
            endpoint_ = "ipc://" + file_;
            break;
        }
    }
    ~address() {
        if (!file_.empty())
            unlink(file_.c_str());
    }
    address(const address &) = delete;
    address &operator=(const address &) = delete;
    [[nodiscard]] const std::string &endpoint() const { return endpoint_; }

  private:
    std::string endpoint_;
    std::string file_;
};

delivery delivery_of(const pattern_row &pattern, const settings &wanted) {
    if (!pattern.drops_at_high_water_mark)
        return delivery::complete;
    return wanted.high_water_mark > 0 ? delivery::lossy : delivery::from_subscription;
}

class measurement {
  public:
    // A certificate is made here, so that two processes have the same.
    measurement(const pattern_row &pattern, const settings &wanted)
        : pattern_(pattern), wanted_(wanted), arriving_(delivery_of(pattern, wanted)), address_(wanted.over),
          shared_(make_meeting()) {
        if (wanted.over_tls())
            own_certificate();
    }

    void throughput() {
        if (pattern_.measured == flow::request_reply)
            run([this](zmq_end &end) { ask(end, false); }, [this](zmq_end &end) { answer(end); },
                pace::lock_step);
        else
            run([this](zmq_end &end) { stream_sender(end, *shared_, wanted_, arriving_).run(); },
                [this](zmq_end &end) { stream_receiver(end, *shared_, wanted_, arriving_).run(); },
                pace::streaming);
        report(wanted_, pattern_.name, "throughput", shared_->rate);
        warn_if_short(wanted_, pattern_.name, "throughput", shared_->took_ns);
    }

    void latency() {
        if (wanted_.two_processes)
            run([this](zmq_end &end) { ask(end, true); }, [this](zmq_end &end) { answer(end); },
                pace::lock_step);
        else
            latency_in_one_thread();
        report(wanted_, pattern_.name, "latency", shared_->median_us);
        report(wanted_, pattern_.name, "latency_p99", shared_->p99_us);
    }

  private:
    // Threads share a context, as inproc demands; processes, by nature, do not.
    template <class Send, class Receive> void run(Send send, Receive receive, pace how) {
        const auto common = wanted_.two_processes ? nullptr : std::make_shared<zmq_context>(wanted_);
        const auto context = [&] { return common ? common : std::make_shared<zmq_context>(wanted_); };
        run_two_ends(
            wanted_.two_processes,
            [&] {
                const auto own = context();
                zmq_end end(*own, pattern_.receiver, wanted_, how);
                publish_endpoint(end.bind(address_.endpoint()));
                receive(end);
            },
            [&] {
                const auto own = context();
                zmq_end end(*own, pattern_.sender, wanted_, how);
                shared_->bound.wait();
                end.connect(shared_->endpoint);
                send(end);
            });
    }

    void latency_in_one_thread() {
        const zmq_context context(wanted_);
        zmq_end receiver(context, pattern_.receiver, wanted_, pace::lock_step);
        zmq_end sender(context, pattern_.sender, wanted_, pace::lock_step);
        sender.connect(receiver.bind(address_.endpoint()));
        ping_pong trip(sender, receiver, wanted_);
        measure_latency(trip, wanted_, *shared_);
    }

    void publish_endpoint(const std::string &endpoint) {
        debug(wanted_, "bound to %s", endpoint.c_str());
        std::snprintf(shared_->endpoint, sizeof shared_->endpoint, "%s", endpoint.c_str());
        shared_->bound.set();
    }

    void ask(zmq_end &end, bool for_latency) {
        requester trip(end, wanted_);
        if (for_latency)
            measure_latency(trip, wanted_, *shared_);
        else
            measure_trip_rate(trip, wanted_, *shared_);
        trip.finish();
        shared_->done.set();
    }

    void answer(zmq_end &end) { echo(end, *shared_, wanted_); }

    const pattern_row &pattern_;
    const settings &wanted_;
    const delivery arriving_;
    address address_;
    std::unique_ptr<meeting, unmap> shared_;
};

void print_library(const char *label) {
    const loaded_library library = find_loaded_library();
    report_library(label, library.file, library.version, library.sha256);
}

} // namespace

int run_pattern(const pattern_row &pattern, int argument_count, char **arguments) {
    refuse_unknown_environment();
    if (argument_count == 2 && std::strcmp(arguments[1], "--library") == 0) {
        print_library("-");
        return 0;
    }
    const settings wanted = read_settings(arguments[0], argument_count - 1, arguments + 1);
    print_library(wanted.label.c_str());
    report_clock(wanted.label);
    measurement(pattern, wanted).throughput();
    if (pattern.has_latency && wanted.latency_count != 0)
        measurement(pattern, wanted).latency();
    return 0;
}

} // namespace bench
