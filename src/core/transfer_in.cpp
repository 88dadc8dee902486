// SPDX-License-Identifier: MPL-2.0
// The receiving half of transfer.
#include <cerrno>
#include <utility>

#include "core/transfer.hpp"
#include "patterns/subscription_request.hpp"

namespace zlink::core {

using patterns::asking;
using patterns::incoming_message;
using patterns::pattern;
using patterns::pattern_host;
using patterns::source;
using patterns::verdict;
using stage = patterns::incoming_message::stage;
namespace source_flag = patterns::source_flag;

namespace {

using transfer_detail::message_received;
using transfer_detail::pass_turn;

// A subscription becomes a message of its topic for a socket that does not publish. Returns false if the
// frame was another command, which is dropped.
bool is_message(incoming_frame &frame) noexcept {
    return !frame.command() || patterns::subscription_request::become_message(frame);
}

[[gnu::always_inline]] inline verdict judge(pattern &chooser, const incoming_message &message,
                                            incoming_frame &frame) {
    if (message.at == stage::unwanted)
        return verdict::pass_over;
    if ((message.flags & source_flag::one_frame) != 0 && frame.more())
        return verdict::reject;
    return (message.flags & source_flag::inspects) != 0 ? chooser.inspect_incoming(*message.from, frame)
                                                        : verdict::deliver;
}

// A frame of the message was delivered.
[[gnu::always_inline]] inline void note_delivered(pattern_host &host, bool more) noexcept {
    incoming_message &message = host.receiving;
    message.at = more ? stage::open : stage::none;
    if (!more)
        message_received(host, {message.from, message.flags});
}

// A frame of the message is not delivered. `counted`: its message was counted when it was sent.
void leave_out(pattern_host &host, incoming_frame &frame, verdict seen, bool counted) noexcept {
    incoming_message &message = host.receiving;
    if (seen == verdict::begins)
        message.at = stage::found;
    else if (!frame.more())
        message.at = stage::none;
    else if (seen == verdict::reject)
        message.at = stage::unwanted;
    if (!frame.more()) {
        pass_turn(host);
        if (counted)
            message.from->in().note_filtered();
    }
    frame.drop();
}

// Gives the application a frame that was read, if it is for it. Returns as read_envelope().
[[gnu::always_inline]] inline bool pass_on(pattern_host &host, pattern &chooser, incoming_frame &frame,
                                           bool counted) {
    verdict seen = verdict::pass_over;
    try {
        seen = judge(chooser, host.receiving, frame);
    } catch (...) { // no memory: the message is lost
        leave_out(host, frame, verdict::reject, counted);
        throw;
    }
    if (seen == verdict::deliver) [[likely]] {
        note_delivered(host, frame.more());
        return true;
    }
    leave_out(host, frame, seen, counted);
    return seen == verdict::begins;
}

[[gnu::noinline]] bool pass_on_command(pattern_host &host, pattern &chooser, incoming_frame &frame) {
    if (is_message(frame))
        return pass_on(host, chooser, frame, false);
    leave_out(host, frame, verdict::pass_over, false);
    return false;
}

// Looks for the first frame for the application. Reads the next frame of the message of host.receiving.
// Returns true if the search has an end: the frame is read and delivered, or it is the next one to be read.
[[gnu::always_inline]] inline bool read_envelope(pattern_host &host, pattern &chooser,
                                                 incoming_frame &frame) {
    incoming_message &message = host.receiving;
    if (!message.from->read(frame)) [[unlikely]] {
        message.at = stage::none;
        return false;
    }
    return frame.command() ? pass_on_command(host, chooser, frame) : pass_on(host, chooser, frame, true);
}

// The source has a message.
[[gnu::always_inline]] inline void begin_reading(pattern_host &host, source next) noexcept {
    constexpr std::uint64_t looked_at = source_flag::inspects | source_flag::one_frame | source_flag::held;
    if (next.has(source_flag::delimited))
        next = next.behind_delimiter();
    incoming_message &message = host.receiving;
    message.from = next.from;
    message.flags = next.flags();
    message.at = next.has(looked_at) ? stage::envelope : stage::found;
}

// A look finds a message, but not whose turn it is.
constexpr int only_told = -1;

// Reads on to the first frame for the application. Some frames of a message may have been read. Reads `left`
// frames at most, and has the next call go on. Returns 0 with the frame or, in stage `found`, before it.
[[gnu::always_inline]] inline int find_message(pattern_host &host, pattern &chooser, asking why,
                                               incoming_frame &frame, std::uint64_t &left) {
    for (; left != 0; --left) {
        if (host.receiving.at == stage::none) {
            const source next = chooser.choose_source(why, frame);
            if (next.error() != 0)
                return next.error();
            if (next.from == nullptr)
                return only_told;
            begin_reading(host, next);
        }
        if (host.receiving.at == stage::found || read_envelope(host, chooser, frame))
            return 0;
    }
    host.receiving.from->remind();
    return EAGAIN;
}

// Delivers the next frame of a message that is found or open.
[[gnu::always_inline]] inline int read_next(pattern_host &host, incoming_frame &frame) noexcept {
    if (!host.receiving.from->read(frame)) [[unlikely]] {
        host.receiving.at = stage::none;
        return EAGAIN;
    }
    note_delivered(host, frame.more());
    return 0;
}

// The next frame for the application. Some frames of a message may have been read. Passes over `left` frames
// at most.
[[gnu::noinline]] int receive_found(pattern_host &host, pattern &chooser, incoming_frame &frame,
                                    std::uint64_t left = patterns::most_passed_over) {
    for (;; --left) {
        if (const int code = find_message(host, chooser, asking::to_receive, frame, left); code != 0)
            return code;
        if (host.receiving.at != stage::found)
            return 0;
        if (const int code = read_next(host, frame); code != 0) [[unlikely]]
            return code;
        if (is_message(frame)) [[likely]]
            return 0;
    }
}

// The pattern has made the frame. Behind an id, a message of one frame gives its turn away at once: libzmq
// reads that frame together with the id.
[[gnu::noinline]] int keep_made(pattern_host &host, source next) noexcept {
    host.close_route_in();
    if (next.from == nullptr)
        return 0;
    host.receiving.begin_behind_id(*next.from);
    if (next.from->in().next_has_more()) [[unlikely]] { // or is a command
        host.receiving.at = stage::found;
        return 0;
    }
    pass_turn(host);
    host.cached.in.end = next.from;
    if (next.has(source_flag::stays))
        host.cached.in.named = next.from;
    return 0;
}

// A frame of a message of which no frame was delivered, except for an id.
[[gnu::noinline]] int continue_otherwise(pattern_host &host, pattern &chooser, incoming_frame &frame) {
    incoming_message &message = host.receiving;
    switch (message.at) {
    case stage::behind:
        if (!message.from->read(frame)) [[unlikely]]
            return EAGAIN;
        break;
    case stage::held:
        frame = std::exchange(message.frame, {});
        break;
    default:
        return receive_found(host, chooser, frame);
    }
    if (frame.more()) {
        message.at = stage::open;
        host.close_route_in();
    } else {
        message.at = stage::none;
        host.cached.in.used();
    }
    return 0;
}
} // namespace

namespace transfer_detail {

[[gnu::noinline]] int begin_receiving(pattern_host &host, pattern &chooser, source next,
                                      incoming_frame &frame) {
    if (next.has(source_flag::made) && next.error() == 0)
        return keep_made(host, next);
    host.close_route_in();
    if (next.error() != 0)
        return next.error();
    begin_reading(host, next);
    // The first frame is mostly the one.
    constexpr std::uint64_t others = patterns::most_passed_over - 1;
    if (host.receiving.at == stage::found) {
        const int code = read_next(host, frame);
        return code != 0 || is_message(frame) ? code : receive_found(host, chooser, frame, others);
    }
    if (read_envelope(host, chooser, frame) && host.receiving.at != stage::found) [[likely]]
        return 0;
    return receive_found(host, chooser, frame, others);
}

[[gnu::noinline]] int continue_receiving(pattern_host &host, pattern &chooser, incoming_frame &frame) {
    const incoming_message &message = host.receiving;
    if (message.at != stage::open) [[unlikely]]
        return continue_otherwise(host, chooser, frame);
    return read_next(host, frame);
}

[[gnu::noinline]] bool look_on(pattern_host &host, pattern &chooser, source next) {
    incoming_message &message = host.receiving;
    if (next.error() != 0)
        return false;
    host.close_route_in();
    if (next.has(source_flag::made))
        return true;
    if (message.at == stage::none)
        begin_reading(host, next);
    incoming_frame frame;
    std::uint64_t left = patterns::most_passed_over;
    if (const int code = find_message(host, chooser, asking::to_look, frame, left); code != 0)
        return code == only_told;
    if (message.at != stage::found) {
        host.close_route_in(); // the held frame comes first
        message.frame = frame;
        message.at = stage::held;
    }
    return true;
}

void drop_replies(pattern_host &host, pattern &chooser, pipe_end &from) {
    incoming_frame frame;
    std::uint64_t left = patterns::most_passed_over;
    for (; left != 0 && host.receiving.at == stage::unwanted; --left)
        (void)read_envelope(host, chooser, frame);
    if (host.receiving.in_progress())
        return;
    const std::uint64_t last = from.in().read_messages() + from.in().depth();
    for (; left != 0 && from.in().read_messages() < last && from.read(frame); --left) {
        if (!frame.more() && !frame.command())
            from.in().note_filtered();
        frame.drop();
    }
}

} // namespace transfer_detail

int receive_addressed(pattern_host &host, pattern &chooser, incoming_frame &frame,
                      patterns::message_address &address) {
    if (const int code = receive_frame(host, chooser, frame); code != 0)
        return code;
    chooser.address_from(*host.receiving.from, address);
    return 0;
}

} // namespace zlink::core
