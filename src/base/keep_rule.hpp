// SPDX-License-Identifier: MPL-2.0
// keep_rule: which messages a queue keeps when more come than it may hold.
#pragma once

#include <cstdint>

namespace zlink {

enum class keep_rule : std::uint8_t {
    all,             // a full queue takes no message
    newest,          // the oldest message gives way
    latest_of_topic, // so does an older message with the same first frame
    latest_frame,    // there is one message of one frame: ZMQ_CONFLATE
};

} // namespace zlink
