// SPDX-License-Identifier: MPL-2.0
// The operations of zlink/asio.hpp: messages, their order, and the completion tokens.
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using zlink::socket_type;
using zlink::asio::error_code;

struct cpp_asio : testing::Test {
    zlink::context context;
    net::io_context io{1};
    zlink::asio::socket left{io, context, socket_type::pair};
    zlink::asio::socket right{io, context, socket_type::pair};
    void SetUp() override {
        left.bind("inproc://pair");
        right.connect("inproc://pair");
    }
    template <class Work> void run(Work work) {
        net::co_spawn(io, std::move(work), rethrow);
        io.run();
    }
};

TEST_F(cpp_asio, a_handler_is_never_called_inside_the_call) {
    right.next_layer().send("x");
    bool called = false;
    left.async_receive([&](error_code code, zlink::message frame) {
        EXPECT_FALSE(code);
        EXPECT_EQ(frame.text(), "x");
        called = true;
    });
    EXPECT_FALSE(called);
    io.run();
    EXPECT_TRUE(called);
}

TEST_F(cpp_asio, a_coroutine_sends_and_receives) {
    run([&]() -> net::awaitable<void> {
        co_await left.async_send("text", net::use_awaitable);
        EXPECT_EQ((co_await right.async_receive(net::use_awaitable)).text(), "text");
        co_await left.async_send(zlink::message("message"), net::use_awaitable);
        zlink::message frame;
        EXPECT_EQ(co_await right.async_receive(frame, net::use_awaitable), 7u);
        EXPECT_EQ(frame.text(), "message");
        zlink::multipart two; // GCC 12 does not compile a braced list inside of co_await
        two.push_back("a");
        two.push_back("b");
        co_await left.async_send(std::move(two), net::use_awaitable);
        zlink::multipart frames = co_await right.async_receive_multipart(net::use_awaitable);
        EXPECT_EQ(frames.front().text(), "a");
        EXPECT_EQ(frames.back().text(), "b");
        co_await left.async_send(std::move(frames), net::use_awaitable);
        EXPECT_EQ(co_await right.async_receive_multipart(frames, net::use_awaitable), 2u);
    });
}

TEST_F(cpp_asio, deferred_futures_and_default_tokens) {
    using easy = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;
    run([&]() -> net::awaitable<void> {
        easy sender(io.get_executor(), context, socket_type::push);
        easy receiver(io.get_executor(), context, socket_type::pull);
        receiver.bind("inproc://easy");
        sender.connect("inproc://easy");
        co_await sender.async_send("easy");
        EXPECT_EQ((co_await receiver.async_receive()).text(), "easy");
    });
    right.next_layer().send("later");
    auto operation = left.async_receive(deferred);
    std::string text;
    std::move(operation)([&](error_code, zlink::message frame) { text = frame.text(); });
    std::future<zlink::message> future = left.async_receive(net::use_future);
    right.next_layer().send("future");
    io.restart();
    io.run();
    EXPECT_EQ(text, "later");
    EXPECT_EQ(future.get().text(), "future");
}

TEST_F(cpp_asio, operations_that_wait_are_first_in_first_out) {
    std::vector<std::string> got;
    for (int i = 0; i != 3; ++i)
        left.async_receive([&, i](error_code, zlink::message frame) {
            got.push_back(std::to_string(i) + frame.to_string());
        });
    io.poll();
    EXPECT_TRUE(got.empty());
    for (const char *text : {"a", "b", "c"})
        right.next_layer().send(text);
    io.run();
    EXPECT_EQ(got, (std::vector<std::string>{"0a", "1b", "2c"}));
}

TEST_F(cpp_asio, both_directions_wait_at_once_and_no_signal_is_lost) {
    // A call in one direction takes the signal of the other one away. 20,000 messages cross each other.
    constexpr int count = 20000;
    int pending = 4;
    const auto send_all = [&](zlink::asio::socket &from) -> net::awaitable<void> {
        for (int i = 0; i != count; ++i)
            co_await from.async_send(zlink::bytes_view(&i, sizeof(i)), net::use_awaitable);
        --pending;
    };
    const auto receive_all = [&](zlink::asio::socket &at) -> net::awaitable<void> {
        zlink::message frame;
        for (int i = 0; i != count; ++i) {
            co_await at.async_receive(frame, net::use_awaitable);
            int number = -1;
            std::memcpy(&number, frame.data(), sizeof(number));
            EXPECT_EQ(number, i);
        }
        --pending;
    };
    for (zlink::asio::socket *one : {&left, &right}) {
        net::co_spawn(io, send_all(*one), rethrow);
        net::co_spawn(io, receive_all(*one), rethrow);
    }
    io.run();
    EXPECT_EQ(pending, 0);
}

TEST_F(cpp_asio, messages_of_another_thread_over_tcp_wake_the_receiver) {
    zlink::asio::socket pull(io, context, socket_type::pull);
    pull.bind("tcp://127.0.0.1:*");
    constexpr int count = 3000;
    std::thread sender([&, endpoint = pull.last_endpoint()] {
        zlink::socket push(context, socket_type::push);
        push.connect(endpoint);
        for (int i = 0; i != count; ++i)
            push.send("x");
    });
    int received = 0;
    run([&]() -> net::awaitable<void> {
        for (; received != count; ++received)
            co_await pull.async_receive(net::use_awaitable);
    });
    sender.join();
    EXPECT_EQ(received, count);
}

