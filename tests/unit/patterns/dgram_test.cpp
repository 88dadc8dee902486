// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class dgram_pattern : public ::testing::Test {
  protected:
    rig dgram{socket_type::dgram};
};

TEST_F(dgram_pattern, a_message_is_an_address_and_a_body) {
    far_side &network = dgram.connect();
    EXPECT_EQ(dgram.send("a:1|hello"), 0);
    network.write("b:2|world");
    EXPECT_EQ(dgram.receive_all(), "b:2|world");
    EXPECT_EQ(network.read_all(), "a:1|hello");
}

TEST_F(dgram_pattern, any_other_form_is_refused_frame_by_frame) {
    far_side &network = dgram.connect();
    EXPECT_EQ(dgram.send("alone"), EINVAL);
    EXPECT_EQ(dgram.send_frame("a:1", true), 0);
    EXPECT_EQ(dgram.send_frame("more", true), EINVAL);
    EXPECT_EQ(network.read(), "-");
    EXPECT_EQ(dgram.send_frame("body", false), 0);
    EXPECT_EQ(network.read_all(), "a:1|body");
}

TEST_F(dgram_pattern, any_other_form_is_refused_behind_messages_too) {
    far_side &network = dgram.connect();
    for (int round = 0; round < 4; ++round) {
        EXPECT_EQ(dgram.send("a:1|body"), 0);
        EXPECT_EQ(dgram.send("alone"), EINVAL);
        EXPECT_EQ(network.read_all(), "a:1|body");
    }
}

TEST_F(dgram_pattern, what_has_nowhere_to_go_is_dropped_whole) {
    EXPECT_FALSE(dgram.tested->can_send());
    EXPECT_EQ(dgram.send("a:1|to nobody"), 0);
    far_side &network = dgram.connect({}, 1);
    EXPECT_EQ(dgram.send("a:1|first"), 0);
    EXPECT_FALSE(dgram.tested->can_send());
    EXPECT_EQ(dgram.send("a:1|too much"), 0);
    EXPECT_EQ(network.read_all(), "a:1|first");
    dgram.process();
    EXPECT_EQ(dgram.send("a:1|room again"), 0);
    EXPECT_EQ(network.read_all(), "a:1|room again");
}

TEST_F(dgram_pattern, has_one_endpoint) {
    dgram.connect();
    EXPECT_FALSE(dgram.attach(dgram.make_peer()));
}

} // namespace
} // namespace zlink::test
