// SPDX-License-Identifier: MPL-2.0
// PUB to one SUB that takes everything. A PUB drops for a subscriber at its high-water mark, if one is set.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "PUBSUB",
    .sender = {.socket_type = ZMQ_PUB},
    .receiver = {.socket_type = ZMQ_SUB},
    .has_latency = false,
    .drops_at_high_water_mark = true,
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
