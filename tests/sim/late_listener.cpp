// SPDX-License-Identifier: MPL-2.0
// A socket connects, and nobody listens yet. It tries again at the interval it was told, no more often and
// not much less. Its messages wait, also behind its close, as long as the linger time lasts.
#include <algorithm>
#include <cinttypes>
#include <optional>

#include "sim/scenario.hpp"

namespace sim {
namespace {

struct late_listener {
    const plan &of;
    int most_ms = 0; // ZMQ_RECONNECT_IVL_MAX; 0: none
    time_ns gap = 0; // until somebody listens
    bool closes = false;
    std::uint64_t messages = 0;
    std::uint64_t count = 0;
    std::uint64_t attempts = 0; // in the gap
    bool over = false;
};

// From the listener's begin to the last message.
time_ns longest_way(const late_listener &all) {
    const network::nature &is = net->is;
    const time_ns one_way = is.most_delay * (is.slow_one_in != 0 ? 100 : 1);
    return 2 * std::max(all.of.reconnect_ms, all.most_ms) * ms + 60 * one_way + 60 * one_s;
}

// Jitter makes an interval up to twice as long. An attempt may take a way there and back.
void judge_attempts(const late_listener &all) {
    const time_ns least = all.of.reconnect_ms * ms;
    const std::uint64_t most_attempts = static_cast<std::uint64_t>(all.gap / least) + 3;
    if (all.attempts > most_attempts)
        fail("%" PRIu64 " attempts to connect in %lld ms, with an interval of %d ms", all.attempts,
             static_cast<long long>(all.gap / ms), all.of.reconnect_ms);
    const time_ns one_way = net->is.most_delay * (net->is.slow_one_in != 0 ? 100 : 1);
    const time_ns longest =
        2 * std::max(all.of.reconnect_ms, all.most_ms) * ms + one_way + run->odds_now.longest_hold + 10 * ms;
    const auto least_attempts = static_cast<std::uint64_t>(all.gap / longest / 2);
    if (pretend->refuses_one_in == 0 && all.attempts < least_attempts)
        fail("%" PRIu64 " attempts to connect in %lld ms, with an interval of %d to %d ms", all.attempts,
             static_cast<long long>(all.gap / ms), all.of.reconnect_ms, all.most_ms);
}

void run_listener(late_listener &all) {
    sleep_for(all.gap);
    all.attempts = net->attempts;
    judge_attempts(all);
    program_context context(all.of);
    program_socket pull(context.get(), ZMQ_PULL, all.of);
    attach(pull, all.of, true, 0, 0);
    const time_ns began = run->now();
    flow_judge judge;
    for (std::uint64_t number = 0; number < all.messages; ++number)
        judge.sent(0, number);
    frames message;
    while (all.count < all.messages && run->now() - began < longest_way(all) + all.of.receive_limit_ms * ms) {
        if (!pull.receive(message))
            continue;
        judge.received(message, all.of.largest);
        ++all.count;
    }
    judge.finish({.in_order = net->breaks == 0, .complete = net->breaks == 0});
    all.over = true;
}

// The linger time of a socket that closes lasts until all has been sent.
void run_sender(late_listener &all) {
    plan of = all.of;
    if (all.closes)
        of.linger_ms = static_cast<int>((all.gap + 2 * longest_way(all)) / ms);
    program_context context(of);
    program_socket push(context.get(), ZMQ_PUSH, of);
    if (all.most_ms != 0)
        push.set(ZMQ_RECONNECT_IVL_MAX, all.most_ms);
    attach(push, of, false, 0, 1);
    for (std::uint64_t number = 0; number < all.messages; ++number)
        push.send(make_message(0, number, of.largest));
    while (!all.closes && !all.over)
        sleep_for(10 * ms);
}

} // namespace

std::uint64_t play_late_listener(const plan &drawn) {
    zlink::random_generator &dice = run->dice;
    plan of = drawn;
    of.over = drawn.over == transport::inproc ? transport::tcp : drawn.over;
    of.heartbeat_ms = 0;
    of.send_limit_ms = -1;
    of.linger_ms = -1;
    of.late_bind = false;
    of.senders = of.receivers = 1;
    late_listener all{of};
    all.most_ms = dice.below(3) == 0 ? of.reconnect_ms * (2 + static_cast<int>(dice.below(20))) : 0;
    all.gap = (5 + static_cast<int>(dice.below(40))) * std::max(of.reconnect_ms, all.most_ms) * ms;
    all.closes = dice.below(2) == 0;
    all.messages = 1 + dice.below(static_cast<std::uint32_t>(std::min({of.send_mark, of.receive_mark, 20})));
    run_threads(
        of, [&](int) { run_listener(all); }, [&](int) { run_sender(all); });
    return all.count;
}

} // namespace sim
