// SPDX-License-Identifier: MPL-2.0
// SERVER and PEER: to a peer by its number, from all peers in turn, each message with the number of its
// sender. zmq_socket(3), "Client-server pattern", "Peer-to-peer pattern"; zmq_msg_routing_id(3); RFC 41.
//
// Threads, ownership: see pattern.hpp; the socket lets one thread in at a time. Messages have one frame. An
// end's mark is its number: never 0, and not used again before 2^32 others were.
#pragma once

#include <unordered_map>

#include "base/random.hpp"
#include "patterns/fair_queue.hpp"
#include "patterns/has_room.hpp"

namespace zlink::patterns {

class server final : public pattern {
  public:
    server(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), incoming_(host), next_(static_cast<std::uint32_t>(random_seed())) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    void address_from(const pipe_end &end, message_address &address) const noexcept override;
    bool can_send() override { return true; } // to whom it is said in the message
    [[nodiscard]] std::uint32_t number_of(const pipe_end &end) const noexcept override;
    [[nodiscard]] pipe_end *numbered(std::uint32_t number) noexcept override;

  private:
    void forget(pipe_end &end) noexcept;

    fair_queue incoming_;
    std::unordered_map<std::uint32_t, pipe_end *> peers_;
    std::uint32_t next_;
};

} // namespace zlink::patterns
