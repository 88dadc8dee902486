// SPDX-License-Identifier: MPL-2.0
// Calls that make libzmq end the process, wait for ever, or act by chance give an error here.
// docs/MIGRATING.md has the table: "Where libzmq ends the process, waits for ever, or reads what is not its
// own".
#include <array>
#include <climits>
#include <cstring>

#include "rig.hpp"

namespace zlink::conformance {
namespace {

// An event loop that goes on watching ZMQ_FD looks, and learns of it. A second descriptor of the same event
// outlives the socket's.
TEST(descriptor_of_a_socket, is_readable_once_the_socket_is_closed) {
    context owner;
    int watched = -1;
    {
        socket closing(owner, ZMQ_PAIR);
        watched = ::dup(closing.get(ZMQ_FD));
        ASSERT_GE(watched, 0);
        zmq_pollitem_t before{nullptr, watched, ZMQ_POLLIN, 0};
        EXPECT_EQ(zmq_poll(&before, 1, 0), 0);
    }
    zmq_pollitem_t after{nullptr, watched, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_poll(&after, 1, 0), 1);
    ::close(watched);
}

int code_of(int result) {
    return result < 0 ? errno : 0;
}

class misuse : public ::testing::Test {
  protected:
    context owner;
};

TEST_F(misuse, endpoints_that_are_null_are_refused) {
    const socket pair(owner, ZMQ_PAIR);
    for (auto *call : {&zmq_bind, &zmq_connect, &zmq_unbind, &zmq_disconnect})
        EXPECT_EQ(code_of(call(pair.handle(), nullptr)), EINVAL);
}

TEST_F(misuse, values_that_are_null_are_refused) {
    const socket sub(owner, ZMQ_SUB);
    for (const int option : {ZMQ_LINGER, ZMQ_ROUTING_ID, ZMQ_SUBSCRIBE, ZMQ_PLAIN_USERNAME, ZMQ_METADATA})
        EXPECT_EQ(code_of(zmq_setsockopt(sub.handle(), option, nullptr, sizeof(int))), EINVAL) << option;
}

TEST_F(misuse, ports_that_do_not_exist_are_refused) {
    socket pull(owner, ZMQ_PULL);
    for (const char *port : {"65536", "99999", "-1", "4294967297"})
        EXPECT_EQ(pull.bind(std::string("tcp://127.0.0.1:") + port), EINVAL) << port;
}

TEST_F(misuse, a_message_that_was_never_made_holds_nothing_and_is_not_sent) {
    const socket pair(owner, ZMQ_PAIR);
    zmq_msg_t never;
    std::memset(&never, 0, sizeof never);
    zmq_msg_t closed;
    zmq_msg_init_size(&closed, 1000);
    zmq_msg_close(&closed);
    for (zmq_msg_t *message : {&never, &closed}) {
        EXPECT_EQ(code_of(zmq_msg_send(message, pair.handle(), ZMQ_DONTWAIT)), EFAULT);
        EXPECT_EQ(code_of(zmq_msg_recv(message, pair.handle(), ZMQ_DONTWAIT)), EFAULT);
        EXPECT_EQ(code_of(zmq_msg_close(message)), EFAULT);
        EXPECT_EQ(zmq_msg_size(message), 0U);
        EXPECT_EQ(zmq_msg_data(message), nullptr);
    }
}

TEST_F(misuse, a_message_copied_to_itself_is_what_it_was) {
    for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{100'000}}) {
        zmq_msg_t message;
        ASSERT_EQ(zmq_msg_init_size(&message, size), 0);
        std::memset(zmq_msg_data(&message), 'm', size);
        EXPECT_EQ(zmq_msg_copy(&message, &message), 0);
        ASSERT_EQ(zmq_msg_size(&message), size);
        EXPECT_EQ(std::string(static_cast<char *>(zmq_msg_data(&message)), size), std::string(size, 'm'));
        EXPECT_EQ(zmq_msg_close(&message), 0);
    }
}

TEST_F(misuse, a_message_without_a_connection_has_no_descriptor) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    EXPECT_EQ(code_of(zmq_msg_get(&message, ZMQ_SRCFD)), EINVAL);
    zmq_msg_close(&message);
}

TEST_F(misuse, handles_that_are_null_are_refused) {
    EXPECT_EQ(code_of(zmq_device(ZMQ_QUEUE, nullptr, nullptr)), EFAULT);
    EXPECT_EQ(code_of(zmq_timers_destroy(nullptr)), EFAULT);
}

TEST_F(misuse, a_text_that_is_no_key_has_no_public_key) {
    std::array<char, 41> key{};
    EXPECT_EQ(code_of(zmq_curve_public(key.data(), "short")), EINVAL);
    EXPECT_EQ(code_of(zmq_curve_public(key.data(), "########################################")), EINVAL);
}

// Nobody reads either of them, nor has come to.
TEST_F(misuse, a_second_monitor_takes_the_place_of_the_first) {
    socket pull(owner, ZMQ_PULL);
    EXPECT_EQ(zmq_socket_monitor(pull.handle(), "inproc://first", ZMQ_EVENT_ALL), 0);
    EXPECT_EQ(zmq_socket_monitor(pull.handle(), "inproc://first", ZMQ_EVENT_ALL), 0);
    EXPECT_EQ(zmq_socket_monitor(pull.handle(), "inproc://second", ZMQ_EVENT_ALL), 0);
    EXPECT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    socket reader(owner, ZMQ_PAIR);
    EXPECT_EQ(reader.connect("inproc://second"), 0);
    const frames event = reader.receive_frames();
    ASSERT_EQ(event.size(), 2U);
    std::uint16_t kind = 0;
    std::memcpy(&kind, event[0].data(), sizeof kind);
    EXPECT_EQ(kind, ZMQ_EVENT_LISTENING);
}

TEST_F(misuse, a_timer_of_no_interval_runs_once_a_turn_and_a_cancelled_one_is_gone_after_the_next) {
    void *timers = zmq_timers_new();
    int runs = 0;
    const int id = zmq_timers_add(
        timers, 0, [](int, void *count) { ++*static_cast<int *>(count); }, &runs);
    EXPECT_EQ(zmq_timers_execute(timers), 0);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(zmq_timers_cancel(timers, id), 0);
    EXPECT_EQ(code_of(zmq_timers_reset(timers, id)), 0);
    EXPECT_EQ(zmq_timers_execute(timers), 0);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(code_of(zmq_timers_reset(timers, id)), EINVAL);
    EXPECT_EQ(zmq_timers_destroy(&timers), 0);
}

TEST_F(misuse, a_closed_socket_in_a_list_to_be_polled_is_none) {
    socket open(owner, ZMQ_PAIR), closing(owner, ZMQ_PAIR);
    zmq_pollitem_t items[] = {{open.handle(), 0, ZMQ_POLLIN, 0}, {closing.handle(), 0, ZMQ_POLLIN, 0}};
    EXPECT_EQ(zmq_poll(items, 2, 0), 0);
    closing.close();
    for (const long timeout_ms : {0L, 1L, -1L}) {
        EXPECT_EQ(code_of(zmq_poll(items, 2, timeout_ms)), ENOTSOCK);
    }
}

TEST_F(misuse, a_closed_socket_in_a_poller_is_none_until_it_is_removed) {
    void *poller = zmq_poller_new();
    socket open(owner, ZMQ_PAIR), closing(owner, ZMQ_PAIR);
    void *const old = closing.handle();
    ASSERT_EQ(zmq_poller_add(poller, open.handle(), nullptr, ZMQ_POLLIN), 0);
    ASSERT_EQ(zmq_poller_add(poller, old, nullptr, ZMQ_POLLIN), 0);
    zmq_poller_event_t event{};
    EXPECT_EQ(code_of(zmq_poller_wait(poller, &event, 0)), EAGAIN);
    closing.close();
    const std::vector<socket> others = [&] { // one of them may have the address of the closed one
        std::vector<socket> made;
        for (int count = 0; count < 200; ++count)
            made.emplace_back(owner, ZMQ_PAIR);
        return made;
    }();
    EXPECT_EQ(code_of(zmq_poller_wait(poller, &event, 0)), ENOTSOCK);
    EXPECT_EQ(code_of(zmq_poller_wait_all(poller, &event, 1, -1)), ENOTSOCK);
    EXPECT_EQ(code_of(zmq_poller_modify(poller, old, ZMQ_POLLIN)), ENOTSOCK);
    EXPECT_EQ(zmq_poller_remove(poller, old), 0);
    EXPECT_EQ(zmq_poller_size(poller), 1);
    EXPECT_EQ(code_of(zmq_poller_wait(poller, &event, 0)), EAGAIN);
    EXPECT_EQ(zmq_poller_destroy(&poller), 0);
}

TEST_F(misuse, timers_stay_while_a_handler_of_theirs_runs) {
    struct turn {
        void *timers = zmq_timers_new();
        int code = 0;
    } one;
    const auto destroys = [](int, void *argument) {
        turn &asked = *static_cast<turn *>(argument);
        asked.code = code_of(zmq_timers_destroy(&asked.timers));
    };
    ASSERT_GT(zmq_timers_add(one.timers, 0, destroys, &one), 0);
    ASSERT_TRUE(eventually([&] { return zmq_timers_execute(one.timers) == 0 && one.code != 0; }));
    EXPECT_EQ(one.code, EBUSY);
    ASSERT_NE(one.timers, nullptr);
    EXPECT_EQ(zmq_timers_destroy(&one.timers), 0);
}

TEST_F(misuse, the_largest_marks_on_both_ends_are_one_mark) {
    socket pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH);
    pull.set(ZMQ_RCVHWM, INT_MAX);
    push.set(ZMQ_SNDHWM, INT_MAX);
    ASSERT_EQ(pull.bind("inproc://largest"), 0);
    ASSERT_EQ(push.connect("inproc://largest"), 0);
    for (int count = 0; count < 5000; ++count)
        ASSERT_EQ(push.send("x", ZMQ_DONTWAIT), 0);
    push.set(ZMQ_SNDHWM, INT_MAX - 1);
    ASSERT_EQ(push.send("x", ZMQ_DONTWAIT), 0);
    for (int count = 0; count < 5001; ++count)
        ASSERT_EQ(pull.receive(ZMQ_DONTWAIT), "x");
}

} // namespace
} // namespace zlink::conformance
