// SPDX-License-Identifier: MPL-2.0
#include "connections/ping_responder.hpp"

namespace zlink::connections {
namespace {

// A peer that sends PINGs and does not read gets no more PONGs than these bytes.
constexpr std::size_t most_commands_waiting = 4096;

} // namespace

void ping_responder::on_ping(const zmtp::ping &received) {
    ttl_deciseconds_ = received.ttl_deciseconds;
    if (writer_.commands_waiting() >= most_commands_waiting)
        return;
    zmtp::byte_buffer pong;
    zmtp::append_pong(pong, received.context);
    writer_.command(pong);
}

} // namespace zlink::connections
