// SPDX-License-Identifier: MPL-2.0
// One handshake by a socket of the library, as its monitor tells it. For transports and mechanisms that the
// command does not speak by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/messaging.hpp"

namespace cli {

struct handshake_news {
    int event{0};                              // the last one, ZMQ_EVENT_...; 0: none came in time
    std::uint32_t value{0};                    // of this event
    std::uint64_t connected_ns{0}, took_ns{0}; // since the beginning; 0: not reached

    bool succeeded() const;
    // The peer says that it does not take a socket of this type.
    bool is_the_type() const;
    // It may mean that: it ends the connection without a reason.
    bool may_be_the_type() const;
    // Why it failed, and what to do.
    std::string explanation(double timeout_seconds) const;
};

// Connects a socket of this type, to which `prepare` has given its options.
handshake_news try_handshake(int type, const std::string &endpoint, double timeout_seconds,
                             const std::function<void(socket &)> &prepare);

} // namespace cli
