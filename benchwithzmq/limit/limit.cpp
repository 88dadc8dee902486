// SPDX-License-Identifier: MPL-2.0
// comp_limit: the same work as the comp_<library>_<pattern> programs without a library, as a measure of how
// far from the metal a library is. Called with the pattern as an additional first argument: comp_limit pair
// limit tcp 64.
#include "common/environment.hpp"
#include "common/fail.hpp"
#include "common/report.hpp"
#include "common/round_trips.hpp"
#include "common/throughput.hpp"
#include "common/two_ends.hpp"
#include "limit/frame.hpp"
#include "limit/ring_end.hpp"
#include "limit/socket_end.hpp"
#include "limit/tls_end.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace bench {
namespace {

struct limit_row {
    std::string_view argument;
    std::string_view name;
    frame_shape sender = {};
    frame_shape receiver = {};
    bool has_latency = true;
    bool request_reply = false;
};

constexpr frame_shape with_id{.sends_id = true, .receives_id = true};
constexpr frame_shape with_delimiter{.delimiter = true};

constexpr std::array rows{
    limit_row{.argument = "pair", .name = "PAIR"},
    limit_row{.argument = "pubsub", .name = "PUBSUB", .has_latency = false},
    limit_row{.argument = "pushpull", .name = "PUSHPULL", .has_latency = false},
    limit_row{.argument = "reqrep",
              .name = "REQREP",
              .sender = with_delimiter,
              .receiver = with_delimiter,
              .request_reply = true},
    limit_row{.argument = "dealer_dealer", .name = "DEALER_DEALER"},
    limit_row{.argument = "dealer_router", .name = "DEALER_ROUTER", .receiver = with_id},
    limit_row{.argument = "router_router", .name = "ROUTER_ROUTER", .sender = with_id, .receiver = with_id},
    limit_row{.argument = "router_router_poll",
              .name = "ROUTER_ROUTER_POLL",
              .sender = with_id,
              .receiver = with_id},
};

const limit_row &row_named(std::string_view argument) {
    for (const limit_row &row : rows) {
        if (row.argument == argument)
            return row;
    }
    fail("there is no pattern '%s'", std::string(argument).c_str());
}

class limit_measurement {
  public:
    limit_measurement(const limit_row &row, const settings &wanted)
        : row_(row), wanted_(wanted), shared_(make_meeting()) {}

    void throughput() {
        with_ends(row_.request_reply ? pace::lock_step : pace::streaming,
                  [this](auto &sender, auto &receiver) {
                      if (row_.request_reply)
                          ask_and_answer(sender, receiver, false);
                      else
                          run_two_ends(
                              wanted_.two_processes,
                              [&] { stream_receiver(receiver, *shared_, wanted_, delivery::complete).run(); },
                              [&] { stream_sender(sender, *shared_, wanted_, delivery::complete).run(); });
                  });
        report(wanted_, row_.name, "throughput", shared_->rate);
        warn_if_short(wanted_, row_.name, "throughput", shared_->took_ns);
    }

    void latency() {
        with_ends(pace::lock_step, [this](auto &sender, auto &receiver) {
            if (wanted_.two_processes) {
                ask_and_answer(sender, receiver, true);
                return;
            }
            ping_pong trip(sender, receiver, wanted_);
            measure_latency(trip, wanted_, *shared_);
        });
        report(wanted_, row_.name, "latency", shared_->median_us);
        report(wanted_, row_.name, "latency_p99", shared_->p99_us);
    }

  private:
    template <class Work> void with_ends(pace how, Work work) {
        if (wanted_.over == transport::inproc) {
            const framer outbound(row_.sender, wanted_.size_bytes);
            const framer inbound(row_.receiver, wanted_.size_bytes);
            ring there(outbound, wanted_.body_offset);
            ring back(outbound, wanted_.body_offset);
            ring_end sender(there, back, outbound);
            ring_end receiver(back, there, inbound);
            work(sender, receiver);
            return;
        }
        const auto [one, other] = connected_sockets(wanted_);
        if (wanted_.over_tls()) {
            auto [client, server] = connected_sessions({one, other});
            tls_end sender(std::move(client), row_.sender, wanted_);
            tls_end receiver(std::move(server), row_.receiver, wanted_);
            work(sender, receiver);
            return;
        }
        socket_end sender(one, row_.sender, wanted_, how);
        socket_end receiver(other, row_.receiver, wanted_, how);
        work(sender, receiver);
    }

    template <class End> void ask_and_answer(End &sender, End &receiver, bool for_latency) {
        run_two_ends(
            wanted_.two_processes, [&] { echo(receiver, *shared_, wanted_); },
            [&] {
                requester trip(sender, wanted_);
                if (for_latency)
                    measure_latency(trip, wanted_, *shared_);
                else
                    measure_trip_rate(trip, wanted_, *shared_);
                trip.finish();
                shared_->done.set();
            });
    }

    const limit_row &row_;
    const settings &wanted_;
    std::unique_ptr<meeting, unmap> shared_;
};

void print_library(std::string_view label) {
    report_library(label, "-", "bare sockets, shared memory and OpenSSL", "-");
}

} // namespace
} // namespace bench

int main(int argument_count, char **arguments) {
    using namespace bench;
    refuse_unknown_environment();
    if (argument_count < 2)
        fail("usage: %s <pattern> <label> <inproc|tcp|ipc|tls|ws|wss> <size in bytes>", arguments[0]);
    if (argument_count == 2 && std::strcmp(arguments[1], "--library") == 0) {
        print_library("-");
        return 0;
    }
    const limit_row &row = row_named(arguments[1]);
    const settings wanted = read_settings(arguments[0], argument_count - 2, arguments + 2);
    if (wanted.secured_by != mechanism::null)
        fail("there is no limit with a mechanism: bare sockets do not encrypt");
    print_library(wanted.label);
    report_clock(wanted.label);
    limit_measurement(row, wanted).throughput();
    if (row.has_latency && wanted.latency_count != 0)
        limit_measurement(row, wanted).latency();
    return 0;
}
