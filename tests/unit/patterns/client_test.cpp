// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class client_pattern : public ::testing::Test {
  protected:
    rig client{socket_type::client};
};

TEST_F(client_pattern, sends_to_all_in_turn_and_receives_from_all_in_turn) {
    far_side &a = client.connect();
    far_side &b = client.connect();
    for (const char *text : {"1", "2", "3", "4"})
        EXPECT_EQ(client.send(text), 0);
    EXPECT_EQ(a.read_all(), "1 3");
    EXPECT_EQ(b.read_all(), "2 4");
    a.write("a1");
    a.write("a2");
    b.write("b1");
    EXPECT_EQ(client.receive_all(), "a1 b1 a2");
}

TEST_F(client_pattern, knows_no_parts) {
    far_side &a = client.connect();
    EXPECT_EQ(client.send("1|2"), EINVAL);
    a.write("not|wanted");
    a.write("wanted");
    a.write("nor|this|one");
    EXPECT_EQ(client.receive_all(), "wanted");
    EXPECT_EQ(a.read_all(), "");
}

TEST_F(client_pattern, waits_for_somebody_with_room) {
    EXPECT_EQ(client.send("m"), EAGAIN);
    far_side &a = client.connect({}, 1);
    EXPECT_EQ(client.send("1"), 0);
    EXPECT_EQ(client.send("2"), EAGAIN);
    EXPECT_FALSE(client.can_send());
    EXPECT_EQ(a.read(), "1");
    EXPECT_EQ(client.send("2"), 0);
}

TEST_F(client_pattern, a_message_that_was_found_is_received_although_its_sender_has_gone) {
    far_side &a = client.connect();
    a.write("last");
    client.process();
    EXPECT_TRUE(client.can_receive());
    a.close();
    client.process();
    EXPECT_EQ(client.of(a).finished, 0);
    EXPECT_EQ(client.receive(), "last");
    EXPECT_EQ(client.receive(), "-");
    EXPECT_EQ(client.of(a).finished, 1);
}

TEST_F(client_pattern, a_message_that_was_found_goes_with_its_end_when_that_is_detached) {
    far_side &a = client.connect();
    a.write(std::string(20'000, 'x'));
    client.process();
    EXPECT_TRUE(client.can_receive());
    client.detach(client.of(a));
    EXPECT_EQ(client.receive(), "-");
}

} // namespace
} // namespace zlink::test
