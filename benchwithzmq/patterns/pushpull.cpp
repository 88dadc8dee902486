// SPDX-License-Identifier: MPL-2.0
// PUSH to PULL.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "PUSHPULL",
    .sender = {.socket_type = ZMQ_PUSH},
    .receiver = {.socket_type = ZMQ_PULL},
    .has_latency = false,
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
