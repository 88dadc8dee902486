// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class server_pattern : public ::testing::Test {
  protected:
    // Has the peer say something, and gives its number.
    std::uint32_t number_of(far_side &peer) {
        peer.write("who am I?");
        EXPECT_NE(server.receive_addressed(), "-");
        return server.last_number;
    }

    rig server{socket_type::server};
};

TEST_F(server_pattern, sends_to_the_number_that_a_message_came_with) {
    far_side &a = server.connect();
    far_side &b = server.connect();
    const std::uint32_t to_a = number_of(a), to_b = number_of(b);
    EXPECT_NE(to_a, 0U);
    EXPECT_NE(to_b, 0U);
    EXPECT_NE(to_a, to_b);
    EXPECT_EQ(server.send_to("for b", {.routing_id = to_b}), 0);
    EXPECT_EQ(server.send_to("for a", {.routing_id = to_a}), 0);
    EXPECT_EQ(a.read_all(), "for a");
    EXPECT_EQ(b.read_all(), "for b");
    EXPECT_EQ(server.tested->numbered(to_b), b.near);
    EXPECT_EQ(server.tested->number_of(*b.near), to_b);
}

TEST_F(server_pattern, knows_nobody_by_other_numbers) {
    far_side &a = server.connect();
    const std::uint32_t number = number_of(a);
    EXPECT_EQ(server.send_to("m", {.routing_id = number + 1}), EHOSTUNREACH);
    EXPECT_EQ(server.send_to("m", {}), EHOSTUNREACH);
    EXPECT_EQ(server.send("m"), EHOSTUNREACH);
    EXPECT_TRUE(server.can_send());
    a.close();
    EXPECT_EQ(server.send_to("m", {.routing_id = number}), EHOSTUNREACH);
    EXPECT_EQ(server.of(a).finished, 1);
}

TEST_F(server_pattern, a_full_peer_is_waited_for) {
    far_side &a = server.connect({}, 1);
    const std::uint32_t number = number_of(a);
    EXPECT_EQ(server.send_to("1", {.routing_id = number}), 0);
    EXPECT_EQ(server.send_to("2", {.routing_id = number}), EAGAIN);
    const int wakes = server.box->wakes;
    EXPECT_EQ(a.read(), "1");
    EXPECT_EQ(server.box->wakes, wakes + 1);
    EXPECT_EQ(server.send_to("2", {.routing_id = number}), 0);
}

TEST_F(server_pattern, what_a_gone_peer_left_keeps_its_number) {
    far_side &a = server.connect();
    const std::uint32_t number = number_of(a);
    a.write("last");
    a.write("not|this");
    a.close();
    EXPECT_EQ(server.receive_addressed(), std::to_string(number) + ":last");
    EXPECT_EQ(server.receive_addressed(), "-");
    EXPECT_EQ(server.of(a).finished, 1);
}

TEST_F(server_pattern, knows_no_parts) {
    far_side &a = server.connect();
    const std::uint32_t number = number_of(a);
    EXPECT_EQ(server.send_frame_to(as_frame("m", true), {.routing_id = number}), EINVAL);
    EXPECT_EQ(a.read_all(), "");
}

} // namespace
} // namespace zlink::test
