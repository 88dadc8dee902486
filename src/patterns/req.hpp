// SPDX-License-Identifier: MPL-2.0
// REQ: a request to one peer, its reply, the next request. zmq_socket(3), "Request-reply pattern";
// zmq_setsockopt(3), ZMQ_REQ_CORRELATE, ZMQ_REQ_RELAXED.
//
// Threads, ownership: see pattern.hpp. A request is [id, with ZMQ_REQ_CORRELATE] [empty] body; its reply
// begins with the same envelope and comes from the peer that was asked. When that peer is gone another one
// may answer in its place: a service that came back does so. No peer may when the application itself has
// disconnected from the one that was asked. Everything else that arrives is dropped.
#pragma once

#include <array>

#include "patterns/fair_queue.hpp"
#include "patterns/round_robin.hpp"

namespace zlink::patterns {

class req final : public pattern {
  public:
    req(pattern_host &host, const socket_options &options) noexcept;
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    std::optional<std::uint64_t> owes_from(const pipe_end &end) noexcept override {
        return owed_if(state_ == state::receiving && incoming_.in_message_of(end));
    }
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    void message_sent() override { state_ = state::waiting; }
    void message_failed() override { state_ = state::ready; }
    int receive(incoming_frame &frame) override;
    bool can_send() override;
    bool can_receive() override;
    bool arm() noexcept override { return incoming_.arm(); }

  private:
    enum class state : std::uint8_t {
        ready,       // for a request
        sending,     // some frames of it
        waiting,     // for the reply
        reply_found, // its envelope was read
        receiving,   // some frames of its body were delivered
    };

    [[nodiscard]] bool may_begin() const noexcept;
    void withdraw();
    void begin();
    const outgoing_frame &next_id_frame() noexcept;
    bool may_answer(const pipe_end &from) const noexcept {
        return asked_ == &from || (asked_ == nullptr && !withdrawn_);
    }
    // Is the next message of this end older than the request?
    static bool is_stale(pipe_end &from) noexcept { return from.in().read_messages() < from.mark; }
    bool find_reply();
    bool accept_envelope(incoming_frame &frame, const pipe_end &from);

    fair_queue incoming_;
    round_robin outgoing_;
    state state_ = state::ready;
    bool looks_closely_ = false;  // at replies: some came before the request
    pipe_end *asked_ = nullptr;   // null: is gone; only compared with
    bool withdrawn_ = false;      // the application disconnected from the peer that was asked
    pipe_end *replier_ = nullptr; // whose message is being received; only compared with
    std::uint32_t next_id_;
    std::array<std::uint8_t, 4> id_{};
    outgoing_frame id_frame_{}; // of these
};

} // namespace zlink::patterns
