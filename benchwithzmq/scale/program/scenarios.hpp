// SPDX-License-Identifier: MPL-2.0
// The scenarios. Each builds its sockets, measures, and reports its metrics; whatever goes wrong ends the
// program.
//
// Threads: called once per process, from the main thread before any other exists (some of them fork).
#pragma once

#include "scale/program/parameters.hpp"

namespace bench::scale {

// One hub and many peers in one process: rate of messages that arrived.
void measure_fan(const parameters &given);
// Many TCP connections into one socket of another process: how fast they come, what memory they take.
void measure_connections(const parameters &given);
// Many topics of one subscriber in another process: memory at both ends, time to subscribe.
void measure_subscriptions(const parameters &given);
// The same number of topics over inproc: rate of messages that match one of them, and of those that match
// none.
void measure_matching(const parameters &given);
// Two processes, round trips: percentiles.
void measure_round_trips(const parameters &given);
// Two processes, one publishing at a fixed rate: percentiles of the way there.
void measure_fixed_rate(const parameters &given);
// Requesters, a ROUTER-DEALER proxy and repliers, each in a process of its own: rate and percentiles.
void measure_broker(const parameters &given);
// A PUSH, a PULL-PUSH proxy and a PULL, each in a process of its own: rate.
void measure_streamer(const parameters &given);
// A PUB, an XSUB-XPUB proxy, and many SUB in one process: rate of messages that arrived.
void measure_forwarder(const parameters &given);
// Two processes and a fixed number of messages: what of the machine each message takes.
void measure_cost(const parameters &given);

} // namespace bench::scale
