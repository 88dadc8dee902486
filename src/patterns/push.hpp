// SPDX-License-Identifier: MPL-2.0
// PUSH: to all peers in turn. zmq_socket(3), "Pipeline pattern".
//
// Threads, ownership: see pattern.hpp. Messages that a peer sends against the rules are never read.
#pragma once

#include "patterns/pattern.hpp"
#include "patterns/round_robin.hpp"

namespace zlink::patterns {

class push final : public pattern {
  public:
    push(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), outgoing_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override;

  private:
    round_robin outgoing_;
};

} // namespace zlink::patterns
