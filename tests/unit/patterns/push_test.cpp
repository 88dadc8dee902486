// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

TEST(push_pattern, shares_messages_out_and_never_receives) {
    rig push{socket_type::push};
    EXPECT_EQ(push.send("m"), EAGAIN);
    far_side &a = push.connect();
    far_side &b = push.connect({}, 1);
    a.write("against the rules");
    for (const char *text : {"1", "2|2", "3", "4"})
        EXPECT_EQ(push.send(text), 0);
    EXPECT_EQ(a.read_all(), "1 3 4");
    EXPECT_EQ(b.read_all(), "2|2");
    EXPECT_EQ(push.receive(), "-");
    EXPECT_EQ(push.last_error, ENOTSUP);
}

TEST(push_pattern, is_done_with_a_gone_peer_whatever_it_left) {
    rig push{socket_type::push};
    far_side &a = push.connect();
    a.write("against the rules");
    a.close();
    push.process();
    EXPECT_EQ(push.of(a).finished, 1);
    EXPECT_FALSE(push.can_send());
}

TEST(push_pattern, wakes_up_when_a_full_peer_has_room) {
    rig push{socket_type::push};
    far_side &a = push.connect({}, 4);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(push.send("m"), 0);
    EXPECT_EQ(push.send("m"), EAGAIN);
    const int wakes = push.box->wakes;
    a.read_all();
    EXPECT_EQ(push.box->wakes, wakes + 1);
    EXPECT_EQ(push.send("m"), 0);
}

// libzmq passes the turn at the last frame of a message.
TEST(push_pattern, goes_on_where_the_lost_target_of_a_message_was) {
    rig push{socket_type::push};
    far_side &a = push.connect();
    far_side &b = push.connect();
    far_side &c = push.connect();
    EXPECT_EQ(push.send_frame("lost", true), 0);
    a.close();
    push.process();
    EXPECT_EQ(push.send_frame("rest", false), 0);
    for (const char *text : {"1", "2", "3"})
        EXPECT_EQ(push.send(text), 0);
    EXPECT_EQ(b.read_all(), "2");
    EXPECT_EQ(c.read_all(), "1 3");
}

TEST(push_pattern, goes_on_behind_the_target_of_a_message_when_another_peer_goes) {
    rig push{socket_type::push};
    far_side &a = push.connect();
    far_side &b = push.connect();
    far_side &c = push.connect();
    EXPECT_EQ(push.send("1"), 0);
    EXPECT_EQ(push.send("2"), 0);
    EXPECT_EQ(push.send_frame("3", true), 0);
    a.close();
    push.process();
    EXPECT_EQ(push.send_frame("3", false), 0);
    EXPECT_EQ(push.send("4"), 0);
    EXPECT_EQ(push.send("5"), 0);
    EXPECT_EQ(b.read_all(), "2 4");
    EXPECT_EQ(c.read_all(), "3|3 5");
}

} // namespace
} // namespace zlink::test
