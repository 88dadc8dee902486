// SPDX-License-Identifier: MPL-2.0
// CLIENT: to all servers in turn, from all servers in turn. zmq_socket(3), "Client-server pattern"; RFC 41.
//
// Threads, ownership: see pattern.hpp; the socket lets one thread in at a time. Messages have one frame.
#pragma once

#include "patterns/fair_queue.hpp"
#include "patterns/round_robin.hpp"

namespace zlink::patterns {

class client final : public pattern {
  public:
    client(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), incoming_(host), outgoing_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override { return outgoing_.writable(); }

  private:
    fair_queue incoming_;
    round_robin outgoing_;
};

} // namespace zlink::patterns
