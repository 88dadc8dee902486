// SPDX-License-Identifier: MPL-2.0
#include "patterns/dgram.hpp"

namespace zlink::patterns {

int dgram::choose_target(const outgoing_frame &first, const message_address &address, route &chosen) {
    if (!first.more())
        return EINVAL; // an address is followed by something
    if (pair::can_send() && pair::choose_target(first, address, chosen) != 0)
        return EAGAIN;
    chosen.flags = route_flag::inspects;
    return 0;
}

// The second frame is the last one.
pattern::inspected dgram::inspect(outgoing_frame &frame) {
    return {frame.more() ? EINVAL : 0, false};
}

} // namespace zlink::patterns
