// SPDX-License-Identifier: MPL-2.0
//
// Threads beside a script: an authenticator (ZAP), a steerable proxy. The script's thread starts and ends
// them; each uses its own sockets.
#pragma once

#include "world.hpp"

#include <mutex>
#include <string>
#include <thread>

class helper_thread {
  public:
    virtual ~helper_thread() = default;
    // Returns all that happened so far, on one line.
    virtual std::string report() = 0;
};
