// SPDX-License-Identifier: MPL-2.0
// REQ to REP: each answer belongs to its request, and comes once.
#include <optional>

#include "sim/proxy.hpp"

namespace sim {
namespace {

constexpr time_ns patience = 600 * one_s;     // no answer for so long, and nothing was lost: a finding
constexpr time_ns short_patience = 5 * one_s; // then another request is made, where answers may be lost

struct requests {
    const plan &of;
    program_context *shared = nullptr; // over inproc
    flow_judge asked;
    flow_judge answered;
    int clients_left;
    bool relaxed; // one socket makes the next request; else a new socket does
};

void run_replier(requests &all, int number) {
    const plan &of = all.of;
    std::optional<program_context> own;
    void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
    program_socket rep(context, ZMQ_REP, of);
    if (of.proxied)
        attach_to_proxy(rep, of, proxy_back);
    else
        attach(rep, of, true, number, 0);
    frames message;
    while (all.clients_left != 0) {
        if (!rep.receive(message))
            continue;
        all.asked.received(message, of.largest);
        if (of.pause_ms != 0)
            pause_a_while(of.pause_ms / 100);
        while (!rep.send(message) && all.clients_left != 0) {
        }
    }
}

std::unique_ptr<program_socket> make_client(requests &all, void *context) {
    auto made = std::make_unique<program_socket>(context, ZMQ_REQ, all.of);
    if (all.relaxed) {
        made->set(ZMQ_REQ_RELAXED, 1);
        made->set(ZMQ_REQ_CORRELATE, 1);
    }
    made->set(ZMQ_LINGER, 0);
    if (all.of.proxied)
        attach_to_proxy(*made, all.of, proxy_front);
    else
        attach(*made, all.of, false, 0, all.of.receivers);
    return made;
}

// Returns false if none came.
bool wait_for_answer(requests &all, program_socket &client, const frames &request) {
    const time_ns asked = run->now();
    frames answer;
    while (!client.receive(answer)) {
        const time_ns waited = run->now() - asked;
        if (may_lose(all.of) && waited > short_patience)
            return false;
        if (waited > patience)
            fail("no answer to request %s", request.front().c_str());
    }
    if (answer != request)
        fail("the answer to request %s is that to %s", request.front().c_str(), answer.front().c_str());
    return true;
}

void run_client(requests &all, int number) {
    const plan &of = all.of;
    const auto flow = static_cast<std::uint64_t>(number);
    {
        std::optional<program_context> own;
        void *const context = all.shared != nullptr ? all.shared->get() : own.emplace(of).get();
        auto client = make_client(all, context);
        for (std::uint64_t next = 0; next < of.messages; ++next) {
            const frames request = make_message(flow, next, of.largest);
            all.asked.sent(flow, next);
            all.answered.sent(flow, next);
            while (!client->send(request)) {
            }
            if (wait_for_answer(all, *client, request))
                all.answered.received(request, of.largest);
            else if (!all.relaxed)
                client = make_client(all, context);
            if (of.pause_ms != 0)
                pause_a_while(of.pause_ms);
        }
    }
    --all.clients_left;
}

} // namespace

// Behind a proxy one REP answers many clients, in one pipe. It drops at its mark, as a ROUTER does.
std::uint64_t play_requests(const plan &drawn) {
    plan of = drawn;
    if (of.proxied)
        of.send_mark = of.receive_mark = 1000;
    std::optional<program_context> shared;
    requests all{of, nullptr, {}, {}, of.senders, run->dice.below(2) == 0};
    if (of.over == transport::inproc)
        all.shared = &shared.emplace(of);
    std::optional<proxy> between;
    if (of.proxied)
        between.emplace(of, shared ? shared->get() : nullptr, ZMQ_ROUTER, ZMQ_DEALER);
    run_threads(
        of, [&](int number) { run_replier(all, number); }, [&](int number) { run_client(all, number); });
    all.asked.finish({.in_order = false, .complete = !may_lose(of)});
    all.answered.finish({.in_order = true, .complete = !may_lose(of)});
    return all.answered.count();
}

} // namespace sim
