// SPDX-License-Identifier: MPL-2.0
// Round trips of zlink/asio.hpp between two threads: none of them may stall, however the threads meet.
#include <gtest/gtest.h>

#include <thread>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using zlink::socket_type;

constexpr int trips = 500;

net::awaitable<void> answer_all(zlink::asio::socket &one) {
    zlink::message frame;
    for (int i = 0; i != trips; ++i) {
        co_await one.async_receive(frame, net::use_awaitable);
        co_await one.async_send(std::move(frame), net::use_awaitable);
    }
}

net::awaitable<void> ask_all(zlink::asio::socket &one, int &done) {
    zlink::message frame;
    for (; done != trips; ++done) {
        co_await one.async_send(zlink::bytes_view(&done, sizeof(done)), net::use_awaitable);
        co_await one.async_receive(frame, net::use_awaitable);
        int number = -1;
        std::memcpy(&number, frame.data(), sizeof(number));
        EXPECT_EQ(number, done);
    }
}

// A stall ends after this time and is seen by the number of round trips.
constexpr auto patience = 60s;

struct trip_case {
    const char *endpoint;
    std::chrono::microseconds spin;
};
struct cpp_asio_trips : testing::TestWithParam<trip_case> {};

TEST_P(cpp_asio_trips, no_round_trip_stalls) {
    zlink::context context;
    net::io_context here(1), there(1);
    zlink::asio::socket server(there, context, socket_type::rep), client(here, context, socket_type::req);
    server.set_spin(GetParam().spin);
    client.set_spin(GetParam().spin);
    server.bind(GetParam().endpoint);
    client.connect(server.last_endpoint());
    int done = 0;
    net::co_spawn(there, answer_all(server), rethrow);
    net::co_spawn(here, ask_all(client, done), rethrow);
    std::thread other([&] { there.run_for(patience); });
    here.run_for(patience);
    other.join();
    EXPECT_EQ(done, trips);
}

// A wait for events asks for them, and must not take away what another operation waits for.
TEST_P(cpp_asio_trips, a_wait_for_room_hides_no_message) {
    constexpr int messages = 3000;
    zlink::context context;
    net::io_context io(1);
    zlink::asio::socket receiver(io, context, socket_type::pull);
    receiver.set_spin(GetParam().spin);
    receiver.bind(GetParam().endpoint);
    zlink::socket sender(context, socket_type::push);
    sender.connect(receiver.last_endpoint());
    int received = 0;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            for (zlink::message frame; received != messages; ++received)
                co_await receiver.async_receive(frame, net::use_awaitable);
            receiver.close();
        },
        rethrow);
    receiver.async_wait(zlink::poll_events::out, [](auto, auto) {}); // a PULL never has room to send
    std::thread other([&] {
        for (int i = 0; i != messages; ++i) {
            sender.send("x");
            if (i % 3 != 0)
                std::this_thread::sleep_for(std::chrono::microseconds(i % 40));
        }
    });
    io.run_for(patience);
    other.join();
    EXPECT_EQ(received, messages);
}

INSTANTIATE_TEST_SUITE_P(transports, cpp_asio_trips,
                         testing::Values(trip_case{"inproc://trips", 0us}, trip_case{"inproc://trips", 50us},
                                         trip_case{"tcp://127.0.0.1:*", 0us},
                                         trip_case{"tcp://127.0.0.1:*", 50us}, trip_case{"ipc://*", 0us},
                                         trip_case{"ipc://*", 50us}));

TEST(cpp_asio_spin, a_wait_for_a_message_ends_its_spin_while_the_socket_is_writable) {
    zlink::context context;
    net::io_context io(1);
    zlink::asio::socket left(io, context, socket_type::pair), right(io, context, socket_type::pair);
    left.bind("inproc://spin");
    right.connect("inproc://spin");
    left.set_spin(50us);
    zlink::poll_events found{};
    left.async_wait(zlink::poll_events::in, [&](auto, zlink::poll_events events) { found = events; });
    io.poll();
    EXPECT_EQ(found, zlink::poll_events::none);
    right.next_layer().send("x");
    io.run();
    EXPECT_EQ(found, zlink::poll_events::in);
}

} // namespace
