// SPDX-License-Identifier: MPL-2.0
#include "common/peer_envelope.hpp"

#include <zmq.h>

namespace cli {

peer_envelope::peer_envelope(int type, bool explicit_ids)
    : type_(type), used_(!explicit_ids && (type == ZMQ_ROUTER || type == ZMQ_STREAM || type == ZMQ_SERVER ||
                                           type == ZMQ_PEER || type == ZMQ_DGRAM)) {}

message peer_envelope::wrap(const message &frames) const {
    message whole;
    if (used_)
        whole = envelope_;
    whole.insert(whole.end(), frames.begin(), frames.end());
    return whole;
}

bool peer_envelope::unwrap(message &frames) {
    if (!used_)
        return true;
    if (type_ == ZMQ_STREAM) {
        const bool is_notice = frames.size() == 2 && frames[1].empty();
        peer_left_ = is_notice && !envelope_.empty() && envelope_[0] == frames[0];
        envelope_.assign(1, frames[0]);
        if (peer_left_)
            envelope_.clear();
        frames.erase(frames.begin());
        return !is_notice;
    }
    // The envelope of a REQ ends with an empty frame.
    const std::size_t size = frames.size() > 2 && frames[1].empty() ? 2 : 1;
    envelope_.assign(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(size));
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(size));
    return true;
}

} // namespace cli
