// SPDX-License-Identifier: MPL-2.0
#include "sim/simpler.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>

namespace sim {

simplification simpler;

namespace {

struct part {
    const char *name;
    void (*take_away)(plan &drawn, bool &faults);
};

constexpr part parts[] = {
    {"faults", [](plan &, bool &faults) { faults = false; }},
    {"restarts", [](plan &drawn, bool &) { drawn.restarts_one_in = 0; }},
    {"further senders", [](plan &drawn, bool &) { drawn.senders = 1; }},
    {"further receivers", [](plan &drawn, bool &) { drawn.receivers = 1; }},
    {"further I/O threads", [](plan &drawn, bool &) { drawn.io_threads = 1; }},
    {"CURVE", [](plan &drawn, bool &) { drawn.curve = false; }},
    {"heartbeats", [](plan &drawn, bool &) { drawn.heartbeat_ms = 0; }},
    {"polls", [](plan &drawn, bool &) { drawn.waits = waiting::in_call; }},
    {"pauses", [](plan &drawn, bool &) { drawn.pause_ms = 0; }},
    {"late binds", [](plan &drawn, bool &) { drawn.late_bind = false; }},
    {"large messages", [](plan &drawn, bool &) { drawn.largest = std::min<std::size_t>(drawn.largest, 50); }},
    {"signals", [](plan &, bool &) { run->odds_now.signal = 0; }},
    {"threads that stand still", [](plan &, bool &) { run->odds_now.hold = 0; }},
    {"wakeups for nothing", [](plan &, bool &) { run->odds_now.spurious = 0; }},
    {"shortages", [](plan &, bool &) { pretend->refuses_one_in = net->is.no_buffers_one_in = 0; }},
    {"refused connects", [](plan &, bool &) { net->is.refuses_one_in = 0; }},
    {"slow pieces", [](plan &, bool &) { net->is.slow_one_in = 0; }},
    {"pieces", [](plan &, bool &) { net->is.cuts_one_in = 0; }},
    {"short writes", [](plan &, bool &) { net->is.short_write_one_in = 0; }},
};

} // namespace

const char *part_name(std::uint32_t part) noexcept {
    return part < std::size(parts) ? parts[part].name : nullptr;
}

std::string simplification::text() const {
    char text[80];
    std::snprintf(text, sizeof text, "%" PRIx32 ".%" PRIu64 ".%" PRIu64, parts, most_messages, variant);
    return text;
}

bool parse(const char *text, simplification &made) noexcept {
    return std::sscanf(text, "%" SCNx32 ".%" SCNu64 ".%" SCNu64, &made.parts, &made.most_messages,
                       &made.variant) == 3;
}

void simplify(plan &drawn, bool &faults) {
    for (std::uint32_t part = 0; part < std::size(parts); ++part)
        if (simpler.takes(part))
            parts[part].take_away(drawn, faults);
    if (simpler.most_messages != 0)
        drawn.messages = std::min(drawn.messages, simpler.most_messages);
    if (simpler.variant != 0)
        run->dice = zlink::random_generator(run->dice.next() + simpler.variant);
}

} // namespace sim
