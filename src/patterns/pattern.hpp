// SPDX-License-Identifier: MPL-2.0
// pattern: what a socket type does with its pipes. It chooses who gets a message, and whose message is next.
//
// Threads: the application thread in a call on the socket (one at a time). Pure: no I/O, no clock, never
// blocks. Ownership: the socket owns the ends. A pattern knows them from attach() to detach(), and keeps its
// own notes in them (pattern_notes). Errors: errno numbers; 0 is success. EAGAIN: not now; the socket waits
// for an event and asks again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "base/socket_type.hpp"
#include "patterns/route.hpp"
#include "pipe/pipe.hpp"

namespace zlink::patterns {

// The cached answer of a pattern: the pipe that the next frame goes to, if that frame is a whole message.
// Null: ask the pattern. `then` is the pipe of the frame after it.
//
// ROUTER only: `named` is the end whose routing id may come next, as the first frame of a message. The id is
// then sent without the pattern, too. After an id, `end` is set and `then` is not.
struct cached_target {
    pipe_end *end = nullptr;
    pipe_end *then = nullptr;
    pipe_end *named = nullptr;

    void used() noexcept { end = then; }
    // Returns true if an id was sent and its message was not.
    [[nodiscard, gnu::always_inline]] bool after_id() const noexcept { return end != then; }
    // Sends an id if it is the expected one. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_id(std::string_view id) noexcept {
        if (end != nullptr || named == nullptr || !same_text(named->notes.routing_id, id) ||
            named->out().full())
            return false;
        end = named;
        return true;
    }
};

// The pipe that the next frame comes from, if there is nothing to decide. Every change closes it. `then` and
// `named`: see cached_target. Behind an id, `end` is set and `then` is not.
struct cached_source {
    pipe_end *end = nullptr;
    pipe_end *then = nullptr;
    pipe_end *named = nullptr;

    void used() noexcept { end = then; }
};
struct cached_routes {
    cached_target out{};
    cached_source in{};
};

class fair_queue;

// The message that is being sent. core/transfer writes it.
struct outgoing_message {
    route target;
    bool open = false; // some frames were sent and the last one was not
};

// The socket, as a pattern sees it.
class pattern_host {
  public:
    cached_routes cached;
    outgoing_message sending;
    incoming_message receiving;
    fair_queue *turns = nullptr;               // of the ends that messages come from; the pattern's, or null
    counters::socket_counts *counts = nullptr; // the socket's; null: nobody counts
    const pipe_end *lost_target = nullptr; // the last end that was lost in its message; only compared with

    // A message goes to nobody.
    void count_drop(counters::drop_reason why) noexcept {
        if (counts != nullptr)
            counts->drop(why);
    }
    // A message does not go to this end, which has no room.
    void count_full(pipe_end &end) const noexcept {
        const bool for_bytes = end.out().count_drop();
        if (counts != nullptr)
            counts->tell_of_drop(for_bytes ? counters::drop_reason::byte_mark_reached
                                           : counters::drop_reason::mark_reached,
                                 1);
    }

    // Something has changed: the pattern is asked for the next frame.
    void close_routes() noexcept {
        close_route_out();
        close_route_in();
    }
    void close_route_in() noexcept {
        cached.in = {};
        receiving.flags &= static_cast<std::uint16_t>(~source_flag::stays);
    }
    // Sends an id on the cached route if it is the expected one. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_id(std::string_view id) noexcept {
        return !sending.open && cached.out.send_id(id);
    }
    // Receives the id of the next message on the cached route, if the message is there and the id is short.
    // Returns null if nothing was done.
    [[nodiscard, gnu::always_inline]] const std::string *receive_id() noexcept {
        pipe_end *const named = cached.in.named;
        if (cached.in.end != nullptr || named == nullptr || !named->in().has_message() ||
            named->notes.routing_id.size() > few_bytes)
            return nullptr;
        cached.in.end = named;
        receiving.begin_behind_id(*named);
        receiving.more_follows = true;
        return &named->notes.routing_id;
    }
    // A whole message was received on the cached route, or the one frame behind an id.
    [[gnu::always_inline]] void received_on_route() noexcept {
        cached.in.used();
        receiving.end();
    }
    // Returns the end of the message that is being received, or that was found; else null.
    [[nodiscard]] const pipe_end *receiving_from() const noexcept {
        return receiving.promised() ? receiving.from : nullptr;
    }
    // Some frames of a message were sent and the last one was not.
    [[nodiscard]] bool in_message() const noexcept { return sending.open || cached.out.after_id(); }
    // Returns the one end that the message in progress goes to, or null.
    [[nodiscard]] pipe_end *sending_to() const noexcept { return in_message() ? sending.target.to : nullptr; }
    // Nothing more is written to this end: the rest of its message goes nowhere.
    void lose(pipe_end &end) noexcept;
    // Nothing more comes from or goes to this end: the socket calls detach() and closes it, later, at a safe
    // point.
    virtual void finished(pipe_end &end) noexcept = 0;
    // Does so now. For a pattern that ends something in choose_target() or choose_source(), when it holds no
    // iterator of its ends.
    virtual void close_finished() = 0;

  protected:
    ~pattern_host() = default;

  private:
    void close_route_out() noexcept {
        if (cached.out.after_id())
            sending.open = true;
        sending.target.set(route_flag::stays, false);
        cached.out = {};
    }
};

// How many frames a call passes over before it returns, however fast a peer sends: some milliseconds' work.
inline constexpr std::uint64_t most_passed_over = 16384;

// Drops what has come. An event tells of what comes later.
void drop_all(pipe_end &end) noexcept;

