// SPDX-License-Identifier: MPL-2.0
//
// Names of the numbers of zmq.h: error codes, socket types, options, monitor events, flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The name of an error code; "errno N" for one without a name here.
std::string errno_name(int code);

// The number of a name, or of a text that is a number; nothing for another text.
std::optional<int> socket_type(std::string_view name);
std::optional<int> socket_option(std::string_view name);
std::optional<int> context_option(std::string_view name);
std::optional<long long> number(std::string_view text);

// The name of a monitor event; "event N" for one without a name.
std::string event_name(std::uint64_t event);

// A set of events by name: "ALL", or names joined by '|'.
std::optional<std::uint64_t> event_mask(std::string_view names);

// Poll bits as letters: i o e p, "-" for none.
std::string poll_letters(short events);
short poll_bits(std::string_view letters);
