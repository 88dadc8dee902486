// SPDX-License-Identifier: MPL-2.0
// Counters of sockets, for tests: values of one moment, by the type of the socket.
//
// Threads: a value. Ownership: owns what zlink/stats.h gives.
#pragma once

#include <cstdint>

#include "rig.hpp"
#include "zlink/peers.h"

namespace zlink::conformance {

class counted {
  public:
    explicit counted(zlink_stats *taken) : taken_(taken) { EXPECT_NE(taken, nullptr) << zmq_strerror(errno); }
    explicit counted(const context &of) : counted(zlink_stats_of_context(of.handle())) {}
    ~counted() { zlink_stats_free(taken_); }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;

    [[nodiscard]] zlink_stats *get() const { return taken_; }
    // The first socket of a type, as "PUB". -1: there is none.
    [[nodiscard]] int socket(const std::string &type) const {
        for (int at = 0; at < zlink_stats_count(taken_); ++at)
            if (zlink_stats_kind(taken_, at) == ZLINK_STATS_SOCKET && text(at, "type") == type)
                return at;
        return -1;
    }
    [[nodiscard]] std::vector<int> peers_of(int socket) const {
        std::vector<int> found;
        for (int at = 0; at < zlink_stats_count(taken_); ++at)
            if (zlink_stats_kind(taken_, at) == ZLINK_STATS_PEER && zlink_stats_parent(taken_, at) == socket)
                found.push_back(at);
        return found;
    }
    [[nodiscard]] std::uint64_t number(int subject, const std::string &name) const {
        std::uint64_t value = 0;
        EXPECT_EQ(zlink_stats_value(taken_, subject, name.c_str(), &value), 0)
            << name << " of subject " << subject << ": " << zmq_strerror(errno);
        return value;
    }
    [[nodiscard]] std::uint64_t number(const std::string &type, const std::string &name) const {
        return number(socket(type), name);
    }
    [[nodiscard]] std::string text(int subject, const std::string &name) const {
        std::size_t size = 0;
        const char *const found = zlink_stats_text(taken_, subject, name.c_str(), &size);
        EXPECT_NE(found, nullptr) << name;
        return found == nullptr ? "" : std::string(found, size);
    }

  private:
    zlink_stats *taken_;
};

// A number of the first socket of that type, now.
[[nodiscard]] inline std::uint64_t now(const context &of, const std::string &type, const std::string &name) {
    return counted(of).number(type, name);
}

// A number of one socket, now.
[[nodiscard]] inline std::uint64_t now(const socket &of, const std::string &name) {
    return counted(zlink_stats_of_socket(of.handle())).number(0, name);
}

} // namespace zlink::conformance
