// SPDX-License-Identifier: MPL-2.0
// ZMQ_IN_BATCH_SIZE and ZMQ_OUT_BATCH_SIZE, as options of a socket and in the environment.
#include <array>
#include <cstdio>

#include "conformance/rig.hpp"
#include "tuning/environment.hpp"
#include "tuning/watched_calls.hpp"

namespace zlink::tuning_test {
namespace {

using conformance::context;
using conformance::frames;
using conformance::socket;
using conformance::transport_name;

constexpr int limit = 1000; // bytes
constexpr std::size_t large = 1024 * 1024;

// Messages of every size that the library treats in its own way, three alike of each.
std::vector<frames> some_messages() {
    std::vector<frames> made;
    for (const std::size_t size :
         std::array<std::size_t, 12>{0, 1, 64, 255, 256, 999, 1000, 1001, 8192, 8193, 100'000, large})
        for (int repeated = 0; repeated < 3; ++repeated)
            made.push_back({"first", std::string(size, static_cast<char>('a' + size % 26))});
    return made;
}

bool exchange(socket &from, socket &to) {
    const std::vector<frames> messages = some_messages();
    std::thread sender([&] {
        for (const frames &message : messages)
            EXPECT_EQ(from.send(message), 0);
    });
    bool all = true;
    for (const frames &message : messages)
        all = to.receive_frames() == message && all;
    sender.join();
    return all;
}

class batch_size : public conformance::transport_test {
  protected:
    socket puller{owner, ZMQ_PULL};
    socket pusher{owner, ZMQ_PUSH};
    void join() { ASSERT_EQ(pusher.connect(bind(puller)), 0); }
};

TEST_P(batch_size, large_bodies_are_not_divided_unless_it_is_set) {
    join();
    counted.reset();
    EXPECT_TRUE(exchange(pusher, puller));
    EXPECT_GT(counted.largest_write, 64U * 1024);
    EXPECT_GT(counted.largest_read, 64U * 1024);
}

TEST_P(batch_size, no_read_takes_more_than_the_receiver_says) {
    puller.set(ZMQ_IN_BATCH_SIZE, limit);
    join();
    counted.reset();
    EXPECT_TRUE(exchange(pusher, puller));
    EXPECT_EQ(counted.largest_read, std::size_t{limit});
    EXPECT_GT(counted.largest_write, std::size_t{limit});
}

TEST_P(batch_size, no_write_takes_more_than_the_sender_says) {
    pusher.set(ZMQ_OUT_BATCH_SIZE, limit);
    join();
    counted.reset();
    EXPECT_TRUE(exchange(pusher, puller));
    EXPECT_EQ(counted.largest_write, std::size_t{limit});
    EXPECT_GT(counted.largest_read, std::size_t{limit});
}

TEST_P(batch_size, a_byte_at_a_time_is_enough) {
    for (const int option : {ZMQ_IN_BATCH_SIZE, ZMQ_OUT_BATCH_SIZE}) {
        pusher.set(option, 1);
        puller.set(option, 1);
    }
    counted.reset();
    join();
    for (const frames &message :
         {frames{"a", ""}, frames{std::string(300, 'b')}, frames{std::string(9000, 'c')}}) {
        EXPECT_EQ(pusher.send(message), 0);
        EXPECT_EQ(puller.receive_frames(), message);
    }
    EXPECT_EQ(counted.largest_read, 1U);
    EXPECT_EQ(counted.largest_write, 1U);
}

TEST_P(batch_size, it_holds_under_curve) {
    std::array<char, 41> key{};
    std::array<char, 41> secret{};
    ASSERT_EQ(zmq_curve_keypair(key.data(), secret.data()), 0);
    puller.set(ZMQ_CURVE_SERVER, 1);
    puller.set(ZMQ_CURVE_SECRETKEY, std::string_view(secret.data()));
    pusher.set(ZMQ_CURVE_SERVERKEY, std::string_view(key.data()));
    pusher.set(ZMQ_CURVE_PUBLICKEY, std::string_view(key.data()));
    pusher.set(ZMQ_CURVE_SECRETKEY, std::string_view(secret.data()));
    puller.set(ZMQ_IN_BATCH_SIZE, limit);
    pusher.set(ZMQ_OUT_BATCH_SIZE, limit / 2);
    counted.reset();
    join();
    EXPECT_TRUE(exchange(pusher, puller));
    EXPECT_LE(counted.largest_read, std::size_t{limit});
    EXPECT_EQ(counted.largest_write, std::size_t{limit / 2});
}

TEST_P(batch_size, it_concerns_connections_made_later) {
    socket other(owner, ZMQ_PULL);
    const std::string first = bind(puller);
    ASSERT_EQ(pusher.connect(first), 0);
    counted.reset();
    EXPECT_TRUE(exchange(pusher, puller));
    pusher.set(ZMQ_OUT_BATCH_SIZE, limit);
    EXPECT_TRUE(exchange(pusher, puller));
    EXPECT_GT(counted.largest_write, std::size_t{limit});
    ASSERT_EQ(pusher.disconnect(first), 0);
    ASSERT_EQ(pusher.connect(bind(other)), 0);
    counted.reset();
    EXPECT_TRUE(exchange(pusher, other));
    EXPECT_EQ(counted.largest_write, std::size_t{limit});
}

// Not tls, which reads and writes whole records.
INSTANTIATE_TEST_SUITE_P(over, batch_size, ::testing::Values("tcp", "ipc"), transport_name);

// They wait in the queue before there is a connection, in many segments.
TEST(batch_size_of_ws, small_messages_fill_the_writes) {
    constexpr int messages = 4000;
    constexpr int wire_bytes = 71; // of a client's message of 64 bytes
    constexpr int buffered = 200'000;
    context owner;
    socket puller(owner, ZMQ_PULL);
    puller.set(ZMQ_RCVHWM, 0);
    ASSERT_EQ(puller.bind("ws://127.0.0.1:*"), 0);
    const std::string endpoint = puller.last_endpoint();
    ASSERT_EQ(puller.unbind(endpoint), 0);
    socket pusher(owner, ZMQ_PUSH);
    pusher.set(ZMQ_SNDHWM, 0);
    pusher.set(ZMQ_SNDBUF, buffered); // the kernel doubles it: no write is cut short
    ASSERT_EQ(pusher.connect(endpoint), 0);
    for (int sent = 0; sent < messages; ++sent)
        ASSERT_EQ(pusher.send(std::string(64, 'x')), 0);
    counted.reset();
    ASSERT_TRUE(conformance::eventually([&] { return puller.bind(endpoint) == 0; }));
    for (int received = 0; received < messages; ++received)
        ASSERT_EQ(puller.receive().size(), 64U);
    EXPECT_LT(counted.writes, 13U) << messages * wire_bytes << " bytes, and the handshake";
}

TEST(batch_size_option, what_was_set_is_read_back) {
    context owner;
    socket any(owner, ZMQ_DEALER);
    for (const int option : {ZMQ_IN_BATCH_SIZE, ZMQ_OUT_BATCH_SIZE}) {
        EXPECT_EQ(any.get(option), 8192) << "libzmq's default";
        for (const int refused : {0, -1})
            EXPECT_EQ(zmq_setsockopt(any.handle(), option, &refused, sizeof refused), -1);
        const std::int64_t wide = 4096;
        EXPECT_EQ(zmq_setsockopt(any.handle(), option, &wide, sizeof wide), -1);
        EXPECT_EQ(any.get(option), 8192);
        any.set(option, 1);
        EXPECT_EQ(any.get(option), 1);
        any.set(option, 8192);
        EXPECT_EQ(any.get(option), 8192);
    }
}

struct largest {
    std::size_t read;
    std::size_t write;
};

// The environment says 500 of reads and 700 of writes.
bool calls_move_at_most(largest expected, void (*set_up)(socket &from, socket &to)) {
    context owner;
    socket from(owner, ZMQ_PUSH);
    socket to(owner, ZMQ_PULL);
    set_up(from, to);
    const bool exchanged =
        to.bind("tcp://127.0.0.1:*") == 0 && from.connect(to.last_endpoint()) == 0 && exchange(from, to);
    std::fprintf(stderr, "largest read %zu, largest write %zu\n", counted.largest_read.load(),
                 counted.largest_write.load());
    return exchanged && counted.largest_read == expected.read && counted.largest_write == expected.write;
}

const variables both_sizes{{"ZMQ_IN_BATCH_SIZE", "500"}, {"ZMQ_OUT_BATCH_SIZE", "700"}};

TEST(batch_size_death, the_environment_says_it_for_all_sockets) {
    expect_with(both_sizes, [] { return calls_move_at_most({500, 700}, [](socket &, socket &) {}); });
}

TEST(batch_size_death, an_option_wins_over_the_environment) {
    expect_with(both_sizes, [] {
        return calls_move_at_most({300, 900}, [](socket &from, socket &to) {
            to.set(ZMQ_IN_BATCH_SIZE, 300);
            from.set(ZMQ_IN_BATCH_SIZE, 300);
            from.set(ZMQ_OUT_BATCH_SIZE, 900);
        });
    });
}

} // namespace
} // namespace zlink::tuning_test
