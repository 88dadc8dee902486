// SPDX-License-Identifier: MPL-2.0
// Two processes: round trips of REQ and REP, and the way from PUB to SUB at a fixed rate.
//
// Both processes read the same monotonic clock. Every message is timed on its own.
#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/two_ends.hpp"
#include "scale/program/library.hpp"
#include "scale/program/percentile.hpp"
#include "scale/program/scenarios.hpp"
#include "scale/program/shared.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/prctl.h>
#include <vector>
#include <zmq.h>

namespace bench::scale {
namespace {

struct percentile_row {
    const char *metric;
    double part;
};

constexpr std::array percentile_rows{percentile_row{"p50_us", 0.5}, percentile_row{"p99_us", 0.99},
                                     percentile_row{"p999_us", 0.999}};

struct latency_state {
    char endpoint[256] = {}; // written by the binding end before bound
    flag bound;
    flag ready; // the subscriber has heard the publisher
    flag done;  // the end that measures has all it needs
    std::uint64_t measured = 0;
    std::array<double, percentile_rows.size()> percentiles_us{};
};

// Keeps single times from growing a vector while they are taken.
class times {
  public:
    explicit times(std::size_t expected) { ns_.reserve(expected); }
    void add(std::int64_t ns) { ns_.push_back(ns); }
    void summarize(latency_state &state) {
        if (ns_.empty())
            fail("not one message was timed");
        std::sort(ns_.begin(), ns_.end());
        for (std::size_t row = 0; row < percentile_rows.size(); ++row)
            state.percentiles_us[row] = percentile_us(ns_, percentile_rows[row].part);
        state.measured = ns_.size();
    }

  private:
    std::vector<std::int64_t> ns_;
};

void bind_and_tell(socket &end, const address &where, latency_state &state) {
    std::snprintf(state.endpoint, sizeof state.endpoint, "%s", end.bind(where.endpoint()).c_str());
    state.bound.set();
}

void report_percentiles(const parameters &given, const latency_state &state) {
    for (std::size_t row = 0; row < percentile_rows.size(); ++row)
        given.report(percentile_rows[row].metric, state.percentiles_us[row]);
}

class round_trips {
  public:
    explicit round_trips(const parameters &given)
        : size_(given.size_bytes()), run_ns_(given.number("run_ms", 1, 600'000) * ns_per_ms),
          where_(given.text("transport")) {}

    const latency_state &run() {
        run_two_ends(
            true, [this] { answer(); }, [this] { ask(); });
        return *state_;
    }

  private:
    void answer() {
        const context owner;
        socket replier(owner, ZMQ_REP);
        bind_and_tell(replier, where_, *state_);
        body message(size_);
        do {
            replier.receive(message);
            replier.send(message);
        } while (message.what() != kind::end);
        state_->done.wait();
    }

    void ask() {
        const context owner;
        socket requester(owner, ZMQ_REQ);
        state_->bound.wait();
        requester.connect(state_->endpoint);
        body message(size_);
        times taken(1'000'000);
        const std::int64_t begin = now_ns();
        const std::int64_t warm = begin + run_ns_ / 5;
        std::uint64_t sequence = 0;
        for (std::int64_t now = begin; now < warm + run_ns_; ++sequence) {
            const std::int64_t sent = now;
            trip(requester, message, kind::data, sequence);
            now = now_ns();
            if (sent >= warm)
                taken.add(now - sent);
        }
        trip(requester, message, kind::end, sequence);
        taken.summarize(*state_);
        state_->done.set();
    }

    static void trip(socket &requester, body &message, kind what, std::uint64_t sequence) {
        message.stamp(what, sequence);
        requester.send(message);
        requester.receive(message);
        if (message.what() != what || message.sequence() != sequence)
            fail("the reply to request %llu was another", static_cast<unsigned long long>(sequence));
    }

    const std::size_t size_;
    const std::int64_t run_ns_;
    const address where_;
    const shared<latency_state> state_;
};

// Sleeps until a time; at once when that is past.
void sleep_until(std::int64_t ns) {
    const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
}

class fixed_rate {
  public:
    explicit fixed_rate(const parameters &given)
        : size_(std::max<std::size_t>(given.size_bytes(), 2 * sizeof(std::uint64_t))),
          interval_ns_(1'000'000'000 / given.number("rate", 1, 1'000'000)),
          count_(given.number("run_ms", 1, 600'000) * ns_per_ms / interval_ns_),
          where_(given.text("transport")) {}

    const latency_state &run() {
        run_two_ends(
            true, [this] { publish(); }, [this] { receive(); });
        return *state_;
    }

  private:
    void publish() {
        prctl(PR_SET_TIMERSLACK, 1UL); // the kernel would add 50 us to every sleep
        const context owner;
        socket publisher(owner, ZMQ_PUB);
        bind_and_tell(publisher, where_, *state_);
        body message(size_);
        for (message.stamp(kind::hello, 0); !state_->ready.is_set(); sleep_ms(2))
            publisher.send(message);
        const std::int64_t begin = now_ns() + interval_ns_;
        for (std::int64_t number = 0; number < count_; ++number) {
            sleep_until(begin + number * interval_ns_);
            message.stamp(kind::data, static_cast<std::uint64_t>(number));
            const std::int64_t sent = now_ns();
            std::memcpy(message.data() + sizeof(std::uint64_t), &sent, sizeof sent);
            publisher.send(message);
        }
        state_->done.wait();
    }

    void receive() {
        const context owner;
        socket subscriber(owner, ZMQ_SUB);
        subscriber.subscribe("");
        state_->bound.wait();
        subscriber.connect(state_->endpoint);
        body message(size_);
        subscriber.receive(message);
        state_->ready.set();
        const std::int64_t warm = count_ / 10;
        times taken(static_cast<std::size_t>(count_));
        for (std::int64_t number = 0; number < count_; ++number) {
            const std::int64_t time = time_of_next(subscriber, message, number);
            if (number >= warm)
                taken.add(time);
        }
        taken.summarize(*state_);
        state_->done.set();
    }

    static std::int64_t time_of_next(socket &subscriber, body &message, std::int64_t number) {
        do {
            subscriber.receive(message);
        } while (message.what() == kind::hello);
        const std::int64_t now = now_ns();
        if (!message.is_data(static_cast<std::uint64_t>(number)))
            fail("a message was lost before number %lld", static_cast<long long>(number));
        std::int64_t sent = 0;
        std::memcpy(&sent, message.data() + sizeof(std::uint64_t), sizeof sent);
        return now - sent;
    }

    const std::size_t size_;
    const std::int64_t interval_ns_;
    const std::int64_t count_;
    const address where_;
    const shared<latency_state> state_;
};

} // namespace

void measure_round_trips(const parameters &given) {
    round_trips measured(given);
    report_percentiles(given, measured.run());
}

void measure_fixed_rate(const parameters &given) {
    fixed_rate measured(given);
    report_percentiles(given, measured.run());
}

} // namespace bench::scale
