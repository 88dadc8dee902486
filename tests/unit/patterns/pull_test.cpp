// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

TEST(pull_pattern, takes_messages_in_turn_and_never_sends) {
    rig pull{socket_type::pull};
    far_side &a = pull.connect();
    far_side &b = pull.connect();
    a.write("a1");
    a.write("a2|x");
    b.write("b1");
    EXPECT_EQ(pull.receive_all(), "a1 b1 a2|x");
    EXPECT_FALSE(pull.can_send());
    EXPECT_EQ(pull.send("m"), ENOTSUP);
}

// The route of the messages before it is of no use for its second frame.
TEST(pull_pattern, a_message_of_two_frames_comes_whole_after_messages_on_the_cached_route) {
    rig pull{socket_type::pull};
    far_side &a = pull.connect();
    for (int round = 0; round < 4; ++round) {
        for (int before = 0; before < round; ++before)
            a.write("one");
        a.write("first|second");
        for (int before = 0; before < round; ++before)
            EXPECT_EQ(pull.receive(), "one");
        EXPECT_EQ(pull.receive(), "first|second");
        EXPECT_FALSE(pull.can_receive());
        EXPECT_EQ(pull.receive(), "-");
    }
}

TEST(pull_pattern, reads_what_a_gone_peer_left) {
    rig pull{socket_type::pull};
    far_side &a = pull.connect();
    EXPECT_EQ(pull.receive(), "-");
    a.write("last|words");
    a.close();
    EXPECT_EQ(pull.receive_all(), "last|words");
    EXPECT_EQ(pull.of(a).finished, 1);
}

TEST(pull_pattern, a_peer_that_waits_for_room_is_woken_by_reading) {
    rig pull{socket_type::pull};
    rig::peer &one = pull.make_peer(0, 2);
    ASSERT_TRUE(pull.attach(one));
    one.far.write("1");
    one.far.write("2");
    EXPECT_TRUE(one.far.end->out().full());
    EXPECT_TRUE(one.far.end->out().prepare_wait_room());
    EXPECT_EQ(pull.receive(), "1");
    EXPECT_EQ(one.far.take_events(), pipe_event::writable);
}

} // namespace
} // namespace zlink::test
