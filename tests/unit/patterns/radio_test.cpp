// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class radio_pattern : public ::testing::Test {
  protected:
    rig radio{socket_type::radio};
};

TEST_F(radio_pattern, sends_to_the_members_of_a_group_in_two_frames) {
    far_side &a = radio.connect();
    far_side &b = radio.connect();
    a.write_command("JOIN", "x");
    b.write_command("JOIN", "x");
    b.write_command("JOIN", "xy");
    EXPECT_EQ(radio.send_to("1", {.group = "x"}), 0);
    EXPECT_EQ(radio.send_to("2", {.group = "xy"}), 0);
    EXPECT_EQ(radio.send_to("3", {.group = "z"}), 0);
    EXPECT_EQ(radio.send("no group"), 0);
    EXPECT_EQ(a.read_all(), "x|1");
    EXPECT_EQ(b.read_all(), "x|1 xy|2");
}

TEST_F(radio_pattern, forgets_who_leaves_and_who_goes) {
    far_side &a = radio.connect();
    far_side &b = radio.connect();
    a.write_command("JOIN", "x");
    a.write_command("JOIN", "x");
    b.write_command("JOIN", "x");
    a.write_command("LEAVE", "x");
    a.write_command("LEAVE", "never joined");
    EXPECT_EQ(radio.send_to("1", {.group = "x"}), 0);
    EXPECT_EQ(a.read_all(), "");
    EXPECT_EQ(b.read_all(), "x|1");
    b.close();
    EXPECT_EQ(radio.send_to("2", {.group = "x"}), 0);
    EXPECT_EQ(radio.of(b).finished, 1);
}

TEST_F(radio_pattern, what_is_no_request_is_passed_over) {
    far_side &a = radio.connect();
    a.write("\1x");
    a.write("a|b");
    a.write_command("SUBSCRIBE", "x");
    a.write_command("JOIN", std::string(256, 'g'));
    a.write_command("JOINT", "x");
    a.write_command("JOIN", "y");
    EXPECT_EQ(radio.send_to("1", {.group = "x"}), 0);
    EXPECT_EQ(radio.send_to("2", {.group = "y"}), 0);
    EXPECT_EQ(a.read_all(), "y|2");
    EXPECT_EQ(radio.receive(), "-");
    EXPECT_EQ(radio.last_error, ENOTSUP);
}

TEST_F(radio_pattern, a_full_member_misses_a_message_unless_nobody_may) {
    far_side &slow = radio.connect({}, 1);
    far_side &fast = radio.connect();
    slow.write_command("JOIN", "g");
    fast.write_command("JOIN", "g");
    EXPECT_EQ(radio.send_to("1", {.group = "g"}), 0);
    EXPECT_EQ(radio.send_to("2", {.group = "g"}), 0);
    EXPECT_EQ(slow.read_all(), "g|1");
    EXPECT_EQ(fast.read_all(), "g|1 g|2");
    radio.options.send_policy = hwm_policy::block;
    EXPECT_EQ(radio.send_to("3", {.group = "g"}), 0);
    EXPECT_EQ(radio.send_to("4", {.group = "g"}), EAGAIN);
    EXPECT_EQ(slow.read_all(), "g|3");
    EXPECT_EQ(radio.send_to("4", {.group = "g"}), 0);
    EXPECT_EQ(fast.read_all(), "g|3 g|4");
}

TEST_F(radio_pattern, knows_no_parts) {
    EXPECT_EQ(radio.send("a|b"), EINVAL);
    EXPECT_TRUE(radio.can_send());
}

TEST_F(radio_pattern, a_large_body_is_for_all) {
    far_side &a = radio.connect();
    far_side &b = radio.connect();
    a.write_command("JOIN", "g");
    b.write_command("JOIN", "g");
    const std::string body(100'000, 'x');
    EXPECT_EQ(radio.send_to(body, {.group = "g"}), 0);
    EXPECT_EQ(a.read(), "g|" + body);
    EXPECT_EQ(b.read(), "g|" + body);
}

} // namespace
} // namespace zlink::test
