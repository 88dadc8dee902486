// SPDX-License-Identifier: MPL-2.0
#include "core/peer_list.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "unit/core/peers_rig.hpp"

namespace zlink::core {
namespace {

TEST(peer_list, has_no_pattern_for_a_type_that_is_none) {
    EXPECT_TRUE(peers_rig().peers.has_pattern());
    peers_rig none(static_cast<socket_type>(200));
    EXPECT_FALSE(none.peers.has_pattern());
}

TEST(peer_list, closes_a_pipe_that_the_pattern_refuses) {
    peers_rig rig;
    test::far_side &first = rig.add();
    test::far_side &second = rig.add(); // a PAIR has one peer
    EXPECT_TRUE(rig.holds(first));
    EXPECT_FALSE(rig.holds(second));
    EXPECT_NE(second.take_events() & pipe_event::peer_closed, 0U);
}

TEST(peer_list, closes_a_pipe_when_its_last_message_was_read) {
    peers_rig rig;
    test::far_side &peer = rig.add();
    peer.write("last");
    peer.close();
    EXPECT_EQ(rig.peers.check_alive(), 0);
    EXPECT_TRUE(rig.holds(peer));
    EXPECT_EQ(rig.receive(), "last");
    EXPECT_EQ(rig.receive(), "-");
    rig.peers.close_any_finished();
    EXPECT_FALSE(rig.holds(peer));
}

TEST(peer_list, lets_a_peer_go_after_the_message_that_was_begun) {
    peers_rig rig(socket_type::pull);
    test::far_side &peer = rig.add();
    peer.write("begun|rest");
    peer.write("another");
    EXPECT_EQ(rig.receive(), "begun");
    rig.peers.let_go(*peer.near);
    EXPECT_EQ(rig.receive(), "rest");
    EXPECT_EQ(rig.receive(), "-");
    rig.peers.close_any_finished();
    EXPECT_FALSE(rig.holds(peer));
}

TEST(peer_list, gives_EINTR_after_a_fork) {
    peers_rig rig;
    rig.add();
    rig.peers.on_fork();
    EXPECT_TRUE(rig.peers.forked());
    EXPECT_FALSE(rig.peers.nothing_new());
    EXPECT_EQ(rig.peers.check_alive(), EINTR);
    EXPECT_EQ(rig.peers.check_alive(), EINTR);
}

TEST(peer_list, gives_ETERM_after_the_end_of_the_context) {
    peers_rig rig;
    rig.peers.inbox()->terminate();
    EXPECT_EQ(rig.peers.check_options_allowed(), 0); // until another call has heard of it
    EXPECT_NE(rig.peers.check_alive(), 0);
    EXPECT_TRUE(rig.peers.terminated());
    EXPECT_NE(rig.peers.check_options_allowed(), 0);
}

TEST(peer_list, forgets_the_endpoint_of_a_pipe_that_it_closes) {
    peers_rig rig;
    test::far_side &peer = rig.add();
    (void)rig.endpoints.add("inproc://a", {nullptr, nullptr, peer.near});
    rig.peers.let_go(*peer.near);
    EXPECT_FALSE(rig.endpoints.contains("inproc://a"));
}

} // namespace
} // namespace zlink::core
