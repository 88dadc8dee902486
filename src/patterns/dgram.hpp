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
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    inspected inspect(outgoing_frame &frame) override;
};

} // namespace zlink::patterns
