// SPDX-License-Identifier: MPL-2.0
// world: all of one run: turns, the pretend kernel, and the network, as the seed has made them.
#pragma once

#include "sim/network.hpp"

namespace sim {

extern int world_processors;
extern bool world_has_membarrier;

// How rough this run's world is.
enum class weather : std::uint8_t { calm, rough, stormy };

// Makes the world of this process, which is for one run.
weather begin_world(std::uint64_t seed);

} // namespace sim
