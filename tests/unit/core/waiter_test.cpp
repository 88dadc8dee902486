// SPDX-License-Identifier: MPL-2.0
#include "core/waiter.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "unit/core/peers_rig.hpp"

namespace zlink::core {
namespace {

TEST(waiter, returns_at_an_event) {
    peers_rig rig;
    test::far_side &peer = rig.add();
    ASSERT_EQ(rig.receive(), "-"); // asks for an event
    peer.write("message");
    waiter tested;
    persistence limits(runtime::deadline_after(-1));
    EXPECT_EQ(tested.wait(waits_for::message, limits, rig.peers, rig.peers.pipes()), 0);
    EXPECT_TRUE(rig.peers.has_events());
    EXPECT_EQ(rig.peers.check_alive(), 0);
    EXPECT_EQ(rig.receive(), "message");
}

TEST(waiter, ends_with_the_time) {
    peers_rig rig;
    rig.add();
    waiter tested;
    for (const waits_for what : {waits_for::message, waits_for::room}) {
        persistence limits(runtime::deadline_after(1));
        EXPECT_EQ(tested.wait(what, limits, rig.peers, rig.peers.pipes()), EAGAIN);
    }
}

} // namespace
} // namespace zlink::core
