// SPDX-License-Identifier: MPL-2.0
#include "sim/scenario.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "sim/simpler.hpp"

namespace sim {

void pause_a_while(int most_ms) {
    sleep_for(run->up_to(most_ms * ms));
}

void sleep_for(time_ns time) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(time));
}

void run_threads(const plan &of, const std::function<void(int number)> &receive,
                 const std::function<void(int number)> &send) {
    std::vector<std::thread> threads;
    for (int number = 0; number < of.receivers; ++number)
        threads.emplace_back(receive, number);
    for (int number = 0; number < of.senders; ++number)
        threads.emplace_back(send, number);
    for (std::thread &one : threads)
        one.join();
}

// ---- plans

void attach(program_socket &socket, const plan &of, bool binds, int number, int peers) {
    if (of.curve)
        socket.secure(binds);
    if (binds) {
        if (of.late_bind)
            pause_a_while(3000);
        return socket.bind(endpoint_of(of, number));
    }
    for (int peer = 0; peer < peers; ++peer)
        socket.connect(endpoint_of(of, peer));
}

void attach_to_proxy(program_socket &socket, const plan &of, int endpoint) {
    if (of.curve)
        socket.secure(false);
    socket.connect(endpoint_of(of, endpoint));
}

std::string endpoint_of(const plan &of, int number) {
    switch (of.over) {
    case transport::tcp:
        return "tcp://127.0.0.1:" + std::to_string(5000 + number);
    case transport::ipc:
        return "ipc:///pretend/" + std::to_string(number);
    default:
        return "inproc://" + std::to_string(number);
    }
}

plan draw_plan(weather how) {
    zlink::random_generator &dice = run->dice;
    plan made;
    made.how = how;
    const std::uint32_t over = dice.below(8);
    made.over = over < 5 ? transport::tcp : over < 7 ? transport::ipc : transport::inproc;
    made.senders = 1 + static_cast<int>(dice.below(3));
    made.receivers = 1 + static_cast<int>(dice.below(3));
    made.messages = 1 + dice.below(dice.below(4) == 0 ? 300 : 40);
    made.largest = dice.below(4) == 0 ? 100'000 : 1000;
    made.send_mark = dice.below(3) == 0 ? 1 + static_cast<int>(dice.below(8)) : 1000;
    made.receive_mark = dice.below(3) == 0 ? 1 + static_cast<int>(dice.below(8)) : 1000;
    made.send_limit_ms = dice.below(3) == 0 ? static_cast<int>(dice.below(500)) : -1;
    made.receive_limit_ms = 20 + static_cast<int>(dice.below(3000));
    made.linger_ms = dice.below(4) == 0 ? static_cast<int>(dice.below(3000)) : -1;
    made.heartbeat_ms = dice.below(3) == 0 ? 100 + static_cast<int>(dice.below(2000)) : 0;
    if (made.heartbeat_ms != 0)
        made.largest = 1000; // with a long one no heartbeat may ever come through
    made.reconnect_ms = 1 + static_cast<int>(dice.below(500));
    constexpr int pauses[] = {0, 0, 5, 1000, 60'000};
    made.pause_ms = pauses[dice.below(5)];
    made.receive_limit_ms += made.pause_ms / 10;
    if (made.pause_ms > 1000)
        made.messages = std::min<std::uint64_t>(made.messages, 20);
    if (how == weather::stormy && made.over != transport::inproc) // inproc never connects again
        made.restarts_one_in = dice.below(2) * (10 + dice.below(100));
    made.io_threads = 1 + static_cast<int>(dice.below(4) / 3);
    made.receivers_bind = dice.below(3) != 0;
    made.late_bind = made.over != transport::inproc && dice.below(3) == 0;
    made.curve = made.over != transport::inproc && dice.below(5) == 0;
    constexpr waiting ways[] = {waiting::in_call,  waiting::in_call,    waiting::in_call,
                                waiting::zmq_poll, waiting::zmq_poller, waiting::descriptor};
    made.waits = ways[dice.below(std::size(ways))];
    return made;
}

std::string describe(const plan &of, const char *pattern) {
    constexpr const char *transports[] = {"tcp", "ipc", "inproc"};
    constexpr const char *weathers[] = {"calm", "rough", "stormy"};
    constexpr const char *ways[] = {"", ", zmq_poll", ", zmq_poller", ", ZMQ_FD"};
    char text[200];
    std::snprintf(text, sizeof text, "%s %s%s %s, %d to %d, %llu messages, marks %d/%d, heartbeat %d%s",
                  pattern, transports[static_cast<int>(of.over)], of.curve ? " CURVE" : "",
                  weathers[static_cast<int>(of.how)], of.senders, of.receivers,
                  static_cast<unsigned long long>(of.messages), of.send_mark, of.receive_mark,
                  of.heartbeat_ms, ways[static_cast<int>(of.waits)]);
    return text;
}

// A broken connection loses what was under way. A heartbeat may break one that is slow or full. A linger time
// may be too short.
bool may_lose(const plan &of) noexcept {
    const bool quick =
        of.how == weather::calm && net->is.most_delay <= 1200 * us && net->is.least_window >= 4096;
    const bool fills = of.send_mark < 1000 || of.receive_mark < 1000; // a message holds up the PING behind it
    const bool too_short = of.heartbeat_ms != 0 && (!quick || fills || of.heartbeat_ms < 500);
    return net->breaks != 0 || too_short || of.linger_ms >= 0;
}

std::uint64_t play_scenario(weather how, std::span<char> about) {
    struct kind {
        const char *name;
        std::uint64_t (*play)(const plan &);
        bool proxied = false;
        bool faults = true; // those of a storm
    };
    constexpr kind kinds[] = {{"PUSH/PULL", &play_pipeline},
                              {"REQ/REP", &play_requests},
                              {"DEALER/ROUTER", &play_router},
                              {"PUB/SUB", &play_topics},
                              {"PUSH/proxy/PULL", &play_pipeline, true},
                              {"REQ/proxy/REP", &play_requests, true},
                              {"partings", &play_partings},
                              {"heartbeats", &play_heartbeats, false, false},
                              {"late listener", &play_late_listener, false, false}};
    plan drawn = draw_plan(how);
    const kind &one = kinds[run->dice.below(std::size(kinds))];
    drawn.proxied = one.proxied;
    bool faults = how == weather::stormy && one.faults;
    simplify(drawn, faults);
    std::snprintf(about.data(), about.size(), "%s", describe(drawn, one.name).c_str());
    if (faults)
        net->plan_faults(run->now() + 60 * one_s, 100 * ms + run->up_to(10 * one_s));
    return one.play(drawn);
}

} // namespace sim
