// SPDX-License-Identifier: MPL-2.0
// High-water marks over connections, to the message. Bodies are much larger than the system's buffers. The
// system never holds a whole one, so none counts as gone before the other side has it.
#include "rig.hpp"

namespace zlink::conformance {

namespace {

class exact_mark : public transport_test {
  protected:
    // Sends until `expected` messages are taken and then there is no room for a while. It asks again and
    // again: who waits is woken when half is free.
    static int fill(socket &from, const frames &message, int expected) {
        int count = 0;
        const auto send_one = [&] { return from.send(message, ZMQ_DONTWAIT) == 0; };
        EXPECT_TRUE(eventually([&] { return (count += send_one() ? 1 : 0) >= expected; }))
            << "took " << count;
        for (int turn = 0; turn < 2 * quiet_ms; ++turn) {
            count += send_one() ? 1 : 0;
            zmq_poll(nullptr, 0, 1);
        }
        return count;
    }
    static void keep_buffers_small(socket &one) {
        one.set(ZMQ_SNDBUF, 65536); // less than a segment of loopback, and tcp itself stalls
        one.set(ZMQ_RCVBUF, 65536);
    }
    const std::string large_ = std::string(1 << 20, 'l');
};

} // namespace

TEST_P(exact_mark, without_a_peer_exactly_the_send_mark_is_taken_and_all_of_it_comes) {
    for (const int mark : {1, 2, 7, 100}) {
        const std::string endpoint = unused_endpoint(GetParam());
        socket push(owner, ZMQ_PUSH);
        push.set(ZMQ_SNDHWM, mark);
        push.set(ZMQ_RECONNECT_IVL, 5);
        EXPECT_EQ(push.send("x", ZMQ_DONTWAIT), EAGAIN); // nowhere to go yet
        ASSERT_EQ(push.connect(endpoint), 0);
        int taken = 0;
        while (push.send({"head", std::to_string(taken)}, ZMQ_DONTWAIT) == 0)
            ++taken;
        EXPECT_EQ(taken, mark);
        socket pull(owner, ZMQ_PULL);
        ASSERT_EQ(pull.bind(endpoint), 0);
        for (int i = 0; i < taken; ++i)
            ASSERT_EQ(pull.receive(), "head|" + std::to_string(i));
        EXPECT_TRUE(pull.quiet());
        EXPECT_EQ(push.send("there is room again"), 0);
    }
}

TEST_P(exact_mark, a_peer_that_does_not_read_gets_the_sum_of_both_marks) {
    for (const int send_mark : {1, 3, 8})
        for (const int receive_mark : {1, 2, 9}) {
            socket pull(owner, ZMQ_PULL);
            pull.set(ZMQ_RCVHWM, receive_mark);
            keep_buffers_small(pull);
            socket push(owner, ZMQ_PUSH);
            push.set(ZMQ_SNDHWM, send_mark);
            keep_buffers_small(push);
            ASSERT_EQ(push.connect(bind(pull)), 0);
            ASSERT_EQ(fill(push, {large_}, send_mark + receive_mark), send_mark + receive_mark);
            for (int i = 0; i < send_mark + receive_mark; ++i)
                ASSERT_EQ(pull.receive().size(), large_.size());
            EXPECT_TRUE(pull.quiet());
        }
}

TEST_P(exact_mark, counts_messages_and_not_frames) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_RCVHWM, 2);
    keep_buffers_small(pull);
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 3);
    keep_buffers_small(push);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    EXPECT_EQ(fill(push, {"a", large_, "", large_}, 5), 5);
}

TEST_P(exact_mark, a_publisher_drops_whole_messages_for_a_subscriber_that_does_not_read) {
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_RCVHWM, 2);
    sub.set(ZMQ_SUBSCRIBE, "");
    keep_buffers_small(sub);
    socket pub(owner, ZMQ_XPUB);
    pub.set(ZMQ_SNDHWM, 3);
    keep_buffers_small(pub);
    ASSERT_EQ(sub.connect(bind(pub)), 0);
    ASSERT_EQ(pub.receive(), std::string("\1"));
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(pub.send({std::to_string(i), large_}), 0);
    int received = 0;
    while (!sub.quiet()) {
        const frames message = sub.receive_frames();
        ASSERT_EQ(message.size(), 2U);
        EXPECT_EQ(message[1].size(), large_.size());
        ++received;
    }
    EXPECT_GE(received, 3);
    EXPECT_LT(received, 50);
}

ZLINK_OVER_CONNECTIONS(exact_mark);

} // namespace zlink::conformance
