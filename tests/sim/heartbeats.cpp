// SPDX-License-Identifier: MPL-2.0
// Two sockets with a quiet connection, and heartbeats of one side or both. While the network delivers, the
// connection stays. When the network falls silent, the side with heartbeats gives the connection up in time.
// So does a side that was told a TTL. A side that connects begins a new connection.
#include <algorithm>
#include <optional>

#include "sim/watcher.hpp"

namespace sim {
namespace {

constexpr time_ns answer_patience = 600 * one_s;

struct beats {
    int interval_ms = 0;
    int timeout_ms = 0; // -1: as the interval
    int ttl_ms = 0;
    [[nodiscard]] int patience_ms() const noexcept { return timeout_ms < 0 ? interval_ms : timeout_ms; }
};

enum class phase : std::uint8_t { begins, quiet, judged, over };

struct idle_pair {
    const plan &of;
    beats drawn;
    bool of_host;
    bool of_guest;
    bool silent;         // else it delivers all the time
    bool unread = false; // one message fills a queue meanwhile, and is read later
    int quiet_ms = 0;    // how long nobody sends
    phase at = phase::begins;
    int judging = 2; // sides that have not judged yet
    std::uint64_t count = 0;

    [[nodiscard]] bool host_gives_up() const noexcept { return of_host || drawn.ttl_ms != 0; }
    [[nodiscard]] bool guest_gives_up() const noexcept { return of_guest || drawn.ttl_ms != 0; }
};

// The longest way there and back, in pieces, with threads that stand still.
int longest_answer_ms() {
    const network::nature &is = net->is;
    const time_ns one_way = is.most_delay * (is.slow_one_in != 0 ? 100 : 1);
    return static_cast<int>((30 * one_way + 30 * run->odds_now.longest_hold) / ms) + 200;
}

beats draw_beats() {
    zlink::random_generator &dice = run->dice;
    const int longest = longest_answer_ms();
    beats made;
    const bool as_interval = dice.below(3) == 0;
    made.interval_ms = std::max(50 + static_cast<int>(dice.below(2000)), longest / 20);
    if (as_interval)
        made.interval_ms = std::max(made.interval_ms, longest);
    made.timeout_ms = as_interval ? -1 : longest + static_cast<int>(dice.below(2000));
    if (dice.below(3) == 0)
        made.ttl_ms = made.interval_ms + longest + static_cast<int>(dice.below(2000));
    return made;
}

class side {
  public:
    side(idle_pair &all, bool host)
        : all_(all), host_(host), context_(all.of), socket_(context_.get(), ZMQ_DEALER, all.of),
          events_(context_.get(), socket_, all.of) {
        if (!(host ? all.of_host : all.of_guest))
            return;
        socket_.set(ZMQ_HEARTBEAT_IVL, all.drawn.interval_ms);
        if (all.drawn.timeout_ms >= 0)
            socket_.set(ZMQ_HEARTBEAT_TIMEOUT, all.drawn.timeout_ms);
        socket_.set(ZMQ_HEARTBEAT_TTL, all.drawn.ttl_ms);
    }
    void attach_to_other() { attach(socket_, all_.of, host_, 0, 1); }

    void answer_all(phase until) {
        frames message;
        while (all_.at < until)
            if (socket_.receive(message))
                socket_.send(message);
    }
    void ask(const std::string &text) {
        const time_ns began = run->now();
        time_ns asked = 0;
        frames answer;
        do {
            if (run->now() - began > answer_patience && net->breaks <= (all_.silent ? 1U : 0U))
                fail("no answer behind a quiet time");
            if (run->now() - began > 4 * answer_patience)
                return;
            if (asked == 0 || run->now() - asked > answer_patience / 20) {
                socket_.send({text});
                asked = run->now();
            }
            if (!socket_.receive(answer))
                answer.clear();
        } while (answer.empty() || answer.front() != text);
        ++all_.count;
    }
    // Nobody sends, but for one message that fills a queue. A thread may sleep, or wait in a call.
    void keep_quiet() {
        const bool sleeps = all_.unread || run->dice.below(2) == 0;
        if (all_.unread && !host_)
            socket_.send({"unread"});
        const time_ns until = run->now() + all_.quiet_ms * ms;
        frames message;
        while (run->now() < until) {
            if (sleeps)
                sleep_for(std::min(until - run->now(), 10 * one_s));
            else if (socket_.receive(message) && host_)
                socket_.send(message);
        }
    }
    void judge() {
        const std::uint64_t ends = events_.count(ZMQ_EVENT_DISCONNECTED);
        const bool gives_up = host_ ? all_.host_gives_up() : all_.guest_gives_up();
        const char *const name = host_ ? "bound" : "connected";
        if (!all_.silent && ends != 0 && net->breaks == 0)
            fail("the %s side lost a connection that was quiet and healthy", name);
        if (all_.silent && gives_up && ends == 0)
            fail("the %s side kept a connection for %d ms that was silent", name, all_.quiet_ms);
        --all_.judging;
    }

  private:
    idle_pair &all_;
    bool host_;
    program_context context_;
    program_socket socket_;
    watcher events_;
};

void wait_for_judges(idle_pair &all) {
    while (all.judging != 0)
        sleep_for(10 * ms);
    all.at = std::max(all.at, phase::judged);
}

void run_host(idle_pair &all) {
    side host(all, true);
    host.attach_to_other();
    host.answer_all(phase::quiet);
    host.keep_quiet();
    host.judge();
    wait_for_judges(all);
    host.answer_all(phase::over);
}

// A PING has come before the silence, with its TTL.
void run_guest(idle_pair &all) {
    {
        side guest(all, false);
        guest.attach_to_other();
        guest.ask("before");
        if (all.silent) {
            sleep_for((2 * all.drawn.interval_ms + longest_answer_ms()) * ms);
            net->silence();
        }
        all.at = phase::quiet;
        guest.keep_quiet();
        guest.judge();
        wait_for_judges(all);
        if (!all.silent || all.guest_gives_up())
            guest.ask("after");
    }
    all.at = phase::over;
}

} // namespace

std::uint64_t play_heartbeats(const plan &drawn) {
    plan of = drawn;
    of.over = drawn.over == transport::inproc ? transport::tcp : drawn.over;
    of.heartbeat_ms = 0;
    of.send_limit_ms = 1000;
    of.linger_ms = 0;
    of.senders = of.receivers = 1;
    const std::uint32_t sides = 1 + run->dice.below(3);
    idle_pair all{of, draw_beats(), (sides & 1) != 0, (sides & 2) != 0, run->dice.below(2) == 0};
    const int until_end = all.drawn.interval_ms + std::max(all.drawn.patience_ms(), all.drawn.ttl_ms);
    constexpr int for_monitor_ms = 2000;
    all.quiet_ms = all.silent ? until_end + for_monitor_ms : 2 * until_end + 3 * all.drawn.interval_ms;
    all.unread = run->dice.below(3) == 0;
    if (all.unread)
        of.receive_mark = 1;
    run_threads(
        of, [&](int) { run_host(all); }, [&](int) { run_guest(all); });
    return all.count;
}

} // namespace sim
