// SPDX-License-Identifier: MPL-2.0
// DEALER to DEALER.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "DEALER_DEALER",
    .sender = {.socket_type = ZMQ_DEALER},
    .receiver = {.socket_type = ZMQ_DEALER},
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
