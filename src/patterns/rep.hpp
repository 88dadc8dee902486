// SPDX-License-Identifier: MPL-2.0
// REP: a request, its reply, the next request. zmq_socket(3), "Request-reply pattern".
//
// Threads, ownership: see pattern.hpp. The envelope of a request is all frames up to the first empty one. It
// is kept, and goes back before the reply to the end that the request came from. A reply to a peer that is
// gone or has no room is dropped. A request without an envelope is dropped, too. A routing id belongs to one
// end, as with ROUTER. Another end with that id is not read, or takes its place with ZMQ_ROUTER_HANDOVER.
#pragma once

#include <string>
#include <vector>

#include "patterns/fair_queue.hpp"
#include "patterns/pattern.hpp"
#include "patterns/routing_table.hpp"

namespace zlink::patterns {

class rep final : public pattern {
  public:
    rep(pattern_host &host, const socket_options &options) noexcept
        : pattern(host, options), incoming_(host) {}
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    void message_sent() override { state_ = state::waiting; }
    // The whole reply may be tried again.
    void message_failed() override { state_ = state::owing; }
    source choose_source(asking why, incoming_frame &made) override;
    verdict inspect_incoming(pipe_end &end, incoming_frame &frame) override;
    bool can_send() override;
    bool arm() noexcept override { return incoming_.arm(); }

  private:
    enum class state : std::uint8_t {
        waiting,   // for a request
        passing,   // likewise; a look has dropped a message, or is about to read one that may be dropped
        requested, // the request was found. It is received as long as the host has a message; see settle()
        owing,     // the reply
        replying,  // some frames of it were sent
    };

    void identify(pipe_end &end);
    void take_over(pipe_end &old, pipe_end &fresh) noexcept;
    void mute(pipe_end &end) noexcept;
    void on_ignored(pipe_end &end, std::uint32_t events) noexcept;
    void forget(pipe_end &end) noexcept;
    void settle() noexcept;
    template <asking Why> [[nodiscard]] source choose();
    [[nodiscard]] source look();
    void begin_look(pipe_end &from) noexcept;
    [[nodiscard]] source settle_and_choose(asking why);
    [[nodiscard]] source choose_settled(asking why);
    [[nodiscard]] source choose_past_dropped(asking why);
    void begin(pipe_end &from) noexcept;
    void keep(const incoming_frame &frame);
    void frame_envelope();

    fair_queue incoming_;
    state state_ = state::waiting;
    pipe_end *asker_ = nullptr;     // null: it does not listen any more
    pipe_end *replaced_ = nullptr;  // by handover, while its request is being received
    routing_table<pipe_end> table_; // ends whose peers have a routing id
    std::string envelope_;          // the bodies of its frames, without the delimiter
    std::vector<std::size_t> sizes_;
    std::vector<outgoing_frame> envelope_frames_; // of the reply
};

} // namespace zlink::patterns
