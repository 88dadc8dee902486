// SPDX-License-Identifier: MPL-2.0
// RADIO and DISH: zmq_socket(3), "Radio-dish pattern"; RFC 48; zmq_msg_set_group.
#include "draft_rig.hpp"

namespace zlink::conformance {
namespace {

class radio_dish : public transport_test {
  protected:
    socket radio{owner, ZMQ_RADIO};
};

TEST_P(radio_dish, members_get_the_messages_of_their_group_and_no_others) {
    const std::string endpoint = bind(radio);
    socket movies = connected(ZMQ_DISH, endpoint), both = connected(ZMQ_DISH, endpoint);
    ASSERT_EQ(join(movies, "Movies"), 0);
    ASSERT_EQ(join(both, "Movies"), 0);
    ASSERT_EQ(join(both, "TV"), 0);
    await_member(radio, movies, "Movies");
    await_member(radio, both, "TV");
    while (receive_of_group(both, ZMQ_DONTWAIT).starts_with("Movies")) {
    }
    ASSERT_EQ(message("Friends").of("TV").send(radio), 0);
    ASSERT_EQ(message("Godfather").of("Movies").send(radio), 0);
    ASSERT_EQ(message("nobody's").of("Movie").send(radio), 0);
    ASSERT_EQ(message("nobody's").send(radio), 0);
    EXPECT_EQ(receive_of_group(both), "TV/Friends");
    EXPECT_EQ(receive_of_group(both), "Movies/Godfather");
    EXPECT_EQ(receive_of_group(movies), "Movies/Godfather");
    EXPECT_TRUE(movies.quiet());
    EXPECT_TRUE(both.quiet());
}

TEST_P(radio_dish, who_leaves_hears_no_more) {
    socket dish = connected(ZMQ_DISH, bind(radio));
    ASSERT_EQ(join(dish, "a"), 0);
    ASSERT_EQ(join(dish, "b"), 0);
    await_member(radio, dish, "a");
    await_member(radio, dish, "b");
    ASSERT_EQ(leave(dish, "a"), 0);
    ASSERT_EQ(message("1").of("a").send(radio), 0);
    ASSERT_EQ(message("2").of("b").send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), "b/2");
    EXPECT_TRUE(dish.quiet());
}

TEST_P(radio_dish, a_radio_that_comes_late_is_told_the_groups) {
    socket dish(owner, ZMQ_DISH);
    ASSERT_EQ(join(dish, "early"), 0);
    const std::string endpoint = bind(dish);
    ASSERT_EQ(radio.connect(endpoint), 0);
    await_member(radio, dish, "early");
    socket another = connected(ZMQ_RADIO, endpoint);
    await_member(another, dish, "early");
}

TEST_P(radio_dish, names_of_groups_may_be_of_255_bytes) {
    socket dish = connected(ZMQ_DISH, bind(radio));
    for (const std::size_t length : {1U, 7U, 8U, 15U, 16U, 255U}) {
        const std::string group(length, 'g');
        ASSERT_EQ(join(dish, group.c_str()), 0);
        await_member(radio, dish, group);
        ASSERT_EQ(message(std::string(20'000, 'x')).of(group).send(radio), 0);
        EXPECT_EQ(receive_of_group(dish), group + "/" + std::string(20'000, 'x'));
    }
    const std::string longer(256, 'g');
    EXPECT_EQ(join(dish, longer.c_str()), EINVAL);
    message refused("x");
    EXPECT_EQ(zmq_msg_set_group(refused.handle(), longer.c_str()), -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST_P(radio_dish, joins_count_once) {
    socket dish(owner, ZMQ_DISH);
    EXPECT_EQ(leave(dish, "a"), EINVAL) << "not a member";
    EXPECT_EQ(join(dish, "a"), 0);
    EXPECT_EQ(join(dish, "a"), EINVAL) << "a member already";
    EXPECT_EQ(leave(dish, "a"), 0);
    EXPECT_EQ(leave(dish, "a"), EINVAL);
    EXPECT_EQ(join(radio, "a"), ENOTSUP);
    EXPECT_EQ(leave(radio, "a"), ENOTSUP);
    EXPECT_EQ(join(dish, nullptr), EINVAL);
    EXPECT_EQ(dish.send("x"), ENOTSUP);
    EXPECT_EQ(radio.send("x", ZMQ_SNDMORE), EINVAL);
    EXPECT_EQ(message().receive(radio), ENOTSUP);
    EXPECT_EQ(dish.get(ZMQ_LINGER), 0);
}

TEST_P(radio_dish, a_slow_member_misses_messages_unless_nobody_may) {
    radio.set(ZMQ_SNDHWM, 3);
    radio.set(ZMQ_SNDTIMEO, 5);
    const std::string endpoint = bind(radio);
    socket dish(owner, ZMQ_DISH);
    dish.set(ZMQ_RCVHWM, 3);
    ASSERT_EQ(dish.connect(endpoint), 0);
    ASSERT_EQ(join(dish, "g"), 0);
    await_member(radio, dish, "g");
    const std::string body(300'000, 'x');
    for (int i = 0; i < 200; ++i)
        ASSERT_EQ(message(body).of("g").send(radio), 0) << "a radio does not block";
    radio.set(ZMQ_XPUB_NODROP, 1);
    while (dish.ready(ZMQ_POLLIN, quiet_ms))
        EXPECT_EQ(receive_of_group(dish).size(), body.size() + 2);
    int sent = 0;
    while (message(body).of("g").send(radio) == 0)
        ++sent;
    EXPECT_EQ(errno, EAGAIN);
    for (int i = 0; i < sent; ++i)
        EXPECT_EQ(receive_of_group(dish).size(), body.size() + 2);
}

ZLINK_OVER_EVERY_TRANSPORT(radio_dish);

class radio_connections : public transport_test {};

// The wire of wire.md: JOIN and LEAVE are commands, a message is two frames.
TEST_P(radio_connections, a_member_whose_connection_is_replaced_is_a_member_still) {
    socket dish(owner, ZMQ_DISH);
    dish.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(join(dish, "a"), 0);
    std::string endpoint;
    {
        socket radio(owner, ZMQ_RADIO);
        endpoint = bind(radio);
        ASSERT_EQ(dish.connect(endpoint), 0);
        await_member(radio, dish, "a");
    }
    ASSERT_EQ(join(dish, "b"), 0);
    ASSERT_EQ(leave(dish, "a"), 0);
    socket radio(owner, ZMQ_RADIO);
    ASSERT_TRUE(eventually([&] { return radio.bind(endpoint) == 0; }));
    await_member(radio, dish, "b");
}

ZLINK_OVER_CONNECTIONS(radio_connections);

} // namespace
} // namespace zlink::conformance
