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

using transfer_detail::message_read;

[[gnu::always_inline]] inline void pass_turn(pattern_host &host) noexcept {
    if (host.turns != nullptr)
        host.turns->pass();
}

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

// Where a message stands after a frame of it that is not delivered.
stage stage_after(verdict seen, stage before, bool more) noexcept {
    if (seen == verdict::begins)
        return stage::found;
    if (!more)
        return stage::none;
    return seen == verdict::reject ? stage::unwanted : before;
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
    const bool more = frame.more();
    const verdict seen = is_message(frame) ? judge(chooser, message, frame) : verdict::pass_over;
    if (!more)
        pass_turn(host);
    if (seen == verdict::deliver) [[likely]] {
        message.at = more ? stage::open : stage::none;
        return true;
    }
    frame.drop();
    message.at = stage_after(seen, message.at, more);
    return seen == verdict::begins;
}

// The source has a message.
void begin_reading(pattern_host &host, const source &next) noexcept {
    incoming_message &message = host.receiving;
    message.from = next.from;
    message.flags = next.flags();
    message.at = stage::envelope;
    if (!next.has(source_flag::delimited))
        return;
    next.from->in().pass_delimiter();
    message.at = stage::found;
}

// Reads on to the first frame for the application. Some frames of a message may have been read. A call reads
// a limited number of frames, and the next call goes on. Returns 0 with the frame or, in stage `found`,
// before it.
int find_message(pattern_host &host, pattern &chooser, asking why, incoming_frame &frame,
                 std::uint64_t left = patterns::most_passed_over) {
    for (; left != 0; --left) {
        if (host.receiving.at == stage::none) {
            const source next = chooser.choose_source(why, frame);
            if (next.error() != 0)
                return next.error();
            begin_reading(host, next);
        }
        if (host.receiving.at == stage::found || read_envelope(host, chooser, frame))
            return 0;
    }
    if (host.receiving.at != stage::none)
        host.receiving.from->remind();
    else if (host.turns != nullptr)
        host.turns->remind();
    return EAGAIN;
}

// A frame of the message was delivered, and its last one was not delivered before.
[[gnu::always_inline]] inline void note_delivered(pattern_host &host, bool more) noexcept {
    incoming_message &message = host.receiving;
    message.at = more ? stage::open : stage::none;
    if (!more)
        message_read(host, {message.from, message.flags});
}

[[gnu::noinline]] int receive_found(pattern_host &host, pattern &chooser, incoming_frame &frame,
                                    std::uint64_t left = patterns::most_passed_over) {
    if (const int code = find_message(host, chooser, asking::to_receive, frame, left); code != 0)
        return code;
    if (host.receiving.at != stage::found)
        return 0;
    if (!host.receiving.from->read(frame)) [[unlikely]]
        return EAGAIN;
    note_delivered(host, frame.more());
    return 0;
}

} // namespace

namespace {
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
    host.turns->pass();
    host.cached.in.end = next.from;
    if (next.has(source_flag::stays))
        host.cached.in.named = next.from;
    return 0;
}

// Reads the message of a source up to its first frame for the application.
[[gnu::noinline]] int read_first(pattern_host &host, pattern &chooser, source next, incoming_frame &frame) {
    host.close_route_in();
    incoming_message &message = host.receiving;
    message.from = next.from;
    message.flags = next.flags();
    if (next.has(source_flag::inspects | source_flag::one_frame)) {
        message.at = stage::envelope;
        if (read_envelope(host, chooser, frame) && message.at != stage::found) [[likely]]
            return 0;
        return receive_found(host, chooser, frame, patterns::most_passed_over - 1);
    }
    message.at = next.has(source_flag::delimited) ? stage::found : stage::none;
    if (!next.from->read(frame)) [[unlikely]]
        return EAGAIN;
    note_delivered(host, frame.more());
    return is_message(frame) ? 0 : receive_found(host, chooser, frame);
}

[[gnu::noinline]] int continue_otherwise(pattern_host &host, pattern &chooser, incoming_frame &frame) {
    incoming_message &message = host.receiving;
    switch (message.at) {
    case stage::found:
        if (!message.from->read(frame)) [[unlikely]]
            return EAGAIN;
        note_delivered(host, frame.more());
        return is_message(frame) ? 0 : receive_found(host, chooser, frame);
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
    if (next.error() == 0)
        return next.has(source_flag::made) ? keep_made(host, next) : read_first(host, chooser, next, frame);
    host.close_route_in();
    return next.error();
}

[[gnu::noinline]] int continue_receiving(pattern_host &host, pattern &chooser, incoming_frame &frame) {
    const incoming_message &message = host.receiving;
    if (message.at != stage::open) [[unlikely]]
        return continue_otherwise(host, chooser, frame);
    if (!message.from->read(frame)) [[unlikely]]
        return EAGAIN;
    note_delivered(host, frame.more());
    return 0;
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
    if (find_message(host, chooser, asking::to_look, frame) != 0)
        return false;
    if (message.at != stage::found) {
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
    for (; left != 0 && from.in().read_messages() < last && from.read(frame); --left)
        frame.drop();
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
