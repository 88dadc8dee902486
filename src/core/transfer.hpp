// SPDX-License-Identifier: MPL-2.0
// transfer: writes the frames that an application sends to the pipes that its pattern has chosen, and reads
// those that it receives.
//
// The pattern is asked once for each message. It never writes or reads. The frames of a message go to the
// same route, or come from the same end. A message whose target is lost vanishes: its other frames are taken
// and dropped.
//
// Threads: the application thread in a call on the socket. Ownership: none. Errors: errno numbers. EAGAIN can
// come with the first frame only. ENOMEM takes the message back: the next frame begins another one.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "base/looks_into_anything.hpp"
#include "patterns/fair_queue.hpp"
#include "runtime/socket_mailbox.hpp"

namespace zlink::core {

// Tells a socket from other memory, and whether it is for one thread at a time or for many. Any thread may
// look, also into memory that is no mark.
class handle_mark {
  public:
    explicit handle_mark(bool shared) noexcept : word_(shared ? living_shared : living) {}
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool exclusive() const noexcept {
        return word_.load(std::memory_order_relaxed) == living;
    }
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool shared() const noexcept {
        return word_.load(std::memory_order_relaxed) == living_shared;
    }
    void share() noexcept { word_.store(living_shared, std::memory_order_relaxed); }
    void clear() noexcept { word_.store(0, std::memory_order_relaxed); }

  private:
    static constexpr std::uint32_t living = 0x7A736F63;
    static constexpr std::uint32_t living_shared = 0x7A736F64;
    std::atomic<std::uint32_t> word_;
};

// A socket as each of its calls sees it first: its mark, its pattern with its routes, and the events that
// wait.
class transfer_state : public patterns::pattern_host {
  public:
    transfer_state(const transfer_state &) = delete;
    transfer_state &operator=(const transfer_state &) = delete;

    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING const handle_mark &mark() const noexcept { return mark_; }
    // The socket is closed: its handle leads nowhere.
    void clear_mark() noexcept { mark_.clear(); }

    // For the cached routes. Returns true if no event waits, and none has to be looked for.
    [[nodiscard, gnu::always_inline]] bool nothing_new() const noexcept {
        return box_->ready.nothing_new() && life_ == life::open;
    }
    // Has peer_list::handle_events() to be called before anything else?
    [[nodiscard]] bool has_events() const noexcept {
        if (!box_->ready.empty()) [[unlikely]]
            return true;
        return life_ != life::open;
    }
    // The program has the descriptor of ZMQ_FD.
    [[nodiscard]] bool watched() const noexcept { return watched_; }
    [[nodiscard]] patterns::pattern &chooser() noexcept { return *pattern_; }
    [[nodiscard]] runtime::socket_mailbox &box() noexcept { return *box_; }

  protected:
    enum class life : std::uint8_t {
        open,
        terminated, // the end of the context was heard
        forked,     // the socket is the parent's: see on_fork()
    };

    transfer_state(bool shared, std::shared_ptr<runtime::socket_mailbox> box) noexcept
        : mark_(shared), box_(std::move(box)) {}
    ~transfer_state() = default;

