// SPDX-License-Identifier: MPL-2.0
//
// The books of zlink's counters: messages that were sent were received, wait, or were dropped.
#pragma once

#include "world.hpp"

#include <string>

// Returns "balance", or the accounts of the contexts whose books do not. A library without zlink_stats has
// none. Only for scripts that use inproc alone: elsewhere the system holds messages that nobody counts.
std::string state_of_books(const world &w);
