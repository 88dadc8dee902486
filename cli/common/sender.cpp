// SPDX-License-Identifier: MPL-2.0
#include "common/sender.hpp"

#include <zmq.h>

#include "common/clock.hpp"
#include "common/stop_signal.hpp"

namespace cli {

// The library does not tell whether the linger ran out. The time that it took does.
bool finish_sending(context &owner, socket &used, std::optional<double> linger_seconds) {
    const auto begin = now_ns();
    constexpr int stopped_linger_ms = 500;
    if (stop_signal::came())
        used.set(ZMQ_LINGER, stopped_linger_ms, "ZMQ_LINGER");
    used.close();
    if (!owner.end())
        return false;
    return !linger_seconds || *linger_seconds == 0 || now_ns() - begin < seconds_to_ns(*linger_seconds);
}

} // namespace cli