    handle_mark mark_;
    bool watched_ = false;
    life life_ = life::open;
    std::unique_ptr<patterns::pattern> pattern_;
    std::shared_ptr<runtime::socket_mailbox> box_; // see peer_list::share()
};

namespace transfer_detail {
// The first frame of a message, or of one that is not written by a single step.
[[nodiscard]] int begin_message(patterns::pattern_host &host, patterns::pattern &chooser,
                                const outgoing_frame &frame);
// A frame after the first one.
[[nodiscard]] int continue_message(patterns::pattern_host &host, patterns::pattern &chooser,
                                   const outgoing_frame &frame);

// A whole message is sent. The next one goes the same way if the route stays.
[[gnu::always_inline]] inline void keep_route(patterns::pattern_host &host) noexcept {
    const patterns::route &target = host.sending.target;
    host.cached.out.end = host.cached.out.then =
        target.has(patterns::route_flag::stays) ? target.to : nullptr;
}

// A message that is not read by a single step, or none. `next` is the answer of the pattern.
[[nodiscard]] int begin_receiving(patterns::pattern_host &host, patterns::pattern &chooser,
                                  patterns::source next, incoming_frame &frame);
// A frame of the message that is being received, or was found.
[[nodiscard]] int continue_receiving(patterns::pattern_host &host, patterns::pattern &chooser,
                                     incoming_frame &frame);
// Looks into the message of a source, or goes on in one that has begun. Returns true if it is found.
[[nodiscard]] bool look_on(patterns::pattern_host &host, patterns::pattern &chooser, patterns::source next);
// Drops the rest of a message that nobody wants, and then all that the end has sent until now.
void drop_replies(patterns::pattern_host &host, patterns::pattern &chooser, pipe_end &from);

// The last frame of a message was read.
[[gnu::always_inline]] inline void pass_turn(patterns::pattern_host &host) noexcept {
    if (host.turns != nullptr)
        host.turns->pass();
}
// The message of a source was received. The next one comes from the same end if the source stays.
[[gnu::always_inline]] inline void message_received(patterns::pattern_host &host,
                                                    const patterns::source &received) noexcept {
    host.cached.in.end = host.cached.in.then =
        received.has(patterns::source_flag::stays) ? received.from : nullptr;
    pass_turn(host);
}
} // namespace transfer_detail

// Sends a frame of a message. `address` belongs to the first frame.
[[nodiscard, gnu::always_inline]] inline int send_frame(patterns::pattern_host &host,
                                                        patterns::pattern &chooser,
                                                        const outgoing_frame &frame,
                                                        const patterns::message_address &address) {
    if (host.in_message())
        return transfer_detail::continue_message(host, chooser, frame);
    patterns::route &target = host.sending.target;
    target.clear();
    if (const int code = chooser.choose_target(frame, address, target); code != 0) [[unlikely]] {
        host.cached.out = {};
        return code;
    }
    constexpr std::uint16_t plain = patterns::route_flag::stays | patterns::route_flag::ends_with_peer;
    if ((target.flags & ~plain) != 0 || target.to == nullptr || target.to->writer().may_write_direct() ||
        !target.to->out().write_plain(frame))
        return transfer_detail::begin_message(host, chooser, frame);
    transfer_detail::keep_route(host);
    target.to->writer().commit();
    return 0;
}

// Receives a frame of a message. Its bytes are valid until the next call, or as long as its owner is held.
[[nodiscard, gnu::always_inline]] inline int
receive_frame(patterns::pattern_host &host, patterns::pattern &chooser, incoming_frame &frame) {
    using namespace patterns;
    if (host.receiving.at != incoming_message::stage::none)
        return transfer_detail::continue_receiving(host, chooser, frame);
    source next = chooser.choose_source(asking::to_receive, frame);
    if (next.only(source_flag::stays | source_flag::delimited)) {
        if (next.has(source_flag::delimited))
            next = next.behind_delimiter();
        if (next.from->read_plain(frame)) [[likely]] {
            transfer_detail::message_received(host, next);
            return 0;
        }
    }
    return transfer_detail::begin_receiving(host, chooser, next, frame);
}

// Receives a message with its address, for the types that have one. These messages have one frame.
[[nodiscard]] int receive_addressed(patterns::pattern_host &host, patterns::pattern &chooser,
                                    incoming_frame &frame, patterns::message_address &address);

// Is there a frame to be received? A message that is found stays: it is the next one to be received.
[[nodiscard, gnu::always_inline]] inline bool can_receive(patterns::pattern_host &host,
                                                          patterns::pattern &chooser) {
    using namespace patterns;
    if (host.receiving.at != incoming_message::stage::none)
        return host.receiving.promised() || transfer_detail::look_on(host, chooser, source{});
    incoming_frame unused;
    const source next = chooser.choose_source(asking::to_look, unused);
    return next.only(source_flag::stays) || transfer_detail::look_on(host, chooser, next);
}

} // namespace zlink::core
