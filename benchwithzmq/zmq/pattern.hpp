// SPDX-License-Identifier: MPL-2.0
// A messaging pattern as a row: which sockets stand at the two ends and what their messages look like.
//
// Threads: constants.
#pragma once

#include <string_view>

namespace bench {

enum class flow { one_way, request_reply };

// When an end calls zmq_poll.
enum class polling { never, before_each_burst };

struct end_row {
    int socket_type;
    std::string_view own_id = {};  // ZMQ_ROUTING_ID to set; empty: the library's choice
    std::string_view peer_id = {}; // a ROUTER's only peer: first frame of everything it sends and receives
    polling polls = polling::never;
};

struct pattern_row {
    std::string_view name; // as in RESULT lines
    end_row sender;        // connects
    end_row receiver;      // binds
    flow measured = flow::one_way;
    bool has_latency = true;
    bool drops_at_high_water_mark = false; // and before it knows a subscription
};

// Measures the pattern as the arguments and the environment say, prints the results; the exit status for
// main().
int run_pattern(const pattern_row &pattern, int argument_count, char **arguments);

} // namespace bench
