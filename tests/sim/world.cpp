// SPDX-License-Identifier: MPL-2.0
#include "sim/world.hpp"

namespace sim {

int world_processors = 2;
bool world_has_membarrier = true;

namespace {

void draw_turns(weather how) {
    zlink::random_generator &dice = run->dice;
    odds &now = run->odds_now;
    now.turn = 1 + dice.below(12);
    now.call_costs = 100 + run->up_to(2 * us);
    now.spurious = dice.below(2) * 50;
    if (how == weather::calm)
        return;
    now.hold = 100 + dice.below(2000);
    now.longest_hold = 10 * us + run->up_to(3 * ms);
    now.signal = dice.below(2) * (4 + dice.below(60));
}

void draw_network(weather how) {
    zlink::random_generator &dice = run->dice;
    network::nature &is = net->is;
    is.least_delay = us + run->up_to(100 * us);
    is.most_delay = is.least_delay + run->up_to(dice.below(4) == 0 ? 50 * ms : ms);
    is.least_window = 512 + dice.below(8192);
    is.most_window = is.least_window + dice.below(256 * 1024);
    is.cuts_one_in = 1 + dice.below(8);
    is.short_write_one_in = 2 + dice.below(20);
    if (how == weather::calm)
        return;
    is.slow_one_in = 50 + dice.below(200);
    is.refuses_one_in = 2 + dice.below(8);
    pretend->refuses_one_in = dice.below(2) * (20 + dice.below(200));
    if (how == weather::stormy)
        is.no_buffers_one_in = dice.below(2) * (200 + dice.below(2000));
}

} // namespace

weather begin_world(std::uint64_t seed) {
    run = new turns(seed * 0x9e3779b97f4a7c15u + 1);
    pretend = new kernel;
    net = new network;
    const auto how = static_cast<weather>(run->dice.below(3));
    world_processors = run->dice.below(4) == 0 ? 1 : 4;
    world_has_membarrier = run->dice.below(4) != 0;
    draw_turns(how);
    draw_network(how);
    return how;
}

} // namespace sim
