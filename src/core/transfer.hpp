// SPDX-License-Identifier: MPL-2.0
// transfer: writes the frames that an application sends to the pipes that its pattern has chosen.
//
// The pattern is asked once for each message, and never writes. The frames of a message go to the same route.
// A message whose target is lost vanishes: its other frames are taken and dropped.
//
// Threads: the application thread in a call on the socket. Ownership: none. Errors: errno numbers. EAGAIN can
// come with the first frame only. ENOMEM takes the message back: the next frame begins another one.
#pragma once

#include "patterns/pattern.hpp"

namespace zlink::core {

namespace transfer_detail {
// The frame that begins a message with an envelope, a frame for the pattern, and all that is not plain.
[[nodiscard]] int begin_message(patterns::pattern_host &host, patterns::pattern &chooser,
                                const outgoing_frame &frame);
[[nodiscard]] int write_other(patterns::pattern_host &host, patterns::pattern &chooser,
                              const outgoing_frame &frame);

// All frames of a message are sent.
[[gnu::always_inline]] inline void end_message(patterns::pattern_host &host) noexcept {
    patterns::outgoing_message &message = host.sending;
    message.open = false;
    host.cached.out.end = host.cached.out.then = message.target.stays ? message.target.to : nullptr;
}

[[nodiscard, gnu::always_inline]] inline int write(patterns::pattern_host &host, patterns::pattern &chooser,
                                                   const outgoing_frame &frame) {
    patterns::route &target = host.sending.target;
    constexpr std::uint8_t others =
        patterns::route_flag::raw | patterns::route_flag::inspects | patterns::route_flag::reports_end;
    if (target.to == nullptr || target.drops || target.has(others) || target.to->may_write_direct() ||
        !target.to->out().write_plain(frame)) [[unlikely]]
        return write_other(host, chooser, frame);
    target.to->commit();
    end_message(host);
    return 0;
}
} // namespace transfer_detail

// Sends a frame of a message. `address` belongs to the first frame.
[[nodiscard, gnu::always_inline]] inline int send_frame(patterns::pattern_host &host,
                                                        patterns::pattern &chooser,
                                                        const outgoing_frame &frame,
                                                        const patterns::message_address &address) {
    patterns::outgoing_message &message = host.sending;
    if (host.in_message())
        return transfer_detail::write(host, chooser, frame);
    message.target = {};
    host.cached.out = {};
    if (const int code = chooser.choose_target(frame, address, message.target); code != 0) [[unlikely]]
        return code;
    constexpr std::uint8_t begins = patterns::route_flag::delimited | patterns::route_flag::takes_first;
    if (message.target.has(begins) || !message.target.envelope.empty())
        return transfer_detail::begin_message(host, chooser, frame);
    return transfer_detail::write(host, chooser, frame);
}

} // namespace zlink::core