// How many requests of one of `subscribers` a call reads. From a socket of this process it reads all that was
// sent before the call. From a connection it reads a part.
[[nodiscard]] inline std::uint64_t most_requests(pipe_end &end, std::size_t subscribers) noexcept {
    constexpr std::uint64_t most_of_call = 16384;
    constexpr std::uint64_t most_of_connection = 4096;
    constexpr std::uint64_t least_of_connection = 64;
    const std::uint64_t share = std::clamp(most_of_call / std::max<std::size_t>(subscribers, 1),
                                           least_of_connection, most_of_connection);
    return std::max(end.traits.in_process() ? end.in().depth() : 0, share);
}

// Address of a message beside its one frame, for the types that many threads may use.
struct message_address {
    std::uint32_t routing_id = 0; // the peer that it goes to or came from (SERVER, PEER); 0: none
    std::string_view group{};     // RADIO, DISH; of a message received: valid as long as its frame
};
inline constexpr message_address no_address{};

class alignas(64) pattern {
  public:
    pattern(pattern_host &host, const socket_options &options) noexcept : host_(host), options_(options) {}
    virtual ~pattern() = default;
    pattern(const pattern &) = delete;
    pattern &operator=(const pattern &) = delete;

    // A new pipe: readable and writable as far as known. Returns false if the pattern refuses it; the socket
    // closes it then.
    [[nodiscard]] virtual bool attach(pipe_end &end) = 0;
    // Forgets the end. Nothing of it is used afterwards; a message half sent or half received through it is
    // given up.
    virtual void detach(pipe_end &end) noexcept = 0;
    // Bits of pipe_event. After peer_closed nothing is written to the end any more, and what it still holds
    // is read. When it is empty, also if it is so at once, the pattern calls host.finished(end).
    virtual void on_events(pipe_end &end, std::uint32_t events) = 0;

    // The application may have received a message of this end in part, or was told of it by a look.
    // Returns how many messages are to be read from the end for it. Empty: there is none.
    [[nodiscard]] virtual std::optional<std::uint64_t> owes_from(const pipe_end &end) noexcept {
        const incoming_message &message = host_.receiving;
        return owed_if(message.from == &end && message.at == incoming_message::stage::open);
    }

    // Who gets the message that begins with this frame? The route is empty before. Nothing is written here.
    // EAGAIN: nobody has room; the socket waits for an event and asks again.
    [[nodiscard]] virtual int choose_target(const outgoing_frame &first, const message_address &address,
                                            route &chosen) = 0;
    // A frame after the first one, on a route that inspects: may it be sent, changed or not?
    struct inspected {
        int error;  // 0: none; the message stays as it is
        bool drops; // the frame is left out
    };
    [[nodiscard]] virtual inspected inspect(outgoing_frame &) { return {0, false}; }
    // The last frame was sent, on a route that reports the end.
    virtual void message_sent() {}
    // There was no memory: the message was taken back.
    virtual void message_failed() {}
    // The application sent an empty frame to a raw peer: it wants the connection closed. `told`: the worker
    // of the connection will read that frame, and ends then.
    virtual void end_connection(pipe_end &, bool /*told*/) noexcept {}
    // Whose message is received next? Asked between messages. `made` is filled where the flag says so, and is
    // valid until the next call. Nothing is read here. EAGAIN: nothing is there; the socket waits for an
    // event and asks again.
    [[nodiscard]] virtual source choose_source(asking why, incoming_frame &made) = 0;
    // A frame of a source that inspects. It may be changed. No frame of the message was delivered before.
    [[nodiscard]] virtual verdict inspect_incoming(pipe_end &, incoming_frame &) { return verdict::deliver; }
    // Completes the address of a message that came from there, for the types that have one.
    virtual void address_from(const pipe_end &, message_address &) const noexcept {}
    // Would the first frame of a message find a target, without EAGAIN?
    [[nodiscard]] virtual bool can_send() = 0;

    // Asks for an event with the next message. Returns true if one may be there. The frame that was received
    // last stays as it is, and so does the order of the ends.
    [[nodiscard]] virtual bool arm() noexcept { return false; }

    // Options that the pattern carries out have other values. May be in the middle of a message.
    virtual void options_changed() {}
    // Options that are actions (SUBSCRIBE, UNSUBSCRIBE).
    [[nodiscard]] virtual result<void> act(int option, std::span<const std::byte> value);
    // Membership of a group (DISH): zmq_join, zmq_leave. ENOTSUP, EINVAL.
    [[nodiscard]] virtual result<void> join_group(std::string_view group);
    [[nodiscard]] virtual result<void> leave_group(std::string_view group);
    // The number by which messages are sent to a peer (SERVER, PEER), 0: there are none; and the peer's end.
    [[nodiscard]] virtual std::uint32_t number_of(const pipe_end &) const noexcept { return 0; }
    [[nodiscard]] virtual pipe_end *numbered(std::uint32_t) noexcept { return nullptr; }
    // By routing id (ROUTER): may a message be sent to that peer, and is there one of it? EHOSTUNREACH,
    // ENOTSUP.
    struct peer_state {
        bool readable;
        bool writable;
    };
    [[nodiscard]] virtual result<peer_state> state_of(std::string_view routing_id);
    // ZMQ_TOPICS_COUNT.
    [[nodiscard]] virtual std::size_t topics() const noexcept { return 0; }

  protected:
    // The rest of a message is a message to be read.
    [[nodiscard]] static std::optional<std::uint64_t> owed_if(bool in_message) noexcept {
        return in_message ? std::optional<std::uint64_t>(1) : std::nullopt;
    }
    pattern_host &host_;
    const socket_options &options_; // the socket's own: changes show at once
};

// The pattern of a socket type; null for a type that is not there.
std::unique_ptr<pattern> make_pattern(pattern_host &host, const socket_options &options);

} // namespace zlink::patterns
