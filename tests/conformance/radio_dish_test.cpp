// SPDX-License-Identifier: MPL-2.0
// RADIO and DISH: zmq_socket(3), "Radio-dish pattern"; RFC 48; zmq_msg_set_group.
#include "bare_peer.hpp"
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

// JOIN is a command to all who have commands, and nothing to others.
TEST(radio_dish_of_old, peers_of_3_0_are_told_the_groups_and_older_ones_are_not) {
    context owner;
    socket dish(owner, ZMQ_DISH);
    dish.set(ZMQ_LINGER, patience_ms);
    ASSERT_EQ(dish.bind("tcp://127.0.0.1:*"), 0);
    ASSERT_EQ(join(dish, "group"), 0);
    bare_peer newer(dish.last_endpoint());
    newer.write("\xff"s + std::string(8, '\0') + "\x7f\x03\0NULL"s + std::string(48, '\0'));
    newer.read(64);
    newer.write("\x04\x1b\x05READY\x0bSocket-Type\0\0\0\x05RADIO"s);
    EXPECT_THAT(newer.read_frame(), ::testing::StartsWith("\x05READY"));
    bare_peer older(dish.last_endpoint()); // 1.0, which does not tell what it is
    older.write("\x01\0\x06\x01group\x06\0hello"s);
    EXPECT_EQ(receive_of_group(dish), "group/hello"); // by now it would have been told
    EXPECT_EQ(newer.read_frame(), "\x04JOINgroup");
    dish.close();
    EXPECT_THAT(older.read_to_end(), ::testing::Not(::testing::HasSubstr("group")));
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

TEST_P(radio_connections, groups_are_joined_behind_curve_too) {
    char server_public[41], server_secret[41], public_key[41], secret_key[41];
    ASSERT_EQ(zmq_curve_keypair(server_public, server_secret), 0);
    ASSERT_EQ(zmq_curve_keypair(public_key, secret_key), 0);
    socket radio(owner, ZMQ_RADIO), dish(owner, ZMQ_DISH);
    radio.set(ZMQ_CURVE_SERVER, 1);
    radio.set(ZMQ_CURVE_SECRETKEY, std::string_view(server_secret, 40));
    dish.set(ZMQ_CURVE_SERVERKEY, std::string_view(server_public, 40));
    dish.set(ZMQ_CURVE_PUBLICKEY, std::string_view(public_key, 40));
    dish.set(ZMQ_CURVE_SECRETKEY, std::string_view(secret_key, 40));
    ASSERT_EQ(join(dish, "a"), 0);
    ASSERT_EQ(dish.connect(bind(radio)), 0);
    await_member(radio, dish, "a");
    ASSERT_EQ(join(dish, "b"), 0);
    await_member(radio, dish, "b");
    ASSERT_EQ(leave(dish, "a"), 0);
    ASSERT_EQ(message(std::string(50'000, 'x')).of("b").send(radio), 0);
    EXPECT_EQ(receive_of_group(dish), "b/" + std::string(50'000, 'x'));
}

ZLINK_OVER_CONNECTIONS(radio_connections);

// ---- the bytes

// A peer of bare bytes hears what a RADIO and a DISH say, and speaks to them.
class wire : public ::testing::Test {
  protected:
    ~wire() override { ::close(stream_); }

    void connect_to(const std::string &endpoint, const std::string &type) {
        stream_ = ::socket(AF_INET, SOCK_STREAM, 0);
        connect_bare(stream_, endpoint);
        std::string greeting("\xFF\0\0\0\0\0\0\0\x01\x7F\x03\x01NULL", 16);
        greeting.resize(64, '\0');
        const std::string ready =
            std::string("\x05READY\x0BSocket-Type\0\0\0", 21) + static_cast<char>(type.size()) + type;
        say(greeting + frame(4, ready));
        EXPECT_EQ(read(64).substr(0, 12), std::string("\xFF\0\0\0\0\0\0\0\x01\x7F\x03\x01", 12));
        EXPECT_EQ(read_frame().substr(0, 7), "\x04\x05READY");
    }
    static std::string frame(char flags, const std::string &body) {
        return std::string{flags, static_cast<char>(body.size())} + body;
    }
    void say(const std::string &bytes) {
        EXPECT_EQ(::send(stream_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        EXPECT_EQ(::recv(stream_, bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
        return bytes;
    }
    bool has_bytes() {
        char byte;
        return ::recv(stream_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
    }
    // The flags, and the body of a short frame.
    std::string read_frame() {
        const std::string header = read(2);
        return header.substr(0, 1) + read(static_cast<unsigned char>(header[1]));
    }

    context owner;

  private:
    int stream_ = -1;
};

TEST_F(wire, a_dish_joins_and_leaves_by_command_and_takes_groups_in_front) {
    socket dish(owner, ZMQ_DISH);
    ASSERT_EQ(join(dish, "first"), 0);
    ASSERT_EQ(dish.bind("tcp://127.0.0.1:*"), 0);
    connect_to(dish.last_endpoint(), "RADIO");
    EXPECT_FALSE(dish.ready(ZMQ_POLLIN, 20)); // a call, in which the dish meets its peer
    EXPECT_EQ(read_frame(), "\x04\x04JOINfirst");
    ASSERT_EQ(join(dish, "second"), 0);
    EXPECT_EQ(read_frame(), "\x04\x04JOINsecond");
    ASSERT_EQ(leave(dish, "first"), 0);
    EXPECT_EQ(read_frame(), "\x04\x05LEAVEfirst");
    say(frame(1, "first") + frame(0, "left") + frame(1, "second") + frame(0, "wanted"));
    EXPECT_EQ(receive_of_group(dish), "second/wanted");
}

TEST_F(wire, a_radio_hears_commands_and_sends_the_group_in_front) {
    socket radio(owner, ZMQ_RADIO);
    ASSERT_EQ(radio.bind("tcp://127.0.0.1:*"), 0);
    connect_to(radio.last_endpoint(), "DISH");
    say(frame(4, "\x04JOINa") + frame(4, "\x04JOINb") + frame(4, "\x05LEAVEa") + frame(4, "\x04JOINend"));
    const auto await_bytes = [&] {
        return eventually([&] {
            for (const char *group : {"a", "b", "end"})
                EXPECT_EQ(message(group).of(group).send(radio), 0);
            return has_bytes();
        });
    };
    std::string group;
    do { // a message of "a" may come before its LEAVE was heard
        ASSERT_TRUE(await_bytes());
        group = read_frame();
        EXPECT_EQ(group[0], '\x01');
        EXPECT_EQ(read_frame(), '\0' + group.substr(1));
    } while (group != "\x01"
                      "end");
}

} // namespace
} // namespace zlink::conformance
