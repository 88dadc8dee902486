// SPDX-License-Identifier: MPL-2.0
// DGRAM: datagrams, each with the address it comes from or goes to in front: [address][body]. One endpoint.
//
// Threads, ownership: see pattern.hpp. A datagram that cannot be taken at once is dropped, as the network
// would.
#pragma once

#include "patterns/pair.hpp"

namespace zlink::patterns {

class dgram final : public pair {
  public:
    using pair::pair;
    int send(const outgoing_frame &frame) override;

  private:
    bool in_message_ = false; // the address was sent
    bool dropping_ = false;   // its message goes nowhere
};

} // namespace zlink::patterns
