// SPDX-License-Identifier: MPL-2.0
// ROUTER: to a peer by its routing id, from all peers in turn, each message behind the id of its sender.
// zmq_socket(3), "Request-reply pattern"; zmq_setsockopt(3), ZMQ_ROUTER_MANDATORY, ZMQ_ROUTER_HANDOVER,
// ZMQ_ROUTER_RAW.
//
// Threads, ownership: see pattern.hpp. An end is anonymous until its id is known: it is neither read nor
// addressed. The table and the queue have the ends that are known. An end whose id belongs to another one is
// ignored. It stays open and is not read. If it once had the id, its messages are dropped. To a raw peer one
// frame behind the id is the whole message. An empty one ends the connection when all before it is sent.
#pragma once

#include "base/random.hpp"
#include "patterns/fair_queue.hpp"
#include "patterns/round_robin.hpp"
#include "patterns/routing_table.hpp"

namespace zlink::patterns {

class router : public pattern {
  public:
    router(pattern_host &host, const socket_options &options) noexcept;
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    std::optional<std::uint64_t> owes_from(const pipe_end &end) noexcept override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    void end_connection(pipe_end &end, bool told) noexcept override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override;
    bool arm() noexcept override { return incoming_.arm(); }
    result<peer_state> state_of(std::string_view routing_id) override;

  protected:
    void identify(pipe_end &end);
    [[nodiscard]] pipe_end *find(std::string_view id) const noexcept { return table_.find(id); }

  private:
    void make_up_id(pipe_end &end);
    void take_over(pipe_end &end);
    void rename_departing(const pipe_end &fresh);
    void hang_up(pipe_end &end) noexcept;
    void retire(pipe_end &old) noexcept;
    void on_muted(pipe_end &end, std::uint32_t events) noexcept;
    void forget(pipe_end &end) noexcept;
    void leave(pipe_end &end) noexcept;
    void let_id_wait(pipe_end &end) noexcept;
    [[nodiscard]] bool take_id(pipe_end &end) noexcept;
    void pass_ids();
    void disconnect(pipe_end &end) noexcept;
    void settle();
    void keep_choice(pipe_end &next) noexcept;

    fair_queue incoming_;
    pipe_end *found_ = nullptr; // whose message a look has found: it is received next
    // By handover or hung up, while its message is being received, or was found.
    pipe_end *replaced_ = nullptr;

    routing_table<pipe_end> table_;
    write_ring writable_;
    std::size_t departing_ = 0;   // ends of peers that are gone, which have something to read
    std::size_t ids_waiting_ = 0; // ends whose id has a turn of its own
    std::uint32_t next_id_;
};

} // namespace zlink::patterns
