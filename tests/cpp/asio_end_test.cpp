// SPDX-License-Identifier: MPL-2.0
// How operations end that are not done: cancelled, closed, shut down, destroyed. Each completes once, or
// never where its execution context is destroyed.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using zlink::socket_type;
using zlink::asio::error_code;
const error_code aborted = net::error::operation_aborted;

struct cpp_asio_end : testing::Test {
    zlink::context context;
    net::io_context io{1};
    zlink::asio::socket left{io, context, socket_type::pair};
    zlink::asio::socket right{io, context, socket_type::pair};
    std::vector<error_code> codes;
    void SetUp() override {
        left.bind("inproc://pair");
        right.connect("inproc://pair");
    }
    auto note() {
        return [this](error_code code, auto &&...) { codes.push_back(code); };
    }
    void run() {
        io.restart();
        io.run();
    }
};

TEST_F(cpp_asio_end, close_completes_all_with_operation_aborted_once) {
    left.async_receive(note());
    left.async_receive_multipart(note());
    left.async_wait(zlink::poll_events::in, note());
    left.async_monitor(note());
    io.poll();
    left.close();
    EXPECT_TRUE(codes.empty());
    left.close();
    run();
    EXPECT_EQ(codes, std::vector<error_code>(4, aborted));
    left.async_receive(note());
    run();
    EXPECT_EQ(codes.back().value(), ENOTSOCK);
}

TEST_F(cpp_asio_end, the_destructor_does_the_same) {
    {
        zlink::asio::socket gone(std::move(left));
        gone.async_receive(note());
        gone.async_receive(note());
    }
    run();
    EXPECT_EQ(codes, std::vector<error_code>(2, aborted));
}

TEST_F(cpp_asio_end, cancel_completes_all_and_the_socket_goes_on) {
    left.async_receive(note());
    left.async_wait(zlink::poll_events::in, note());
    io.poll();
    left.cancel();
    run();
    EXPECT_EQ(codes, std::vector<error_code>(2, aborted));
    right.next_layer().send("x");
    left.async_receive(note());
    run();
    EXPECT_EQ(codes.back(), error_code());
}

TEST_F(cpp_asio_end, every_kind_of_cancellation_takes_one_operation_out) {
    for (const auto type :
         {net::cancellation_type::total, net::cancellation_type::partial, net::cancellation_type::terminal}) {
        codes.clear();
        net::cancellation_signal signal;
        std::string text;
        left.async_receive(net::bind_cancellation_slot(signal.slot(), note()));
        left.async_receive([&](error_code, zlink::message frame) { text = frame.text(); });
        io.restart();
        io.poll();
        signal.emit(type);
        signal.emit(type);
        io.poll();
        EXPECT_EQ(codes, std::vector<error_code>(1, aborted));
        right.next_layer().send("for the second");
        run();
        EXPECT_EQ(text, "for the second");
        EXPECT_EQ(codes.size(), 1u);
    }
}

TEST_F(cpp_asio_end, a_cancellation_after_the_result_changes_nothing) {
    net::cancellation_signal signal;
    left.async_receive(net::bind_cancellation_slot(signal.slot(), note()));
    right.next_layer().send("x");
    left.check();
    signal.emit(net::cancellation_type::terminal);
    run();
    signal.emit(net::cancellation_type::terminal);
    EXPECT_EQ(codes, std::vector<error_code>(1, error_code()));
}

TEST_F(cpp_asio_end, cancel_after_cancels_when_the_time_is_over) {
    left.async_receive(zlink::asio::cancel_after(1ms, note()));
    run();
    EXPECT_EQ(codes, std::vector<error_code>(1, aborted));
}

TEST_F(cpp_asio_end, cancel_after_leaves_a_result_in_time_alone) {
    right.next_layer().send("x");
    bool later = false;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            EXPECT_EQ((co_await left.async_receive(zlink::asio::cancel_after(1h, net::use_awaitable))).text(),
                      "x");
            try {
                co_await left.async_receive(zlink::asio::cancel_after(1ms, net::use_awaitable));
                ADD_FAILURE();
            } catch (const std::exception &) {
                later = true;
            }
        },
        rethrow);
    run(); // it returns: the timer of an hour was cancelled
    EXPECT_TRUE(later);
}

TEST_F(cpp_asio_end, cancel_after_passes_a_cancellation_from_outside_on) {
    net::cancellation_signal signal;
    left.async_receive(zlink::asio::cancel_after(1h, net::bind_cancellation_slot(signal.slot(), note())));
    io.poll();
    signal.emit(net::cancellation_type::total);
    run();
    EXPECT_EQ(codes, std::vector<error_code>(1, aborted));
}

TEST_F(cpp_asio_end, shutdown_of_the_context_completes_with_terminated) {
    left.async_receive(note());
    left.async_wait(zlink::poll_events::in, note());
    io.poll();
    context.shutdown();
    run();
    ASSERT_EQ(codes.size(), 2u);
    EXPECT_EQ(codes[0].value(), ETERM);
    EXPECT_EQ(codes[1].value(), ETERM);
    left.async_receive(note());
    run();
    EXPECT_EQ(codes.back().value(), ETERM);
}

TEST_F(cpp_asio_end, a_handler_may_destroy_its_socket) {
    auto gone = std::make_unique<zlink::asio::socket>(std::move(left));
    gone->async_receive([&](error_code code, zlink::message) {
        codes.push_back(code);
        gone.reset();
    });
    gone->async_receive(note());
    io.poll();
    right.next_layer().send("x");
    run();
    EXPECT_EQ(codes, (std::vector<error_code>{{}, aborted}));
}

TEST_F(cpp_asio_end, a_handler_that_throws_loses_no_other) {
    left.async_receive([](error_code, zlink::message) { throw std::runtime_error("handler"); });
    left.async_receive(note());
    io.poll();
    right.next_layer().send("x");
    right.next_layer().send("y");
    io.restart();
    EXPECT_THROW(io.run(), std::runtime_error);
    run();
    EXPECT_EQ(codes, std::vector<error_code>(1, error_code()));
}

// Counts its copies that are alive.
struct counted {
    explicit counted(int &alive) : alive_(&alive) { ++*alive_; }
    counted(const counted &other) : alive_(other.alive_) { ++*alive_; }
    ~counted() { --*alive_; }
    int *alive_;
};

TEST(cpp_asio_context, destroys_coroutines_that_wait_with_their_sockets) {
    int alive = 0;
    zlink::context context;
    {
        net::io_context io(1);
        net::co_spawn(
            io,
            [&]() -> net::awaitable<void> {
                const counted one(alive);
                zlink::asio::socket own(co_await net::this_coro::executor, context, socket_type::pull);
                own.bind("tcp://127.0.0.1:*");
                co_await own.async_receive(net::use_awaitable);
            },
            rethrow);
        io.poll();
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

TEST(cpp_asio_context, destroys_completions_that_were_not_called) {
    int alive = 0;
    zlink::context context;
    zlink::socket sender(context, socket_type::push);
    {
        net::io_context io(1);
        zlink::asio::socket receiver(io, context, socket_type::pull);
        receiver.bind("inproc://here");
        sender.connect("inproc://here");
        sender.send("x");
        receiver.async_receive([one = counted(alive)](error_code, zlink::message) {});
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

} // namespace
