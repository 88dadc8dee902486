// SPDX-License-Identifier: MPL-2.0
// DEALER to ROUTER: the receiver gets [id][body].
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "DEALER_ROUTER",
    .sender = {.socket_type = ZMQ_DEALER, .own_id = "side1"},
    .receiver = {.socket_type = ZMQ_ROUTER, .peer_id = "side1"},
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
