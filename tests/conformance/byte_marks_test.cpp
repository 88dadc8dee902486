// SPDX-License-Identifier: MPL-2.0
// ZLINK_SNDHWM_BYTES and ZLINK_RCVHWM_BYTES: marks in bytes, beside those in messages.
#include "counters_rig.hpp"

#include <climits>
#include <thread>

namespace zlink::conformance {
namespace {

// The bytes of a message of one frame.
constexpr std::uint64_t on_the_wire(std::size_t size) {
    return size + (size <= 255 ? 2 : 9);
}

void set_mark(const socket &to, int option, std::uint64_t bytes) {
    EXPECT_EQ(zmq_setsockopt(to.handle(), option, &bytes, sizeof bytes), 0);
}

std::uint64_t get_mark(const socket &of, int option) {
    std::uint64_t bytes = 1;
    std::size_t size = sizeof bytes;
    EXPECT_EQ(zmq_getsockopt(of.handle(), option, &bytes, &size), 0);
    return bytes;
}

void no_marks_in_messages(socket &of) {
    of.set(ZMQ_SNDHWM, 0);
    of.set(ZMQ_RCVHWM, 0);
}

// Sends until there is no room. Returns how many were sent.
std::uint64_t fill(socket &with, const std::string &body) {
    std::uint64_t sent = 0;
    while (with.send(frames{body}, ZMQ_DONTWAIT) == 0)
        ++sent;
    EXPECT_EQ(errno, EAGAIN);
    return sent;
}

class byte_marks_over : public transport_test {};

// The queue of a connection that is not there yet.
TEST_P(byte_marks_over, bound_what_waits_to_be_sent) {
    for (const std::size_t size : {1U, 255U, 256U, 8192U, 8193U, 1U << 20})
        for (const std::uint64_t mark : {1U, 1000U, 3'000'000U}) {
            const std::uint64_t each = on_the_wire(size);
            if (mark / each > 20'000)
                continue;
            socket push(owner, ZMQ_PUSH);
            push.set(ZMQ_SNDHWM, 0);
            set_mark(push, ZLINK_SNDHWM_BYTES, mark);
            ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
            EXPECT_EQ(fill(push, std::string(size, 'x')), (mark + each - 1) / each) << size << " of " << mark;
            EXPECT_FALSE(push.ready(ZMQ_POLLOUT, 0));
        }
}

TEST_P(byte_marks_over, nothing_is_lost_at_the_mark) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    for (socket *each : {&pull, &push}) {
        no_marks_in_messages(*each);
        set_mark(*each, ZLINK_SNDHWM_BYTES, 20'000);
        set_mark(*each, ZLINK_RCVHWM_BYTES, 20'000);
    }
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    constexpr int count = 3000;
    const auto body = [](int number) {
        const auto size = static_cast<std::size_t>(number % 100 == 0 ? 100'000 : number % 3000);
        return std::string(size, static_cast<char>('a' + number % 26));
    };
    std::thread sender([&] {
        for (int number = 0; number < count; ++number)
            ASSERT_EQ(push.send(frames{std::to_string(number), body(number)}), 0) << number;
    });
    for (int number = 0; number < count; ++number)
        ASSERT_EQ(pull.receive_frames(), (frames{std::to_string(number), body(number)}));
    sender.join();
}

TEST_P(byte_marks_over, bound_what_waits_to_be_received) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    for (socket *each : {&pull, &push})
        no_marks_in_messages(*each);
    set_mark(pull, ZLINK_RCVHWM_BYTES, 1 << 20);
    set_mark(push, ZLINK_SNDHWM_BYTES, 1 << 20);
    for (socket *each : {&pull, &push}) // what the system takes
        for (const int option : {ZMQ_SNDBUF, ZMQ_RCVBUF})
            each->set(option, 1 << 16);
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    const std::string body(10'000, 'x');
    ASSERT_EQ(push.send(body), 0);
    ASSERT_EQ(pull.receive(), body);
    push.set(ZMQ_SNDTIMEO, 300);
    std::uint64_t sent = 0;
    while (push.send(frames{body}) == 0)
        ASSERT_LT(++sent, 2000U) << "20 million bytes";
    EXPECT_GE(sent * body.size(), 2'000'000U);
    EXPECT_LE(now(owner, "PULL", "queued.in") * body.size(),
              GetParam() == std::string_view("inproc") ? (2U << 20) + body.size() : (1U << 20) + body.size());
    for (; sent != 0; --sent)
        ASSERT_EQ(pull.receive(), body);
    EXPECT_EQ(push.send("after it"), 0);
    EXPECT_EQ(pull.receive(), "after it");
}

std::uint64_t of_peer(const context &owner, const std::string &type, const std::string &name) {
    const counted all(owner);
    const std::vector<int> peers = all.peers_of(all.socket(type));
    return peers.size() == 1 ? all.number(peers.front(), name) : 0;
}

TEST_P(byte_marks_over, are_counted) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket push(owner, ZMQ_PUSH);
    no_marks_in_messages(push);
    set_mark(push, ZLINK_SNDHWM_BYTES, 1000);
    ASSERT_EQ(push.connect(endpoint), 0);
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 0U);
    ASSERT_EQ(push.send(std::string(98, 'x')), 0);
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 100U);
    for (int number = 1; number < 10; ++number)
        ASSERT_EQ(push.send(std::string(98, 'x')), 0);
    EXPECT_EQ(of_peer(owner, "PUSH", "mark.out.bytes"), 1000U);
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 1000U);
    EXPECT_EQ(now(owner, "PUSH", "queued.out.bytes"), 1000U);
    set_mark(push, ZLINK_SNDHWM_BYTES, 101'000);
    EXPECT_EQ(of_peer(owner, "PUSH", "mark.out.bytes"), 101'000U);
    ASSERT_EQ(fill(push, std::string(99'991, 'y')), 1U);
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 101'000U);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    for (int waiting = 11; waiting != 0; --waiting)
        ASSERT_FALSE(pull.receive().empty());
    EXPECT_TRUE(eventually([&] { return now(owner, "PUSH", "queued.out.bytes") == 0; }));
}

TEST_P(byte_marks_over, of_lists_are_counted) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
    set_mark(push, ZLINK_SNDHWM_BYTES, 250);
    ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
    for (int number = 0; number < 100; ++number)
        ASSERT_EQ(push.send(std::string(98, 'x')), 0);
    EXPECT_EQ(of_peer(owner, "PUSH", "mark.out.bytes"), 250U);
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 200U);
}

TEST_P(byte_marks_over, the_oldest_give_way) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket push(owner, ZMQ_PUSH);
    push.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
    set_mark(push, ZLINK_SNDHWM_BYTES, 3 * 12);
    ASSERT_EQ(push.connect(endpoint), 0);
    for (int number = 0; number < 100; ++number)
        ASSERT_EQ(push.send("message " + std::to_string(10 + number % 90)), 0);
    EXPECT_EQ(now(owner, "PUSH", "dropped.replaced"), 97U);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    for (const char *text : {"message 17", "message 18", "message 19"})
        EXPECT_EQ(pull.receive(), text);
    EXPECT_TRUE(pull.quiet());
}

ZLINK_OVER_EVERY_TRANSPORT(byte_marks_over);

TEST(byte_marks, add_up_over_inproc) {
    for (const auto &[send_mark, receive_mark] : {std::pair{600, 400}, {1000, 0}, {0, 1000}})
        for (const bool before_bind : {false, true}) {
            context owner;
            socket pull(owner, ZMQ_PULL);
            socket push(owner, ZMQ_PUSH);
            for (socket *each : {&pull, &push})
                no_marks_in_messages(*each);
            set_mark(push, ZLINK_SNDHWM_BYTES, static_cast<std::uint64_t>(send_mark));
            set_mark(pull, ZLINK_RCVHWM_BYTES, static_cast<std::uint64_t>(receive_mark));
            if (!before_bind) {
                ASSERT_EQ(pull.bind("inproc://sum"), 0);
            }
            ASSERT_EQ(push.connect("inproc://sum"), 0);
            if (before_bind) {
                ASSERT_EQ(pull.bind("inproc://sum"), 0);
            }
            EXPECT_EQ(fill(push, std::string(98, 'x')), 10U);
            EXPECT_EQ(pull.receive().size(), 98U);
            EXPECT_EQ(fill(push, std::string(98, 'x')), 1U) << "room for one";
            // A send that found no room waits for the reader, as with ZMQ_SNDHWM.
            set_mark(push, ZLINK_SNDHWM_BYTES, 10'000);
            for (int waiting = 10; waiting != 0; --waiting)
                EXPECT_EQ(pull.receive().size(), 98U);
            EXPECT_EQ(fill(push, std::string(98, 'x')), receive_mark == 400 ? 104U
                                                        : receive_mark == 0 ? 100U
                                                                            : 110U);
        }
}

TEST(byte_marks, of_both_sides_are_counted) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    set_mark(push, ZLINK_SNDHWM_BYTES, 600);
    set_mark(pull, ZLINK_RCVHWM_BYTES, 400);
    ASSERT_EQ(pull.bind("inproc://counted"), 0);
    ASSERT_EQ(push.connect("inproc://counted"), 0);
    EXPECT_EQ(fill(push, std::string(98, 'x')), 10U);
    EXPECT_EQ(of_peer(owner, "PULL", "mark.in.bytes"), 1000U);
    EXPECT_EQ(of_peer(owner, "PULL", "mark.out.bytes"), 0U);
    EXPECT_EQ(of_peer(owner, "PULL", "queued.in.bytes"), 1000U);
    for (int number = 0; number < 5; ++number)
        EXPECT_EQ(pull.receive().size(), 98U);
    ASSERT_EQ(push.send(std::string(98, 'x')), 0);
    EXPECT_EQ(of_peer(owner, "PULL", "queued.in.bytes"), 600U) << "as the sender saw it";
    EXPECT_EQ(of_peer(owner, "PUSH", "queued.out.bytes"), 600U);
}

TEST(byte_marks, hold_beside_the_mark_in_messages) {
    context owner;
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 5);
    set_mark(push, ZLINK_SNDHWM_BYTES, 1000);
    ASSERT_EQ(push.connect("inproc://nobody"), 0);
    EXPECT_EQ(fill(push, "small"), 5U);
    socket other(owner, ZMQ_PUSH);
    other.set(ZMQ_SNDHWM, 5);
    set_mark(other, ZLINK_SNDHWM_BYTES, 1000);
    ASSERT_EQ(other.connect("inproc://nobody"), 0);
    EXPECT_EQ(fill(other, std::string(400, 'x')), 3U);
}

TEST(byte_marks, a_publisher_drops_at_the_mark) {
    context owner;
    socket pub(owner, ZMQ_XPUB);
    no_marks_in_messages(pub);
    set_mark(pub, ZLINK_SNDHWM_BYTES, 1000);
    ASSERT_EQ(pub.bind("inproc://bytes"), 0);
    socket sub(owner, ZMQ_SUB);
    no_marks_in_messages(sub);
    sub.set(ZMQ_SUBSCRIBE, "");
    ASSERT_EQ(sub.connect("inproc://bytes"), 0);
    EXPECT_EQ(pub.receive(), "\1");
    const std::string body(98, 'x');
    for (int number = 0; number < 100; ++number)
        ASSERT_EQ(pub.send(body), 0);
    for (int number = 0; number < 10; ++number)
        EXPECT_EQ(sub.receive(), body);
    EXPECT_TRUE(sub.quiet());
    EXPECT_EQ(now(owner, "XPUB", "dropped.byte_mark_reached"), 90U);
    EXPECT_EQ(now(owner, "XPUB", "dropped.mark_reached"), 0U);
    sub.close();
    EXPECT_EQ(pub.receive(), std::string(1, '\0'));
    EXPECT_EQ(now(owner, "XPUB", "peers"), 0U);
    EXPECT_EQ(now(owner, "XPUB", "dropped.byte_mark_reached"), 90U) << "the sum of those who are gone";
    EXPECT_EQ(now(owner, "XPUB", "dropped.mark_reached"), 0U);
}

// The mark that is reached first has the count: three empty messages, or two of 400 bytes.
TEST(byte_marks, and_those_in_messages_count_apart) {
    context owner;
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_SNDHWM, 2);
    set_mark(router, ZLINK_SNDHWM_BYTES, 800);
    ASSERT_EQ(router.bind("inproc://bytes"), 0);
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_RCVHWM, 1); // the marks add up
    dealer.set(ZMQ_ROUTING_ID, "d");
    ASSERT_EQ(dealer.connect("inproc://bytes"), 0);
    ASSERT_EQ(dealer.send("hello"), 0);
    ASSERT_EQ(router.receive(), "d|hello");
    const auto both = [&] {
        return std::vector{now(owner, "ROUTER", "dropped.mark_reached"),
                           now(owner, "ROUTER", "dropped.byte_mark_reached")};
    };
    for (int number = 0; number < 5; ++number)
        ASSERT_EQ(router.send("d|" + std::string(400, 'x')), 0);
    EXPECT_EQ(both(), (std::vector<std::uint64_t>{0, 3}));
    for (int number = 0; number < 2; ++number)
        EXPECT_EQ(dealer.receive(), std::string(400, 'x'));
    for (int number = 0; number < 5; ++number)
        ASSERT_EQ(router.send("d|"), 0);
    EXPECT_EQ(both(), (std::vector<std::uint64_t>{2, 3}));
}

