// SPDX-License-Identifier: MPL-2.0
// STREAM: a ROUTER whose peers are bare connections. A connection has its id from the first moment, ours
// before there is a peer; who is not there is always an error. zmq_socket(3), "Native pattern".
//
// Threads, ownership: see pattern.hpp.
#pragma once

#include "patterns/router.hpp"

namespace zlink::patterns {

class stream final : public router {
  public:
    using router::router;
    bool attach(pipe_end &end) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    bool can_send() override { return true; } // whom to is not known yet
};

} // namespace zlink::patterns
