// SPDX-License-Identifier: MPL-2.0
// ZLINK_SNDHWM_POLICY and ZLINK_RCVHWM_POLICY: what happens to a message for a peer whose queue is full.
#include "bare_peer.hpp"
#include "counters_rig.hpp"

#include <thread>

namespace zlink::conformance {
namespace {

constexpr int types_of_policies[] = {ZMQ_PAIR,   ZMQ_PUB,  ZMQ_SUB,  ZMQ_REQ,  ZMQ_REP,  ZMQ_DEALER,
                                     ZMQ_ROUTER, ZMQ_PULL, ZMQ_PUSH, ZMQ_XPUB, ZMQ_XSUB, ZMQ_STREAM};

std::uint64_t closed_by_peer(const socket &asked) {
    std::uint64_t count = 0;
    std::size_t size = sizeof count;
    EXPECT_EQ(zmq_getsockopt(asked.handle(), ZLINK_CLOSED_PEER, &count, &size), 0);
    return count;
}

int set_quietly(const socket &to, int option, int value) {
    return zmq_setsockopt(to.handle(), option, &value, sizeof value) == 0 ? 0 : errno;
}

class slow_peers_over : public transport_test {};

TEST(slow_peers, policies_fit_the_type) {
    context owner;
    const auto accepted = [&](int option, int policy) {
        std::vector<int> types;
        for (const int type : types_of_policies) {
            socket tried(owner, type);
            EXPECT_EQ(tried.get(option), ZLINK_HWM_AS_LIBZMQ);
            const int outcome = set_quietly(tried, option, policy);
            EXPECT_THAT(outcome, ::testing::AnyOf(0, EINVAL));
            EXPECT_EQ(tried.get(option), outcome == 0 ? policy : ZLINK_HWM_AS_LIBZMQ);
            if (outcome == 0)
                types.push_back(type);
        }
        return types;
    };
    using ::testing::ElementsAre;
    for (const int policy : {ZLINK_HWM_DROP_OLDEST, ZLINK_HWM_LATEST_OF_TOPIC}) {
        EXPECT_THAT(accepted(ZLINK_SNDHWM_POLICY, policy),
                    ElementsAre(ZMQ_PUB, ZMQ_DEALER, ZMQ_PUSH, ZMQ_XPUB));
        EXPECT_THAT(accepted(ZLINK_RCVHWM_POLICY, policy),
                    ElementsAre(ZMQ_SUB, ZMQ_DEALER, ZMQ_PULL, ZMQ_XSUB));
    }
    for (const int policy : {ZLINK_HWM_BLOCK, ZLINK_HWM_DISCONNECT}) {
        EXPECT_THAT(accepted(ZLINK_SNDHWM_POLICY, policy), ElementsAre(ZMQ_PUB, ZMQ_XPUB));
        EXPECT_THAT(accepted(ZLINK_RCVHWM_POLICY, policy), ElementsAre());
    }
    EXPECT_EQ(accepted(ZLINK_SNDHWM_POLICY, ZLINK_HWM_AS_LIBZMQ).size(), std::size(types_of_policies));
    for (const int wrong : {-1, 5, 1'000'000})
        EXPECT_THAT(accepted(ZLINK_SNDHWM_POLICY, wrong), ElementsAre());
}

// Nobody is bound yet: the queue of the connection fills.
TEST_P(slow_peers_over, the_oldest_messages_give_way) {
    for (const int type : {ZMQ_PUSH, ZMQ_DEALER}) {
        const std::string endpoint = unused_endpoint(GetParam());
        socket sender(owner, type);
        sender.set(ZMQ_SNDHWM, 3);
        sender.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
        ASSERT_EQ(sender.connect(endpoint), 0);
        for (int number = 0; number < 100; ++number)
            ASSERT_EQ(sender.send("part|" + std::to_string(number), ZMQ_DONTWAIT), 0);
        socket receiver(owner, type == ZMQ_PUSH ? ZMQ_PULL : ZMQ_DEALER);
        receiver.set(ZMQ_RCVHWM, 3);
        ASSERT_EQ(receiver.bind(endpoint), 0);
        for (const char *last : {"part|97", "part|98", "part|99"})
            EXPECT_EQ(receiver.receive(), last);
        EXPECT_TRUE(receiver.quiet());
        EXPECT_EQ(sender.send("after it", ZMQ_DONTWAIT), 0);
        EXPECT_EQ(receiver.receive(), "after it");
    }
}

TEST_P(slow_peers_over, a_topic_keeps_its_latest_message) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket sender(owner, ZMQ_PUSH);
    sender.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_LATEST_OF_TOPIC);
    ASSERT_EQ(sender.connect(endpoint), 0);
    const std::string large(100'000, 'x');
    for (int number = 0; number < 50; ++number)
        for (const char *topic : {"a", "b", "c"})
            ASSERT_EQ(sender.send({topic, std::to_string(number), large}, ZMQ_DONTWAIT), 0);
    socket receiver(owner, ZMQ_PULL);
    ASSERT_EQ(receiver.bind(endpoint), 0);
    for (const char *topic : {"a", "b", "c"})
        EXPECT_EQ(receiver.receive_frames(), (frames{topic, "49", large}));
    EXPECT_TRUE(receiver.quiet());
}

TEST_P(slow_peers_over, a_receiver_that_is_slow_has_the_newest) {
    socket receiver(owner, ZMQ_PULL);
    receiver.set(ZMQ_RCVHWM, 2);
    receiver.set(ZLINK_RCVHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
    const std::string endpoint = bind(receiver);
    {
        context elsewhere;
        socket sender(elsewhere, ZMQ_PUSH);
        sender.set(ZMQ_LINGER, -1);
        ASSERT_EQ(sender.connect(endpoint), 0);
        for (int number = 0; number < 1000; ++number)
            ASSERT_EQ(sender.send("number|" + std::to_string(number)), 0);
    }
    ASSERT_TRUE(eventually([&] { return closed_by_peer(receiver) == 1; }));
    EXPECT_EQ(receiver.receive(), "number|998");
    EXPECT_EQ(receiver.receive(), "number|999");
    EXPECT_TRUE(receiver.quiet());
}

ZLINK_OVER_CONNECTIONS(slow_peers_over);

TEST(slow_peers, a_subscriber_that_is_slow_has_the_newest) {
    for (const bool policy_of_publisher : {false, true}) {
        context owner;
        socket pub(owner, ZMQ_XPUB);
        socket sub(owner, ZMQ_SUB);
        for (socket *each : {&pub, &sub}) {
            each->set(ZMQ_SNDHWM, 2);
            each->set(ZMQ_RCVHWM, 2);
        }
        if (policy_of_publisher)
            pub.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
        else
            sub.set(ZLINK_RCVHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
        ASSERT_EQ(pub.bind("inproc://slow"), 0);
        sub.set(ZMQ_SUBSCRIBE, "");
        ASSERT_EQ(sub.connect("inproc://slow"), 0);
        EXPECT_EQ(pub.receive(), "\1");
        for (int number = 0; number < 100; ++number)
            ASSERT_EQ(pub.send(std::to_string(number)), 0);
        for (const char *last : {"96", "97", "98", "99"}) // the marks add up
            EXPECT_EQ(sub.receive(), last);
        EXPECT_TRUE(sub.quiet());
    }
}

TEST(slow_peers, a_publisher_may_wait) {
    context owner;
    socket pub(owner, ZMQ_PUB);
    pub.set(ZMQ_SNDHWM, 2);
    pub.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_BLOCK);
    ASSERT_EQ(pub.bind("inproc://slow"), 0);
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_RCVHWM, 2);
    sub.set(ZMQ_SUBSCRIBE, "");
    ASSERT_EQ(sub.connect("inproc://slow"), 0);
    int sent = 0;
    while (pub.send(std::to_string(sent), ZMQ_DONTWAIT) == 0)
        ASSERT_LE(++sent, 4);
    EXPECT_EQ(errno, EAGAIN);
    std::thread reader([&] {
        for (int number = 0; number < 1000; ++number)
            EXPECT_EQ(sub.receive(), std::to_string(number));
    });
    for (; sent < 1000; ++sent)
        ASSERT_EQ(pub.send(std::to_string(sent)), 0);
    reader.join();
}

// `in_bytes`: the mark is one in bytes.
void end_the_connections_of_slow_ones(bool in_bytes) {
    context owner;
    socket pub(owner, ZMQ_XPUB);
    pub.set(ZMQ_SNDHWM, in_bytes ? 0 : 10);
    const std::uint64_t bytes = in_bytes ? 1'000'000 : 0;
    ASSERT_EQ(zmq_setsockopt(pub.handle(), ZLINK_SNDHWM_BYTES, &bytes, sizeof bytes), 0);
    pub.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DISCONNECT);
    ASSERT_EQ(pub.bind("tcp://127.0.0.1:*"), 0);
    bare_peer slow(pub.last_endpoint());
    slow.shake_hands("SUB");
    slow.write("\x04\x0a\x09SUBSCRIBE"s);
    EXPECT_EQ(pub.receive(), "\1");
    socket quick(owner, ZMQ_SUB);
    quick.set(ZMQ_SUBSCRIBE, "quick");
    ASSERT_EQ(quick.connect(pub.last_endpoint()), 0);
    EXPECT_EQ(pub.receive(), "\1quick");
    const std::string large(100'000, 'x');
    int sent = 0;
    for (std::string heard; heard != std::string(1, '\0'); heard = pub.receive(ZMQ_DONTWAIT)) {
        ASSERT_LT(++sent, 10'000) << "the slow one stays";
        ASSERT_EQ(pub.send(large), 0);
    }
    const std::uint64_t lost = now(owner, "XPUB", "dropped.policy");
    EXPECT_GE(lost, 10U); // what waited, and what found no room
    EXPECT_LE(lost, static_cast<std::uint64_t>(sent));
    EXPECT_EQ(pub.send("quick"), 0);
    EXPECT_EQ(quick.receive(), "quick");
    (void)slow.read_to_end(); // what the system had taken for it, and then the end
    socket again(owner, ZMQ_SUB);
    again.set(ZMQ_SUBSCRIBE, "again");
    ASSERT_EQ(again.connect(pub.last_endpoint()), 0);
    EXPECT_EQ(pub.receive(), "\1again");
}

TEST(slow_peers, a_publisher_may_end_their_connections) {
    end_the_connections_of_slow_ones(false);
}

TEST(slow_peers, a_publisher_may_end_their_connections_at_a_mark_in_bytes) {
    end_the_connections_of_slow_ones(true);
}

} // namespace
} // namespace zlink::conformance