TEST(byte_marks, are_options_of_every_type) {
    context owner;
    for (const int type : {ZMQ_PAIR, ZMQ_PUB, ZMQ_SUB, ZMQ_REQ, ZMQ_REP, ZMQ_DEALER, ZMQ_ROUTER, ZMQ_PULL,
                           ZMQ_PUSH, ZMQ_XPUB, ZMQ_XSUB, ZMQ_STREAM})
        for (const int option : {ZLINK_SNDHWM_BYTES, ZLINK_RCVHWM_BYTES}) {
            socket tried(owner, type);
            EXPECT_EQ(get_mark(tried, option), 0U);
            set_mark(tried, option, std::uint64_t{1} << 40);
            EXPECT_EQ(get_mark(tried, option), std::uint64_t{1} << 40);
            const int small = 1;
            EXPECT_EQ(zmq_setsockopt(tried.handle(), option, &small, sizeof small), -1);
            EXPECT_EQ(errno, EINVAL);
        }
}

TEST(byte_marks, a_context_has_those_of_new_sockets) {
    context owner;
    socket before(owner, ZMQ_PUSH);
    const std::uint64_t large = std::uint64_t{5} << 30;
    EXPECT_EQ(zmq_ctx_set_ext(owner.handle(), ZLINK_SNDHWM_BYTES, &large, sizeof large), 0);
    EXPECT_EQ(zmq_ctx_set(owner.handle(), ZLINK_RCVHWM_BYTES, 1000), 0);
    EXPECT_EQ(zmq_ctx_set(owner.handle(), ZLINK_RCVHWM_BYTES, -1), -1);
    EXPECT_EQ(zmq_ctx_set_ext(owner.handle(), ZLINK_RCVHWM_BYTES, &large, 5), -1);
    std::uint64_t got = 0;
    std::size_t size = sizeof got;
    EXPECT_EQ(zmq_ctx_get_ext(owner.handle(), ZLINK_SNDHWM_BYTES, &got, &size), 0);
    EXPECT_EQ(got, large);
    EXPECT_EQ(zmq_ctx_get(owner.handle(), ZLINK_SNDHWM_BYTES), INT_MAX) << "as much as an int holds";
    EXPECT_EQ(zmq_ctx_get(owner.handle(), ZLINK_RCVHWM_BYTES), 1000);
    socket after(owner, ZMQ_PUSH);
    EXPECT_EQ(get_mark(after, ZLINK_SNDHWM_BYTES), large);
    EXPECT_EQ(get_mark(after, ZLINK_RCVHWM_BYTES), 1000U);
    EXPECT_EQ(get_mark(before, ZLINK_SNDHWM_BYTES), 0U);
}

} // namespace
} // namespace zlink::conformance
