// SPDX-License-Identifier: MPL-2.0
// PUSH to PULL: every message goes to one receiver, also through a proxy.
#include <optional>

#include "sim/proxy.hpp"

namespace sim {
namespace {

struct pipeline {
    const plan &of;
    program_context *shared = nullptr; // over inproc
    flow_judge judge;
    int senders_left;
};

bool all_arrived(const pipeline &all) {
    return all.senders_left == 0 && all.judge.count() == all.judge.sent_count();
}

void run_sender(pipeline &all, int number) {
    const plan &of = all.of;
    {
        std::optional<program_context> own;
        void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
        program_socket push(context, ZMQ_PUSH, of);
        if (of.proxied)
            attach_to_proxy(push, of, proxy_front);
        else
            attach(push, of, !of.receivers_bind, number, of.receivers);
        for (std::uint64_t next = 0; next < of.messages; ++next) {
            const auto flow = static_cast<std::uint64_t>(number);
            all.judge.sent(flow, next);
            if (!push.send(make_message(flow, next, of.largest)))
                all.judge.not_sent(flow, next);
            if (of.pause_ms != 0)
                pause_a_while(of.pause_ms);
        }
    }
    --all.senders_left;
}

// Until all has arrived, or nothing has come for a long time.
void run_receiver(pipeline &all, int number) {
    constexpr time_ns patience = 120 * one_s;
    const plan &of = all.of;
    std::optional<program_context> own;
    void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
    std::optional<program_socket> pull;
    const auto open = [&] {
        pull.emplace(context, ZMQ_PULL, of);
        if (of.proxied)
            attach_to_proxy(*pull, of, proxy_back);
        else
            attach(*pull, of, of.receivers_bind, number, of.senders);
    };
    open();
    time_ns last = run->now();
    frames message;
    while (!all_arrived(all) && (all.senders_left != 0 || run->now() - last < patience)) {
        if (run->chance(of.restarts_one_in)) {
            ++net->breaks; // messages of the old socket are lost
            open();
        }
        if (!pull->receive(message))
            continue;
        all.judge.received(message, of.largest, number);
        last = run->now();
    }
}

} // namespace

std::uint64_t play_pipeline(const plan &of) {
    std::optional<program_context> shared;
    pipeline all{of, nullptr, {}, of.senders};
    if (of.over == transport::inproc)
        all.shared = &shared.emplace(of);
    std::optional<proxy> between;
    if (of.proxied)
        between.emplace(of, shared ? shared->get() : nullptr, ZMQ_PULL, ZMQ_PUSH);
    run_threads(
        of, [&](int number) { run_receiver(all, number); }, [&](int number) { run_sender(all, number); });
    all.judge.finish({.in_order = !may_lose(of), .complete = !may_lose(of)});
    return all.judge.count();
}

} // namespace sim
