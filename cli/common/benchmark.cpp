// SPDX-License-Identifier: MPL-2.0
#include "common/benchmark.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <zmq.h>

#include "common/bench_sides.hpp"
#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr bench_pattern patterns[] = {
    {"push-pull", ZMQ_PUSH, ZMQ_PULL, false},
    {"pub-sub", ZMQ_XPUB, ZMQ_SUB, false}, // as XPUB the client hears when the subscription has come
    {"req-rep", ZMQ_REQ, ZMQ_REP, true},
    {"pair", ZMQ_PAIR, ZMQ_PAIR, true},
    {"dealer-router", ZMQ_DEALER, ZMQ_ROUTER, true},
    {"dealer-dealer", ZMQ_DEALER, ZMQ_DEALER, true},
    {"client-server", ZMQ_CLIENT, ZMQ_SERVER, true},
    {"scatter-gather", ZMQ_SCATTER, ZMQ_GATHER, false},
    {"channel", ZMQ_CHANNEL, ZMQ_CHANNEL, true},
    {"radio-dish", ZMQ_RADIO, ZMQ_DISH, false},
    {"stream", ZMQ_STREAM, ZMQ_STREAM, true},
    {"peer", ZMQ_PEER, ZMQ_PEER, true},
    {"dgram", ZMQ_DGRAM, ZMQ_DGRAM, false},
};

constexpr std::uint64_t late_ns = 1'000'000;
// When messages are due. Without a rate that is when they can be sent.
class schedule {
  public:
    explicit schedule(double rate) : gap_ns_(rate > 0 ? std::min(1e9 / rate, 1e18) : 0), begun_(now_ns()) {}

    // Waits for the time of the next message, and gives it. It does not move when the one before was late.
    std::uint64_t next() {
        if (gap_ns_ <= 0)
            return now_ns();
        const auto due = begun_ + static_cast<std::uint64_t>(gap_ns_ * static_cast<double>(number_++));
        constexpr std::uint64_t sleepless_ns = 100'000;
        for (auto now = now_ns(); now < due && !stop_signal::came(); now = now_ns())
            if (due - now > sleepless_ns)
                std::this_thread::sleep_for(
                    std::chrono::nanoseconds(std::min<std::uint64_t>(due - now - sleepless_ns, 50'000'000)));
        return due;
    }

  private:
    double gap_ns_;
    std::uint64_t begun_, number_{0};
};

// Whether the client has sent enough, and when the warm-up is over.
class progress {
  public:
    explicit progress(const bench_task &task)
        : task_(task), measured_from_(now_ns() + seconds_to_ns(task.warm_up)),
          ends_(measured_from_ + seconds_to_ns(task.seconds)) {}

    bool goes_on(std::uint64_t now) const {
        return !is_over(task_) && (task_.count > 0 ? measured_ < task_.count : now < ends_);
    }
    bool is_measured(std::uint64_t due) {
        const bool result = due >= measured_from_;
        measured_ += result ? 1 : 0;
        return result;
    }

  private:
    const bench_task &task_;
    std::uint64_t measured_from_, ends_, measured_{0};
};

void add_latency(bench_result &result, std::uint64_t due) {
    const auto now = now_ns();
    result.latency.add(now > due ? now - due : 0);
    result.has_latency = true;
}

} // namespace

const std::vector<std::string> &pattern_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto &row : patterns)
            all.emplace_back(row.name);
        return all;
    }();
    return names;
}

const bench_pattern &find_pattern(const std::string &name) {
    for (const auto &row : patterns)
        if (name == row.name)
            return row;
    throw failure(concat("\"", name, "\" is no pattern"), status_usage);
}

bench_result run_bench_client(socket &used, bench_task &task) {
    bench_result result;
    bench_client client(used, task);
    if (!client.await_server())
        return result;
    std::string bytes(task.size, 'z');
    schedule times(task.rate);
    progress done(task);
    std::uint64_t first = 0, last = 0;
    for (auto due = times.next(); done.goes_on(due); due = times.next()) {
        const bool has_due = task.rate > 0 || task.pattern->round_trip;
        const bench_stamp mark{has_due ? due : 0, done.is_measured(due)};
        if (bytes.size() >= sizeof mark)
            std::memcpy(bytes.data(), &mark, sizeof mark);
        const auto sent = now_ns();
        if (!client.send(bytes) || (task.pattern->round_trip && !client.receive_answer(bytes.size())))
            break;
        if (!mark.is_measured)
            continue;
        first = first == 0 ? sent : first;
        ++result.messages;
        result.late += sent > due + late_ns ? 1 : 0;
        if (task.pattern->round_trip)
            add_latency(result, due);
        last = task.pattern->round_trip ? now_ns() : sent;
    }
    client.say_end(result.messages);
    result.bytes = result.messages * task.size;
    result.seconds = static_cast<double>(last - first) / 1e9;
    return result;
}

bench_result run_bench_server(socket &used, bench_task &task) {
    bench_result result;
    bench_server server(used, task);
    received_frame &frame = server.body();
    std::uint64_t first = 0, last = 0;
    while (!is_over(task) && server.receive()) {
        if (task.pattern->round_trip) {
            if (!server.send_back())
                return result;
            continue;
        }
        // Without room for a stamp the warm-up counts too.
        const auto mark = frame.size() >= sizeof(bench_stamp) ? frame.read_stamp() : bench_stamp{0, 1};
        if (!mark.is_measured)
            continue;
        last = now_ns();
        first = first == 0 ? last : first;
        ++result.messages;
        result.bytes += frame.size();
        if (mark.due_ns != 0)
            add_latency(result, mark.due_ns);
    }
    task.served = true;
    const auto announced = server.announced().value_or(0);
    result.lost = announced > result.messages ? announced - result.messages : 0;
    result.seconds = static_cast<double>(last - first) / 1e9;
    return result;
}

} // namespace cli