TEST_F(cpp_asio, a_sender_at_its_mark_waits_for_room) {
    zlink::asio::socket push(io, context, socket_type::push), pull(io, context, socket_type::pull);
    push.set(zlink::opt::send_hwm, 1);
    pull.set(zlink::opt::receive_hwm, 1);
    pull.bind("inproc://marks");
    push.connect("inproc://marks");
    int sent = 0, received = 0;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            for (; sent != 100; ++sent)
                co_await push.async_send("x", net::use_awaitable);
        },
        rethrow);
    io.poll();
    EXPECT_LT(sent, 100);
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            for (; received != 100; ++received)
                co_await pull.async_receive(net::use_awaitable);
        },
        rethrow);
    io.restart();
    io.run();
    EXPECT_EQ(sent, 100);
    EXPECT_EQ(received, 100);
}

TEST_F(cpp_asio, one_message_wakes_one_of_many_coroutines) {
    constexpr int coroutines = 1000;
    int woken = 0;
    for (int i = 0; i != coroutines; ++i)
        net::co_spawn(
            io,
            [&]() -> net::awaitable<void> {
                co_await left.async_receive(net::use_awaitable);
                ++woken;
            },
            rethrow);
    io.poll();
    for (int i = 1; i != 4; ++i) {
        right.next_layer().send("x");
        io.poll();
        EXPECT_EQ(woken, i);
    }
    for (int i = 3; i != coroutines; ++i)
        right.next_layer().send("x");
    io.run();
    EXPECT_EQ(woken, coroutines);
}

TEST_F(cpp_asio, waits_for_events_and_takes_nothing) {
    zlink::poll_events found{};
    left.async_wait(zlink::poll_events::in, [&](error_code, zlink::poll_events events) { found = events; });
    io.poll();
    EXPECT_EQ(found, zlink::poll_events::none);
    right.next_layer().send("x");
    io.run();
    EXPECT_EQ(found, zlink::poll_events::in);
    EXPECT_EQ(left.next_layer().receive().text(), "x");
    left.async_wait(zlink::poll_events::out, [&](error_code, zlink::poll_events events) { found = events; });
    io.restart();
    io.run();
    EXPECT_EQ(found, zlink::poll_events::out);
}

TEST_F(cpp_asio, many_messages_that_are_there_do_not_fill_the_stack) {
    // Each receive completes at once, so that its coroutine goes on inside the call.
    constexpr int count = 100000;
    left.set(zlink::opt::receive_hwm, 0);
    right.set(zlink::opt::send_hwm, 0);
    zlink::asio::socket push(io, context, socket_type::push), pull(io, context, socket_type::pull);
    pull.set(zlink::opt::receive_hwm, 0);
    push.set(zlink::opt::send_hwm, 0);
    pull.bind("inproc://many");
    push.connect("inproc://many");
    for (int i = 0; i != count; ++i)
        push.next_layer().send("x");
    int received = 0;
    run([&]() -> net::awaitable<void> {
        for (; received != count; ++received)
            co_await pull.async_receive(net::use_awaitable);
    });
    EXPECT_EQ(received, count);
}

TEST_F(cpp_asio, other_handlers_have_their_turn_while_messages_are_there) {
    zlink::asio::socket push(io, context, socket_type::push), pull(io, context, socket_type::pull);
    pull.bind("inproc://turns");
    push.connect("inproc://turns");
    bool stop = false;
    net::post(io, [&] { net::post(io, [&] { stop = true; }); });
    run([&]() -> net::awaitable<void> {
        while (!stop) {
            co_await push.async_send("x", net::use_awaitable);
            co_await pull.async_receive(net::use_awaitable);
        }
    });
    EXPECT_TRUE(stop);
}

TEST_F(cpp_asio, a_handler_runs_in_its_executor) {
    net::io_context other(1);
    bool called = false;
    left.async_receive(net::bind_executor(other, [&](error_code, zlink::message) {
        EXPECT_TRUE(other.get_executor().running_in_this_thread());
        called = true;
    }));
    right.next_layer().send("x");
    io.run();
    EXPECT_FALSE(called);
    other.run();
    EXPECT_TRUE(called);
}

TEST_F(cpp_asio, a_strand_keeps_a_socket_to_one_thread_at_a_time) {
    net::io_context pool(2);
    constexpr int count = 5000;
    int received = 0;
    const auto strand = net::make_strand(pool);
    zlink::asio::socket pull(strand, context, socket_type::pull), push(strand, context, socket_type::push);
    pull.bind("inproc://strand");
    push.connect("inproc://strand");
    net::co_spawn(
        strand,
        [&]() -> net::awaitable<void> {
            for (int i = 0; i != count; ++i)
                co_await push.async_send("x", net::use_awaitable);
        },
        rethrow);
    net::co_spawn(
        strand,
        [&]() -> net::awaitable<void> {
            for (; received != count; ++received)
                co_await pull.async_receive(net::use_awaitable);
        },
        rethrow);
    std::thread second([&] { pool.run(); });
    pool.run();
    second.join();
    EXPECT_EQ(received, count);
}

TEST_F(cpp_asio, an_error_is_of_the_category_zmq) {
    zlink::asio::socket rep(io, context, socket_type::rep);
    error_code seen;
    rep.async_send("nobody asked", [&](error_code code) { seen = code; });
    io.run();
    EXPECT_EQ(seen.value(), EFSM);
    EXPECT_STREQ(seen.category().name(), "zmq");
    EXPECT_EQ(seen.message(), zmq_strerror(EFSM));
}

TEST_F(cpp_asio, a_wait_that_spins_sees_a_message_of_another_thread) {
    left.set_spin(2ms);
    int received = 0;
    std::thread other([&] {
        for (int i = 0; i != 500; ++i)
            right.next_layer().send("x");
    });
    run([&]() -> net::awaitable<void> {
        for (; received != 500; ++received)
            co_await left.async_receive(net::use_awaitable);
    });
    other.join();
    EXPECT_EQ(received, 500);
}

} // namespace
