// SPDX-License-Identifier: MPL-2.0
// REQ to REP: throughput counts round trips.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "REQREP",
    .sender = {.socket_type = ZMQ_REQ},
    .receiver = {.socket_type = ZMQ_REP},
    .measured = bench::flow::request_reply,
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
