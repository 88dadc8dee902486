// SPDX-License-Identifier: MPL-2.0
// async_connect and async_monitor.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using zlink::monitor_event_type;
using zlink::socket_type;
using zlink::asio::error_code;
const error_code aborted = net::error::operation_aborted;

struct cpp_asio_connect : testing::Test {
    zlink::context context;
    net::io_context io{1};
    zlink::asio::socket server{io, context, socket_type::rep};
    zlink::asio::socket client{io, context, socket_type::req};
    std::vector<error_code> codes;
    auto note() {
        return [this](error_code code, auto &&...) { codes.push_back(code); };
    }
    void SetUp() override { client.set(zlink::opt::linger, 0ms); }
};

TEST_F(cpp_asio_connect, is_complete_when_the_handshake_is_done) {
    for (const char *endpoint : {"tcp://127.0.0.1:*", "ipc://*"}) {
        server.bind(endpoint);
        client.async_connect(server.last_endpoint(), note());
    }
    EXPECT_TRUE(codes.empty());
    io.run();
    EXPECT_EQ(codes, std::vector<error_code>(2, error_code()));
    EXPECT_EQ(client.get(zlink::opt::events), zlink::poll_events::out);
}

TEST_F(cpp_asio_connect, waits_until_somebody_listens) {
    std::string endpoint;
    {
        zlink::socket before(context, socket_type::rep);
        before.bind("tcp://127.0.0.1:*");
        endpoint = before.last_endpoint();
        before.unbind(endpoint);
    }
    client.set(zlink::opt::reconnect_interval, 5ms);
    client.async_connect(endpoint, note());
    net::steady_timer timer(io, 20ms);
    timer.async_wait([&](error_code) { server.bind(endpoint); });
    io.run();
    EXPECT_EQ(codes, std::vector<error_code>(1, error_code()));
}

TEST_F(cpp_asio_connect, over_inproc_is_complete_at_once) {
    server.bind("inproc://server");
    client.async_connect("inproc://server", note());
    io.run();
    EXPECT_EQ(codes, std::vector<error_code>(1, error_code()));
}

TEST_F(cpp_asio_connect, an_endpoint_that_is_none_is_an_error) {
    client.async_connect("nonsense", note());
    io.run();
    ASSERT_EQ(codes.size(), 1u);
    EXPECT_EQ(codes[0].value(), EINVAL);
}

TEST_F(cpp_asio_connect, one_try_that_fails_is_an_error) {
    client.set(zlink::opt::reconnect_interval, zlink::infinite);
    client.async_connect("tcp://127.0.0.1:1", note());
    io.run();
    ASSERT_EQ(codes.size(), 1u);
    EXPECT_EQ(codes[0].value(), ECONNREFUSED);
}

TEST_F(cpp_asio_connect, a_cancelled_connect_leaves_no_connection) {
    net::cancellation_signal signal;
    client.async_connect("tcp://127.0.0.1:1", net::bind_cancellation_slot(signal.slot(), note()));
    io.poll();
    signal.emit(net::cancellation_type::total);
    io.restart();
    io.run();
    EXPECT_EQ(codes, std::vector<error_code>(1, aborted));
    EXPECT_THROW(client.next_layer().disconnect("tcp://127.0.0.1:1"), zlink::error);
}

TEST_F(cpp_asio_connect, cancel_after_ends_a_connect_to_nobody) {
    client.async_connect("tcp://127.0.0.1:1", zlink::asio::cancel_after(5ms, note()));
    io.run();
    EXPECT_EQ(codes, std::vector<error_code>(1, aborted));
}

TEST_F(cpp_asio_connect, a_connect_of_before_does_not_end_the_next) {
    server.bind("tcp://127.0.0.1:*");
    const std::string endpoint = server.last_endpoint();
    client.async_connect(endpoint, note());
    io.run();
    server.next_layer().unbind(endpoint);
    server.close();
    client.next_layer().disconnect(endpoint);
    client.async_connect(endpoint, note());
    io.restart();
    io.poll();
    EXPECT_EQ(codes.size(), 1u);
    client.close();
    io.restart();
    io.run();
    EXPECT_EQ(codes.back(), aborted);
}

TEST_F(cpp_asio_connect, events_come_one_by_one) {
    std::vector<monitor_event_type> types;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            client.async_monitor(
                [&](error_code, zlink::monitor_event event) { types.push_back(event.type); });
            server.bind("tcp://127.0.0.1:*");
            co_await client.async_connect(server.last_endpoint(), net::use_awaitable);
            zlink::monitor_event event;
            while (event.type != monitor_event_type::handshake_succeeded) {
                event = co_await client.async_monitor(net::use_awaitable);
                types.push_back(event.type);
            }
            EXPECT_EQ(event.endpoint, server.last_endpoint());
        },
        rethrow);
    io.run();
    // The calling thread reports that the connect is delayed, and the I/O thread the others: either may be
    // first.
    for (const auto type : {monitor_event_type::connected, monitor_event_type::handshake_succeeded})
        EXPECT_EQ(std::count(types.begin(), types.end(), type), 1);
}

} // namespace
