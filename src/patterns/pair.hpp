// SPDX-License-Identifier: MPL-2.0
// PAIR: one peer, both ways. zmq_socket(3), "Exclusive pair pattern".
//
// Threads, ownership: see pattern.hpp. The place is taken until what the peer left behind has been read.
#pragma once

#include "patterns/has_room.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

class pair : public pattern {
  public:
    using pattern::pattern;
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override;
    bool arm() noexcept override { return source_ != nullptr && source_->arm(); }

  private:
    void rest() noexcept;

    pipe_end *end_ = nullptr;
    pipe_end *target_ = nullptr; // end_ while it may have room
    pipe_end *source_ = nullptr; // end_ while it may have messages
};

} // namespace zlink::patterns
