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
    if ((target.flags & ~plain) != 0 || target.to == nullptr || target.to->may_write_direct() ||
        !target.to->out().write_plain(frame))
        return transfer_detail::begin_message(host, chooser, frame);
    transfer_detail::keep_route(host);
    target.to->commit();
    return 0;
}

} // namespace zlink::core
