// SPDX-License-Identifier: MPL-2.0
// The peers of a socket without a context. The test plays the other sockets of the process.
//
// Threads: one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/peer_list.hpp"
#include "unit/patterns/rig.hpp"

namespace zlink::core {

struct peers_rig {
    explicit peers_rig(socket_type type = socket_type::pair)
        : peers(names, options_of(type), endpoints,
                std::make_shared<counters::context_counts>(counters::placement{.shared = false})) {}
    ~peers_rig() {
        peers.close();
        for (auto &side : sides)
            side->close();
    }
    static socket_options options_of(socket_type type) {
        socket_options made;
        made.type = type;
        return made;
    }
    // A pipe of another socket of the process, attached.
    test::far_side &add(std::string routing_id = {}) {
        auto both = pipe::create({0, keep_rule::all, false, {pipe_peer::socket}}, {0});
        sides.push_back(std::make_unique<test::far_side>(both->first(), both->second(), both));
        both->first().notes.routing_id = std::move(routing_id);
        peers.attach({both, &both->first()});
        return *sides.back();
    }
    std::string receive() {
        incoming_frame frame;
        if (receive_frame(peers, peers.chooser(), frame) != 0)
            return "-";
        std::string body(reinterpret_cast<const char *>(frame.data), frame.size);
        frame.drop();
        return body;
    }
    bool holds(const test::far_side &side) { return peers.pipes().contains(side.near); }

    inproc_names names;
    endpoint_table endpoints;
    peer_list peers;
    std::vector<std::unique_ptr<test::far_side>> sides;
};

} // namespace zlink::core
