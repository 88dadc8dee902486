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
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    void message_sent() override { state_ = state::waiting; }
    void message_failed() override { state_ = state::ready; }
    source choose_source(asking why, incoming_frame &made) override;
    verdict inspect_incoming(pipe_end &end, incoming_frame &frame) override;
    bool can_send() override;
    bool arm() noexcept override { return incoming_.arm(); }

  private:
    enum class state : std::uint8_t {
        ready,   // for a request
        sending, // some frames of it
        waiting, // for the reply
        passing, // likewise; a look has dropped a message, or is about to read one that may be dropped
        replied, // the reply was found. It is received as long as the host has a message; see settle()
    };

    void settle() noexcept;
    template <asking Why> [[nodiscard]] source choose();
    [[nodiscard]] source look();
    [[nodiscard]] source settle_and_choose(asking why);
    [[nodiscard]] source choose_past_dropped(asking why);
    [[nodiscard]] bool may_begin() noexcept;
    void withdraw() noexcept;
    [[nodiscard]] bool forget_replies(pipe_end &end) noexcept;
    const outgoing_frame &next_id_frame() noexcept;
    bool may_answer(const pipe_end &from) const noexcept {
        return asked_ == &from || (asked_ == nullptr && !withdrawn_);
    }
    // Does a message of this end that begins with a delimiter answer the request?
    bool is_plain_reply(pipe_end &from) const noexcept {
        return !options_.pattern.request_correlate && may_answer(from) && from.in().delimiter_is_next();
    }
    // Is the next message of this end older than the request?
    static bool is_stale(pipe_end &from) noexcept { return from.in().read_messages() < from.notes.mark; }

    fair_queue incoming_;
    round_robin outgoing_;
    state state_ = state::ready;
    bool stale_ = false;             // the message that is being inspected is older than the request
    std::uint8_t envelope_read_ = 0; // frames of it
    pipe_end *asked_ = nullptr;      // null: is gone; only compared with
    bool withdrawn_ = false;         // the application disconnected from the peer that was asked
    std::uint32_t next_id_;
    std::array<std::uint8_t, 4> id_{};
    outgoing_frame id_frame_{}; // of these
};

} // namespace zlink::patterns
