// SPDX-License-Identifier: MPL-2.0
#include "patterns/dgram.hpp"

namespace zlink::patterns {

int dgram::send(const outgoing_frame &frame) {
    if (frame.more() == in_message_)
        return EINVAL; // an address is followed by something, a body is not
    if (!in_message_)
        dropping_ = !pair::can_send();
    const int code = dropping_ ? 0 : pair::send(frame);
    host_.cached.out = {}; // each frame is looked at
    in_message_ = code == 0 && frame.more();
    return code;
}

} // namespace zlink::patterns
