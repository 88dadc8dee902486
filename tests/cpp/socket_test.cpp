// SPDX-License-Identifier: MPL-2.0
// Contexts, sockets, messages, multiparts and pollers of zlink/zlink.hpp.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "zlink/zlink.hpp"

namespace {

using namespace std::chrono_literals;
using zlink::socket_type;

struct cpp_socket : testing::Test {
    zlink::context context;
    zlink::socket left{context, socket_type::pair};
    zlink::socket right{context, socket_type::pair};
    void SetUp() override {
        left.bind("inproc://pair");
        right.connect("inproc://pair");
    }
};

TEST_F(cpp_socket, sends_text_bytes_and_values) {
    left.send("text");
    EXPECT_EQ(right.receive().text(), "text");
    left.send(std::string("\0with\0nul", 9));
    EXPECT_EQ(right.receive().size(), 9u);
    const std::array<std::uint16_t, 3> numbers{1, 2, 3};
    left.send(numbers);
    EXPECT_EQ(right.receive().size(), 6u);
    left.send(std::span<const std::uint16_t>(numbers).subspan(1));
    EXPECT_EQ(right.receive().size(), 4u);
    left.send(zlink::bytes_view(numbers.data(), 1));
    EXPECT_EQ(right.receive().size(), 1u);
}

TEST_F(cpp_socket, sends_a_message_and_leaves_it_empty) {
    zlink::message frame(std::string(20000, 'x'));
    left.send(std::move(frame));
    EXPECT_TRUE(frame.empty());
    EXPECT_EQ(right.receive().text(), std::string(20000, 'x'));
}

TEST_F(cpp_socket, sends_memory_without_a_copy_and_releases_it) {
    static int released = 0;
    static char body[] = "static";
    {
        zlink::message frame(
            body, 6, [](void *, void *hint) { ++*static_cast<int *>(hint); }, &released);
        left.send(std::move(frame));
        EXPECT_EQ(right.receive().text(), "static");
    }
    EXPECT_EQ(released, 1);
}

TEST_F(cpp_socket, receives_into_memory_of_the_caller_and_tells_what_was_cut_off) {
    std::array<std::byte, 4> room{};
    left.send("abc");
    EXPECT_FALSE(right.receive(room).truncated());
    left.send("abcdef");
    const zlink::received_bytes result = right.receive(room);
    EXPECT_TRUE(result.truncated());
    EXPECT_EQ(result.size_bytes, 4u);
    EXPECT_EQ(result.frame_size_bytes, 6u);
}

TEST_F(cpp_socket, sends_and_receives_a_multipart) {
    left.send(zlink::multipart{"one", "", "three"});
    const zlink::multipart frames = right.receive_multipart();
    EXPECT_EQ(frames, (zlink::multipart{"one", "", "three"}));
    left.send("a", zlink::send_flags::sndmore);
    left.send("b");
    zlink::message first = right.receive();
    EXPECT_TRUE(first.more());
    EXPECT_FALSE(right.receive().more());
    std::error_code code;
    EXPECT_FALSE(left.send(zlink::multipart(), zlink::send_flags::none, code));
    EXPECT_EQ(code, std::errc::invalid_argument);
}

TEST_F(cpp_socket, try_functions_do_not_wait) {
    EXPECT_FALSE(right.try_receive().has_value());
    EXPECT_TRUE(left.try_send("x"));
    EXPECT_EQ(right.try_receive()->text(), "x");
    zlink::socket push(context, socket_type::push);
    EXPECT_FALSE(push.try_send("nobody is there"));
    EXPECT_THROW((void)push.try_receive(), zlink::error); // PUSH does not receive
}

TEST_F(cpp_socket, receive_throws_when_its_time_is_over) {
    right.set(zlink::opt::receive_timeout, 1ms);
    try {
        (void)right.receive();
        FAIL();
    } catch (const zlink::error &failure) {
        EXPECT_EQ(failure.code(), std::errc::resource_unavailable_try_again);
        EXPECT_EQ(failure.code().category(), zlink::error_category());
        EXPECT_STREQ(failure.code().category().name(), "zmq");
    }
}

TEST_F(cpp_socket, errors_have_the_form_without_exceptions) {
    std::error_code code;
    left.bind("nonsense", code);
    EXPECT_EQ(code, std::errc::invalid_argument);
    zlink::socket req(context, socket_type::req);
    EXPECT_FALSE(req.send("x", zlink::send_flags::dontwait, code));
    zlink::message frame;
    EXPECT_FALSE(req.receive(frame, zlink::receive_flags::dontwait, code));
    EXPECT_EQ(code, zlink::errc::wrong_state);
    EXPECT_EQ(code.message(), zmq_strerror(EFSM));
    left.send("y", zlink::send_flags::none, code);
    EXPECT_FALSE(code);
    EXPECT_THROW(left.unbind("inproc://other"), std::system_error);
}

TEST_F(cpp_socket, a_closed_socket_answers_not_a_socket) {
    zlink::socket moved = std::move(left);
    EXPECT_FALSE(left.is_open());
    EXPECT_TRUE(moved.is_open());
    std::error_code code;
    left.send("x", zlink::send_flags::none, code);
    EXPECT_EQ(code, std::errc::not_a_socket);
    moved.close();
    moved.close();
    EXPECT_FALSE(moved.is_open());
}

TEST_F(cpp_socket, shutdown_ends_a_receive) {
    std::thread ender([&] { context.shutdown(); });
    std::error_code code;
    zlink::message frame;
    EXPECT_FALSE(right.receive(frame, zlink::receive_flags::none, code));
    EXPECT_EQ(code, zlink::errc::terminated);
    ender.join();
}

TEST_F(cpp_socket, waits_for_events) {
    EXPECT_EQ(right.wait(zlink::poll_events::in, 0ms), zlink::poll_events::none);
    EXPECT_EQ(right.wait(zlink::poll_events::out), zlink::poll_events::out);
    left.send("x");
    EXPECT_EQ(right.wait(zlink::poll_events::in), zlink::poll_events::in);
}

TEST_F(cpp_socket, poller_calls_back_for_what_is_ready) {
    zlink::poller poller;
    int lefts = 0, rights = 0;
    poller.add(left, zlink::poll_events::in, [&](zlink::poll_events) { ++lefts; });
    poller.add(right, zlink::poll_events::in, [&](zlink::poll_events events) {
        EXPECT_EQ(events, zlink::poll_events::in);
        ++rights;
        poller.remove(right);
    });
    EXPECT_THROW(poller.add(left, zlink::poll_events::in, nullptr), zlink::error);
    EXPECT_EQ(poller.wait(0ms), 0u);
    left.send("x");
    EXPECT_EQ(poller.wait(), 1u);
    EXPECT_EQ(rights, 1);
    EXPECT_EQ(poller.size(), 1u);
    poller.modify(left, zlink::poll_events::out);
    EXPECT_EQ(poller.wait(), 1u);
    EXPECT_EQ(lefts, 1);
    EXPECT_THROW(poller.remove(right), zlink::error);
}

TEST(cpp_message, moves_and_clones) {
    zlink::message first("hello");
    zlink::message second(std::move(first));
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(second, second.clone());
    first = std::move(second);
    EXPECT_EQ(first.to_string(), "hello");
    EXPECT_EQ(zlink::message(3).bytes().size(), 3u);
    EXPECT_FALSE(first.property("Peer-Address").has_value());
    static_assert(!std::is_copy_constructible_v<zlink::message>);
    static_assert(std::is_nothrow_move_constructible_v<zlink::message>);
}

TEST(cpp_message, multipart_takes_frames_at_both_ends) {
    zlink::multipart frames{"b"};
    frames.push_front("a");
    frames.push_back(zlink::message("c"));
    EXPECT_EQ(frames, (zlink::multipart{"a", "b", "c"}));
    EXPECT_EQ(frames.clone(), frames);
    EXPECT_EQ(frames.pop_front().text(), "a");
    EXPECT_EQ(frames.pop_back().text(), "c");
    EXPECT_EQ(frames.front().text(), frames.back().text());
    frames.clear();
    EXPECT_TRUE(frames.empty());
}

TEST(cpp_context, has_options_and_can_be_moved) {
    zlink::context first(2);
    EXPECT_EQ(first.get(zlink::context_option::io_threads), 2);
    first.set(zlink::context_option::max_sockets, 1);
    zlink::context second(std::move(first));
    zlink::socket only(second, socket_type::pair);
    EXPECT_THROW(zlink::socket(second, socket_type::pair), zlink::error);
    std::error_code code;
    const zlink::socket none(second, socket_type::pair, code);
    EXPECT_EQ(code, std::errc::too_many_files_open);
    EXPECT_THROW(second.set(zlink::context_option::io_threads, -1), zlink::error);
}

} // namespace
