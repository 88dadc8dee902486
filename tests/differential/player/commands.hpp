// SPDX-License-Identifier: MPL-2.0
//
// The words of scripts: each is a function that makes one or a few API calls and returns a line of facts.
#pragma once

#include "world.hpp"

#include <span>
#include <string>
#include <string_view>

struct command {
    std::string_view name;
    std::string (*run)(world &, const words &);
};

std::span<const command> context_commands(); // contexts, settle, small functions
std::span<const command> socket_commands();  // sockets, endpoints, options
std::span<const command> traffic_commands(); // sends and receives
std::span<const command> message_commands(); // zmq_msg_*
std::span<const command> poll_commands();    // zmq_poll, zmq_poller_*, descriptors
std::span<const command> timer_commands();
std::span<const command> monitor_commands();
std::span<const command> helper_commands(); // authenticators, proxies, bare connections

// Runs one line and returns its result, on one line.
std::string run_line(world &, std::string_view line);
