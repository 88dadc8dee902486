// SPDX-License-Identifier: MPL-2.0
// ROUTER to ROUTER: both send and get [id][body].
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "ROUTER_ROUTER",
    .sender = {.socket_type = ZMQ_ROUTER, .own_id = "side1", .peer_id = "side2"},
    .receiver = {.socket_type = ZMQ_ROUTER, .own_id = "side2", .peer_id = "side1"},
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
