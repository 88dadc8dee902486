// SPDX-License-Identifier: MPL-2.0
// ZMQ_ASIO_TCP_QUICKACK: when the library asks the system to confirm at once.
#include <cstdio>

#include "conformance/rig.hpp"
#include "tuning/environment.hpp"
#include "tuning/watched_calls.hpp"

namespace zlink::tuning_test {
namespace {

using conformance::context;
using conformance::socket;

struct confirmed {
    std::size_t at_the_start;
    std::size_t later;
};

// One side sends large bodies and the other one receives them.
confirmed count_confirmations(const char *transport) {
    context owner;
    socket from(owner, ZMQ_PUSH);
    socket to(owner, ZMQ_PULL);
    const bool tcp = std::string_view(transport) == "tcp";
    EXPECT_EQ(to.bind(tcp ? "tcp://127.0.0.1:*" : conformance::unused_endpoint(transport)), 0);
    EXPECT_EQ(from.connect(to.last_endpoint()), 0);
    EXPECT_EQ(from.send("here"), 0);
    EXPECT_EQ(to.receive(), "here");
    const std::size_t at_the_start = counted.confirmations;
    const conformance::frames body{std::string(8 * 1024 * 1024, 'x')};
    for (int count = 0; count < 3; ++count) {
        std::thread sender([&] { EXPECT_EQ(from.send(body), 0); });
        EXPECT_EQ(to.receive_frames(), body);
        sender.join();
    }
    const std::size_t later = counted.confirmations - at_the_start;
    std::fprintf(stderr, "%s: %zu at the start, %zu later\n", transport, at_the_start, later);
    return {at_the_start, later};
}

TEST(quickack_death, unset_large_bodies_are_confirmed_as_they_are_read) {
    expect_with({}, [] {
        const confirmed seen = count_confirmations("tcp");
        return seen.at_the_start == 0 && seen.later > 0;
    });
}

TEST(quickack_death, zero_makes_no_call) {
    expect_with({{"ZMQ_ASIO_TCP_QUICKACK", "0"}}, [] {
        const confirmed seen = count_confirmations("tcp");
        return seen.at_the_start == 0 && seen.later == 0;
    });
}

TEST(quickack_death, small_reads_do_not_confirm_each_for_itself) {
    expect_with({{"ZMQ_IN_BATCH_SIZE", "65536"}}, [] {
        const confirmed seen = count_confirmations("tcp");
        return seen.at_the_start == 0 && seen.later == 0;
    });
}

TEST(quickack_death, one_begins_so_on_both_sides) {
    expect_with({{"ZMQ_ASIO_TCP_QUICKACK", "1"}}, [] {
        const confirmed seen = count_confirmations("tcp");
        return seen.at_the_start == 2 && seen.later > 0;
    });
}

TEST(quickack_death, ipc_has_no_such_thing) {
    expect_with({{"ZMQ_ASIO_TCP_QUICKACK", "1"}}, [] {
        const confirmed seen = count_confirmations("ipc");
        return seen.at_the_start == 0 && seen.later == 0;
    });
}

} // namespace
} // namespace zlink::tuning_test
