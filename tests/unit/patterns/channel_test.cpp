// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class channel_pattern : public ::testing::Test {
  protected:
    rig channel{socket_type::channel};
};

TEST_F(channel_pattern, passes_messages_of_one_frame_both_ways) {
    far_side &peer = channel.connect();
    EXPECT_EQ(channel.send("one"), 0);
    EXPECT_EQ(channel.send("a|b"), EINVAL);
    EXPECT_EQ(peer.read_all(), "one");
    peer.write("x|y");
    peer.write("z");
    EXPECT_EQ(channel.receive_all(), "z");
}

TEST_F(channel_pattern, refuses_a_second_peer_until_the_first_has_gone) {
    far_side &first = channel.connect();
    rig::peer &second = channel.make_peer();
    EXPECT_FALSE(channel.attach(second));
    first.write("last");
    first.close();
    channel.box->ready.drain();
    rig::peer &third = channel.make_peer();
    EXPECT_FALSE(channel.attach(third)) << "what the first left has to be read before";
    EXPECT_EQ(channel.receive(), "last");
    EXPECT_EQ(channel.receive(), "-");
    far_side &fourth = channel.connect(); // the first is finished, and not detached yet
    channel.process();
    EXPECT_TRUE(channel.of(first).near_closed);
    EXPECT_EQ(channel.send("m"), 0);
    EXPECT_EQ(fourth.read(), "m");
}

TEST_F(channel_pattern, waits_for_a_peer_with_room) {
    EXPECT_FALSE(channel.can_send());
    EXPECT_EQ(channel.send("m"), EAGAIN);
    far_side &peer = channel.connect({}, 1);
    EXPECT_EQ(channel.send("1"), 0);
    EXPECT_EQ(channel.send("2"), EAGAIN);
    EXPECT_EQ(peer.read(), "1");
    EXPECT_EQ(channel.send("2"), 0);
    peer.close();
    EXPECT_EQ(channel.send("3"), EAGAIN);
}

} // namespace
} // namespace zlink::test
