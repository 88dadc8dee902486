// SPDX-License-Identifier: MPL-2.0
// PAIR to PAIR.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "PAIR",
    .sender = {.socket_type = ZMQ_PAIR},
    .receiver = {.socket_type = ZMQ_PAIR},
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
