// SPDX-License-Identifier: MPL-2.0
// Messages of several frames: all of them or none.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

class multipart : public transport_test {
  protected:
    socket sink{owner, ZMQ_PULL};
};

TEST_P(multipart, frames_of_every_size_arrive_as_they_were) {
    socket source = connected(ZMQ_PUSH, bind(sink));
    frames message;
    for (const std::size_t size :
         {0U, 1U, 32U, 33U, 254U, 255U, 256U, 4095U, 8191U, 8192U, 8193U, 65535U, 65536U, 1'000'003U, 0U})
        message.emplace_back(size, static_cast<char>('a' + size % 26));
    for (int round = 0; round < 5; ++round)
        ASSERT_EQ(source.send(message), 0);
    for (int round = 0; round < 5; ++round)
        ASSERT_EQ(sink.receive_frames(), message);
}

TEST_P(multipart, a_message_may_have_thousands_of_frames) {
    socket source = connected(ZMQ_PUSH, bind(sink));
    frames message;
    for (int i = 0; i < 5000; ++i)
        message.push_back(std::to_string(i));
    ASSERT_EQ(source.send(message), 0);
    EXPECT_EQ(sink.receive_frames(), message);
}

TEST_P(multipart, an_unfinished_message_is_not_seen) {
    socket source = connected(ZMQ_PUSH, bind(sink));
    ASSERT_EQ(zmq_send(source.handle(), "half", 4, ZMQ_SNDMORE), 4);
    EXPECT_TRUE(sink.quiet());
    ASSERT_EQ(zmq_send(source.handle(), "done", 4, 0), 4);
    EXPECT_EQ(sink.receive(), "half|done");
}

TEST_P(multipart, a_message_unfinished_at_close_never_comes) {
    const std::string endpoint = bind(sink);
    {
        socket source = connected(ZMQ_PUSH, endpoint);
        source.set(ZMQ_LINGER, -1);
        ASSERT_EQ(source.send("whole|message"), 0);
        ASSERT_EQ(zmq_send(source.handle(), "half", 4, ZMQ_SNDMORE), 4);
    }
    EXPECT_EQ(sink.receive(), "whole|message");
    socket next = connected(ZMQ_PUSH, endpoint);
    ASSERT_EQ(next.send("next"), 0);
    EXPECT_EQ(sink.receive(), "next");
}

TEST_P(multipart, messages_of_several_peers_do_not_mix) {
    constexpr int each = 300;
    const std::string endpoint = bind(sink);
    std::vector<std::thread> senders;
    for (int k = 0; k < 3; ++k)
        senders.emplace_back([&, name = std::to_string(k)] {
            socket source = connected(ZMQ_PUSH, endpoint);
            source.set(ZMQ_LINGER, -1);
            for (int i = 0; i < each; ++i)
                EXPECT_EQ(source.send(frames{name, name + "x", std::string(3000, name[0])}), 0);
        });
    for (int i = 0; i < 3 * each; ++i) {
        const frames message = sink.receive_frames();
        ASSERT_EQ(message.size(), 3U);
        ASSERT_EQ(message[1], message[0] + "x");
        ASSERT_EQ(message[2], std::string(3000, message[0][0]));
    }
    for (std::thread &sender : senders)
        sender.join();
}

TEST_P(multipart, a_full_pipe_takes_all_frames_or_none) {
    socket source(owner, ZMQ_PUSH);
    source.set(ZMQ_SNDHWM, 2);
    sink.set(ZMQ_RCVHWM, 2);
    ASSERT_EQ(source.connect(bind(sink)), 0);
    int sent = 0;
    const std::string body(100'000, 'x');
    source.set(ZMQ_SNDTIMEO, 50);
    while (sent < 10'000 && zmq_send(source.handle(), "head", 4, ZMQ_SNDMORE) == 4) {
        ASSERT_EQ(source.send(body), 0) << "once begun, a message is taken";
        ++sent;
    }
    EXPECT_EQ(errno, EAGAIN);
    for (int i = 0; i < sent; ++i)
        ASSERT_EQ(sink.receive_frames().size(), 2U);
    EXPECT_TRUE(sink.quiet());
}

ZLINK_OVER_EVERY_TRANSPORT(multipart);

} // namespace
} // namespace zlink::conformance
