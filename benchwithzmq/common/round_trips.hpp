// SPDX-License-Identifier: MPL-2.0
// Round trips: latency from single measurements, and the rate of request and reply.
//
// A "trip" is a callable that sends one message there and takes one back.
// Every trip is timed on its own with one reading of the clock, whose cost is subtracted; latency is half of
// a trip.
#pragma once

#include "common/body.hpp"
#include "common/clock.hpp"
#include "common/end.hpp"
#include "common/fail.hpp"
#include "common/meeting.hpp"
#include "common/settings.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {

// The message from one end to the other, both in this thread. Ends whose send may need a concurrent receive
// overload it.
template <class From, class To> void pass(From &from, To &to, const body &out, body &in) {
    from.send(out);
    from.flush();
    to.receive(in);
}

template <class One, class Other> void first_pass(One &one, Other &other, body &out, body &in) {
    send_first(one, out);
    other.receive(in);
}

// Both ends in one thread.
template <class One, class Other> class ping_pong {
  public:
    ping_pong(One &one, Other &other, const settings &wanted)
        : one_(one), other_(other), out_(make_body(wanted)), in_(make_body(wanted)) {
        first_pass(one_, other_, out_, in_);
        pass(other_, one_, out_, in_);
    }

    void operator()() {
        out_.stamp(kind::data, sequence_);
        pass(one_, other_, out_, in_);
        pass(other_, one_, in_, out_);
        if (!out_.is_data(sequence_++))
            fail("a ping-pong message came back changed");
    }

  private:
    One &one_;
    Other &other_;
    body out_;
    body in_;
    std::uint64_t sequence_ = 0;
};

// One end; echo() runs at the other one.
template <class End> class requester {
  public:
    requester(End &end, const settings &wanted) : end_(end), out_(make_body(wanted)), in_(make_body(wanted)) {
        send_first(end_, out_);
        end_.receive(in_);
    }

    void operator()() { trip(kind::data); }
    void finish() { trip(kind::end); }

  private:
    void trip(kind what) {
        out_.stamp(what, sequence_);
        end_.send(out_);
        end_.flush();
        end_.receive(in_);
        if (in_.what() != what || (in_.has_sequence() && in_.sequence() != sequence_))
            fail("an answer does not belong to its question");
        ++sequence_;
    }

    End &end_;
    body out_;
    body in_;
    std::uint64_t sequence_ = 0;
};

template <class End> void echo(End &end, const meeting &shared, const settings &wanted) {
    body message = make_body(wanted);
    do {
        end.receive(message);
        end.send(message);
        end.flush();
    } while (message.what() != kind::end);
    shared.done.wait(); // the last answer is on its way
}

// Calls the trip `count` times, or for `duration_ms` when count is negative; in small groups, for the clock's
// sake.
template <class Trip> std::uint64_t repeat_trip(Trip &trip, std::int64_t count, std::int64_t duration_ms) {
    std::uint64_t made = 0;
    const std::int64_t until = now_ns() + duration_ms * ns_per_ms;
    while (count >= 0 ? made < static_cast<std::uint64_t>(count) : now_ns() < until) {
        for (int i = 0; i < 8 && (count < 0 || made < static_cast<std::uint64_t>(count)); ++i, ++made)
            trip();
    }
    return made;
}

template <class Trip> void measure_trip_rate(Trip &trip, const settings &wanted, meeting &shared) {
    repeat_trip(trip, wanted.warmup_count, wanted.warmup_ms());
    const std::int64_t begin = now_ns();
    const std::uint64_t made = repeat_trip(trip, wanted.message_count, wanted.run_ms);
    shared.took_ns = std::max<std::int64_t>(now_ns() - begin, 1);
    shared.rate = static_cast<double>(made) * 1e9 / static_cast<double>(shared.took_ns);
}

// The median and the 99th percentile of what is left of half a trip, in microseconds, into the meeting.
void summarize_trips(std::vector<std::int64_t> trips_ns, meeting &shared);

template <class Trip> void measure_latency(Trip &trip, const settings &wanted, meeting &shared) {
    constexpr std::size_t at_most = 1'000'000;
    const bool timed = wanted.latency_count < 0;
    const std::size_t count = timed ? at_most : static_cast<std::size_t>(wanted.latency_count);
    std::vector<std::int64_t> trips_ns;
    trips_ns.reserve(count);
    repeat_trip(trip, wanted.warmup_count, wanted.warmup_ms());
    const std::int64_t until = now_ns() + wanted.latency_ms() * ns_per_ms;
    std::int64_t before = now_ns();
    while (trips_ns.size() < count) {
        trip();
        const std::int64_t after = now_ns();
        trips_ns.push_back(after - before);
        before = after;
        if (timed && after > until && trips_ns.size() >= 100)
            break;
    }
    summarize_trips(std::move(trips_ns), shared);
}

} // namespace bench
