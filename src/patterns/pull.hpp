// SPDX-License-Identifier: MPL-2.0
// PULL: from all peers in turn. zmq_socket(3), "Pipeline pattern".
//
// Threads, ownership: see pattern.hpp.
#pragma once

#include "patterns/fair_queue.hpp"

namespace zlink::patterns {

class pull final : public pattern {
  public:
    pull(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), incoming_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override;
    bool arm() noexcept override { return incoming_.arm(); }

  private:
    fair_queue incoming_;
};

} // namespace zlink::patterns
