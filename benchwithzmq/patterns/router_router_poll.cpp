// SPDX-License-Identifier: MPL-2.0
// ROUTER to ROUTER, where a receiver calls zmq_poll and then takes what is there without waiting.
#include "zmq/pattern.hpp"

#include <zmq.h>

namespace {

constexpr bench::pattern_row pattern{
    .name = "ROUTER_ROUTER_POLL",
    .sender = {.socket_type = ZMQ_ROUTER,
               .own_id = "side1",
               .peer_id = "side2",
               .polls = bench::polling::before_each_burst},
    .receiver = {.socket_type = ZMQ_ROUTER,
                 .own_id = "side2",
                 .peer_id = "side1",
                 .polls = bench::polling::before_each_burst},
};

} // namespace

int main(int argument_count, char **arguments) {
    return bench::run_pattern(pattern, argument_count, arguments);
}
