// SPDX-License-Identifier: MPL-2.0
// CHANNEL: one peer, both ways. zmq_socket(3), "Exclusive pair pattern".
//
// Threads, ownership: see pattern.hpp; the socket lets one thread in at a time. Messages have one frame. The
// place is taken until what the peer left behind has been read.
#pragma once

#include "patterns/fair_queue.hpp"
#include "patterns/has_room.hpp"

namespace zlink::patterns {

class channel final : public pattern {
  public:
    channel(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), incoming_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override;

  private:
    fair_queue incoming_;
    pipe_end *end_ = nullptr;
    pipe_end *target_ = nullptr; // end_ while it may have room
};

} // namespace zlink::patterns
