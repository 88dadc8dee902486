// SPDX-License-Identifier: MPL-2.0
// DEALER to ROUTER, which sends each message back to its sender.
#include <optional>

#include "sim/scenario.hpp"

namespace sim {
namespace {

constexpr time_ns patience = 120 * one_s;

struct routing {
    const plan &of;
    program_context *shared = nullptr; // over inproc
    flow_judge there;
    flow_judge back;
    int dealers_left;
    bool leave_early; // dealers close with answers unread
};

void run_router(routing &all, int number) {
    const plan &of = all.of;
    std::optional<program_context> own;
    void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
    program_socket router(context, ZMQ_ROUTER, of);
    attach(router, of, true, number, 0);
    frames message;
    time_ns last = run->now();
    const auto is_over = [&] {
        const bool all_came = all.there.count() == all.there.sent_count();
        return all.dealers_left == 0 && (all_came || run->now() - last > patience);
    };
    while (!is_over()) {
        if (!router.receive(message))
            continue;
        last = run->now();
        const frames body(message.begin() + 1, message.end());
        const std::uint64_t flow = all.there.received(body, of.largest, number);
        if (!router.send(message))
            all.back.not_sent(flow, all.there.last_number());
    }
}

// Takes what has come. Returns false if nothing has.
bool take_one(routing &all, program_socket &dealer, std::uint64_t flow) {
    frames message;
    if (!dealer.receive(message))
        return false;
    if (all.back.received(message, all.of.largest) != flow)
        fail("dealer %llu has a message of another one", static_cast<unsigned long long>(flow));
    return true;
}

void run_dealer(routing &all, int number) {
    const plan &of = all.of;
    const auto flow = static_cast<std::uint64_t>(number);
    {
        std::optional<program_context> own;
        void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
        program_socket dealer(context, ZMQ_DEALER, of);
        attach(dealer, of, false, 0, of.receivers);
        for (std::uint64_t next = 0; next < of.messages; ++next) {
            all.there.sent(flow, next);
            all.back.sent(flow, next);
            if (!dealer.send(make_message(flow, next, of.largest))) {
                all.there.not_sent(flow, next);
                all.back.not_sent(flow, next);
            }
            if (!all.leave_early && run->dice.below(3) == 0)
                take_one(all, dealer, flow);
            if (of.pause_ms != 0)
                pause_a_while(of.pause_ms);
        }
        time_ns last = run->now();
        while (!all.leave_early && !all.back.has_all(flow) && run->now() - last < patience)
            if (take_one(all, dealer, flow))
                last = run->now();
    }
    --all.dealers_left;
}

} // namespace

// A ROUTER drops what a full peer does not take. Dealers have a time limit: one that waits in a send reads
// nothing. With a full inbound queue it does not hear that its connection broke.
std::uint64_t play_router(const plan &drawn) {
    plan of = drawn;
    if (of.send_limit_ms < 0 && (of.how == weather::stormy || of.heartbeat_ms != 0))
        of.send_limit_ms = 1000;
    std::optional<program_context> shared;
    routing all{of, nullptr, {}, {}, of.senders, run->dice.below(3) == 0};
    if (of.over == transport::inproc)
        all.shared = &shared.emplace(of);
    run_threads(
        of, [&](int number) { run_router(all, number); }, [&](int number) { run_dealer(all, number); });
    const bool answered = !all.leave_early && of.send_mark >= 1000 && of.receive_mark >= 1000;
    // A close with unread bytes resets the connection. It waits a second for each confirmation, no longer.
    const bool too_slow = all.leave_early && net->is.slow_one_in != 0 && net->is.most_delay * 100 >= one_s;
    all.there.finish({.in_order = !may_lose(of), .complete = !may_lose(of) && !too_slow});
    all.back.finish({.in_order = !may_lose(of) && of.receivers == 1, .complete = !may_lose(of) && answered});
    return all.back.count();
}

} // namespace sim
