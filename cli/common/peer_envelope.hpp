// SPDX-License-Identifier: MPL-2.0
// The frames that name a peer, for ROUTER, STREAM, SERVER, PEER and DGRAM, where people write lines: they are
// taken off what comes, and put before what goes to the peer that was heard last. With `explicit_ids` and for
// other types messages pass unchanged.
#pragma once

#include "common/messaging.hpp"

namespace cli {

class peer_envelope {
  public:
    peer_envelope(int type, bool explicit_ids);

    // Whether there is a peer to send to.
    bool is_known() const { return !used_ || !envelope_.empty(); }
    message wrap(const message &frames) const;
    // False if the message is no data but tells of a peer that came or left (STREAM).
    bool unwrap(message &frames);
    // The peer of a STREAM has closed the connection.
    bool peer_left() const { return peer_left_; }

  private:
    int type_;
    bool used_;
    message envelope_;
    bool peer_left_{false};
};

} // namespace cli
