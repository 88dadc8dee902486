// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

TEST(gather_pattern, takes_messages_of_one_frame_in_turn_and_never_sends) {
    rig gather{socket_type::gather};
    far_side &a = gather.connect();
    far_side &b = gather.connect();
    a.write("a1");
    a.write("a2|x");
    a.write("a3");
    b.write("b1");
    EXPECT_EQ(gather.receive_all(), "a1 b1 a3");
    EXPECT_FALSE(gather.can_send());
    EXPECT_EQ(gather.send("m"), ENOTSUP);
}

TEST(gather_pattern, is_done_with_a_gone_peer_when_nothing_is_left) {
    rig gather{socket_type::gather};
    far_side &a = gather.connect();
    a.write("dropped|whole");
    a.close();
    EXPECT_EQ(gather.receive(), "-");
    EXPECT_EQ(gather.of(a).finished, 1);
}

// A program that finds a message and does not receive it keeps a few of them.
TEST(gather_pattern, is_done_with_peers_that_go_behind_a_found_message) {
    rig gather{socket_type::gather};
    gather.connect().write("m");
    EXPECT_TRUE(gather.can_receive());
    int left = 0;
    std::vector<far_side *> others;
    for (int i = 0; i < 40; ++i) {
        others.push_back(&gather.connect());
        others.back()->close();
        gather.process();
    }
    for (far_side *each : others)
        left += gather.of(*each).finished == 0 ? 1 : 0;
    EXPECT_LE(left, 17);
    EXPECT_EQ(gather.receive_all(), "m");
    for (far_side *each : others)
        EXPECT_EQ(gather.of(*each).finished, 1);
}

} // namespace
} // namespace zlink::test
