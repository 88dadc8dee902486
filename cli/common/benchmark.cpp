// SPDX-License-Identifier: MPL-2.0
#include "common/benchmark.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <zmq.h>

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
};

// At the front of a message that is long enough.
struct stamp {
    std::uint64_t due_ns;      // 0: its latency would be the time in queues
    std::uint64_t is_measured; // 0 during the warm-up
};

constexpr std::uint64_t late_ns = 1'000'000;
// This message ends a run. Others begin with a stamp, or have the letter z alone.
constexpr std::string_view end_text = "zlink bench end";

bool is_over(const bench_task &task) {
    return stop_signal::came() || task.abandoned;
}

// Calls wait in the library, as a program's would. They return after look_ms, for a look at signals and at
// the other thread.
constexpr int look_ms = 100;

// Repeats a call that has not succeeded. False once the run is over. Throws after the timeout.
template <class Call> bool persist(const bench_task &task, const char *act, Call call) {
    if (call() >= 0)
        return true;
    const auto deadline = now_ns() + seconds_to_ns(task.timeout);
    for (;;) {
        if (zmq_errno() != EAGAIN && zmq_errno() != EINTR)
            fail_with_errno(act);
        if (is_over(task))
            return false;
        if (now_ns() >= deadline)
            throw failure(concat("the other side is silent for ", task.timeout,
                                 " s: is it running, with the same --pattern?"));
        if (call() >= 0)
            return true;
    }
}

bool send(socket &used, const std::string &bytes, const bench_task &task) {
    return persist(task, "send", [&] { return zmq_send(used.handle(), bytes.data(), bytes.size(), 0); });
}

void set_timeouts(socket &used) {
    used.set(ZMQ_RCVTIMEO, look_ms, "ZMQ_RCVTIMEO");
    used.set(ZMQ_SNDTIMEO, look_ms, "ZMQ_SNDTIMEO");
}

class received_frame {
  public:
    received_frame() { zmq_msg_init(&frame_); }
    ~received_frame() { zmq_msg_close(&frame_); }
    received_frame(const received_frame &) = delete;
    received_frame &operator=(const received_frame &) = delete;

    bool receive(socket &used, const bench_task &task) {
        return persist(task, "receive", [&] { return zmq_msg_recv(&frame_, used.handle(), 0); });
    }
    bool is_end() { return text() == end_text; }
    std::size_t size() const { return zmq_msg_size(&frame_); }
    std::string_view text() { return {static_cast<const char *>(zmq_msg_data(&frame_)), size()}; }
    stamp read_stamp() {
        stamp found{};
        std::memcpy(&found, zmq_msg_data(&frame_), sizeof found);
        return found;
    }
    zmq_msg_t &handle() { return frame_; }

  private:
    zmq_msg_t frame_;
};

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

void say_end(socket &used, const bench_task &task) {
    send(used, std::string(end_text), task);
}

// A ROUTER gives the peer's routing id before its message, and takes it before the answer.
class addressed_message {
  public:
    addressed_message(socket &used, const bench_task &task)
        : used_(used), task_(task), has_address_(task.pattern->server == ZMQ_ROUTER) {}

    bool receive() {
        return (!has_address_ || address_.receive(used_, task_)) && body_.receive(used_, task_);
    }
    bool send_back() { return (!has_address_ || give(address_, ZMQ_SNDMORE)) && give(body_, 0); }
    received_frame &body() { return body_; }

  private:
    bool give(received_frame &frame, int flags) {
        return persist(task_, "send", [&] { return zmq_msg_send(&frame.handle(), used_.handle(), flags); });
    }

    socket &used_;
    const bench_task &task_;
    bool has_address_;
    received_frame address_, body_;
};

void await_subscription(socket &used, const bench_task &task) {
    received_frame subscription;
    subscription.receive(used, task);
    used.set(ZMQ_XPUB_NODROP, 1, "ZMQ_XPUB_NODROP");
}

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
    set_timeouts(used);
    if (task.pattern->client == ZMQ_XPUB)
        await_subscription(used, task);
    std::string bytes(task.size, 'z');
    received_frame answer;
    schedule times(task.rate);
    progress done(task);
    std::uint64_t first = 0, last = 0;
    for (auto due = times.next(); done.goes_on(due); due = times.next()) {
        const bool has_due = task.rate > 0 || task.pattern->round_trip;
        const stamp mark{has_due ? due : 0, done.is_measured(due)};
        if (bytes.size() >= sizeof mark)
            std::memcpy(bytes.data(), &mark, sizeof mark);
        const auto sent = now_ns();
        if (!send(used, bytes, task) || (task.pattern->round_trip && !answer.receive(used, task)))
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
    say_end(used, task);
    result.bytes = result.messages * task.size;
    result.seconds = static_cast<double>(last - first) / 1e9;
    return result;
}

bench_result run_bench_server(socket &used, bench_task &task) {
    bench_result result;
    set_timeouts(used);
    std::uint64_t first = 0, last = 0;
    while (!is_over(task)) {
        addressed_message whole(used, task);
        received_frame &frame = whole.body();
        if (!whole.receive() || frame.is_end())
            break;
        if (task.pattern->round_trip) {
            if (!whole.send_back())
                return result;
            continue;
        }
        // Without room for a stamp the warm-up counts too.
        const auto mark = frame.size() >= sizeof(stamp) ? frame.read_stamp() : stamp{0, 1};
        if (!mark.is_measured)
            continue;
        last = now_ns();
        first = first == 0 ? last : first;
        ++result.messages;
        result.bytes += frame.size();
        if (mark.due_ns != 0)
            add_latency(result, mark.due_ns);
    }
    result.seconds = static_cast<double>(last - first) / 1e9;
    return result;
}

} // namespace cli
