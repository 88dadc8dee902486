// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class dish_pattern : public ::testing::Test {
  protected:
    int join(std::string_view group) { return dish.tested->join_group(group).code(); }
    int leave(std::string_view group) { return dish.tested->leave_group(group).code(); }

    rig dish{socket_type::dish};
};

TEST_F(dish_pattern, tells_radios_its_groups) {
    EXPECT_EQ(join("early"), 0);
    far_side &a = dish.connect({}, 1);
    EXPECT_EQ(a.read_all(), "JOIN:early");
    EXPECT_EQ(join("x"), 0);
    EXPECT_EQ(join("y"), 0);
    EXPECT_EQ(leave("x"), 0);
    EXPECT_EQ(a.read_all(), "JOIN:x JOIN:y LEAVE:x") << "whatever the high-water mark says";
    a.end->introduce_to_peer(metadata_ref(new peer_metadata("", {})), true);
    dish.process();
    EXPECT_EQ(a.read_all(), "JOIN:early JOIN:y");
}

TEST_F(dish_pattern, refuses_what_changes_nothing) {
    EXPECT_EQ(leave("x"), EINVAL);
    EXPECT_EQ(join("x"), 0);
    EXPECT_EQ(join("x"), EINVAL);
    EXPECT_EQ(join(std::string(255, 'g')), 0);
    EXPECT_EQ(join(std::string(256, 'g')), EINVAL);
    EXPECT_EQ(rig{socket_type::pull}.tested->join_group("x").code(), ENOTSUP);
}

TEST_F(dish_pattern, receives_its_groups_with_their_names) {
    EXPECT_EQ(join("x"), 0);
    EXPECT_EQ(join("a name of some length"), 0);
    far_side &a = dish.connect();
    far_side &b = dish.connect();
    a.write("x|1");
    a.write("y|not a member");
    a.write("a name of some length|2");
    b.write("x|3");
    EXPECT_EQ(dish.receive_addressed(), "x:1");
    EXPECT_EQ(dish.receive_addressed(), "x:3");
    EXPECT_EQ(dish.receive_addressed(), "a name of some length:2");
    EXPECT_EQ(dish.receive_addressed(), "-");
}

TEST_F(dish_pattern, drops_what_has_another_form) {
    EXPECT_EQ(join("x"), 0);
    far_side &a = dish.connect();
    a.write("x");
    a.write("x|1|2");
    a.write("||");
    a.write(std::string(300, 'x') + "|1");
    a.write_command("JOIN", "x");
    a.write("x|wanted");
    EXPECT_EQ(dish.receive_addressed(), "x:wanted");
    EXPECT_EQ(dish.receive_addressed(), "-");
}

TEST_F(dish_pattern, a_message_that_was_found_outlives_its_radio_but_not_its_end) {
    EXPECT_EQ(join("x"), 0);
    far_side &a = dish.connect();
    far_side &b = dish.connect();
    a.write("x|" + std::string(20'000, 'a'));
    dish.process();
    EXPECT_TRUE(dish.can_receive());
    a.close();
    EXPECT_EQ(dish.receive_addressed().size(), 20'002U);
    EXPECT_EQ(dish.receive_addressed(), "-");
    EXPECT_EQ(dish.of(a).finished, 1);
    b.write("x|" + std::string(20'000, 'b'));
    dish.process();
    EXPECT_TRUE(dish.can_receive());
    dish.detach(dish.of(b));
    EXPECT_EQ(dish.receive_addressed(), "-");
}

TEST_F(dish_pattern, never_sends) {
    dish.connect();
    EXPECT_FALSE(dish.can_send());
    EXPECT_EQ(dish.send("m"), ENOTSUP);
}

} // namespace
} // namespace zlink::test
