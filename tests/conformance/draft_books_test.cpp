// SPDX-License-Identifier: MPL-2.0
// The books of the draft's socket types balance: what was sent was received, waits, or was dropped for a
// reason.
#include "counters_rig.hpp"
#include "draft_rig.hpp"

namespace zlink::conformance {
namespace {

constexpr const char *group = "g";

struct pattern_row {
    int sender, receiver;
    const char *name;
    bool answers; // the receiver sends, too
};
constexpr pattern_row patterns[] = {{ZMQ_CLIENT, ZMQ_SERVER, "CLIENT and SERVER", true},
                                    {ZMQ_CHANNEL, ZMQ_CHANNEL, "CHANNEL", true},
                                    {ZMQ_PEER, ZMQ_PEER, "PEER", true},
                                    {ZMQ_SCATTER, ZMQ_GATHER, "SCATTER and GATHER", false},
                                    {ZMQ_RADIO, ZMQ_DISH, "RADIO and DISH", false}};

// The reasons for which a message is dropped that was counted as sent.
constexpr const char *drops_of_sent[] = {
    "dropped.replaced", "dropped.linger_expired", "dropped.connection_lost", "dropped.policy",
    "dropped.unread",   "dropped.filtered",       "dropped.conflated"};

std::uint64_t dropped_of_sent(const counted &found, int subject) {
    std::uint64_t sum = 0;
    for (const char *why : drops_of_sent)
        sum += found.number(subject, why);
    return sum;
}

// Do the books of a context balance in which nothing waits?
bool balances(const context &of) {
    const counted all(of);
    return all.number(0, "sent.messages") == all.number(0, "received.messages") + dropped_of_sent(all, 0);
}

// The receiver is bound. A DISH is a member, and the RADIO knows it.
struct two_sides {
    const pattern_row &row;
    socket receiver, sender;
    std::uint32_t number_of_receiver = 0; // at a PEER
    std::uint32_t number_of_sender = 0;   // after the first message

    two_sides(context &owner, const pattern_row &as)
        : row(as), receiver(owner, as.receiver), sender(owner, as.sender) {}
    void connect(const std::string &endpoint) {
        if (row.receiver == ZMQ_DISH) {
            EXPECT_EQ(join(receiver, group), 0);
        }
        if (row.sender == ZMQ_PEER) {
            sender.prepare_for(endpoint);
            number_of_receiver = zmq_connect_peer(sender.handle(), endpoint.c_str());
            EXPECT_NE(number_of_receiver, 0U);
        } else
            EXPECT_EQ(sender.connect(endpoint), 0);
        if (row.receiver == ZMQ_DISH)
            await_member(sender, receiver, group);
    }
    int send(const std::string &body, int flags = 0) {
        message made(body);
        if (row.sender == ZMQ_RADIO)
            made.of(group);
        if (row.sender == ZMQ_PEER)
            made.to(number_of_receiver);
        return made.send(sender, flags);
    }
    std::string receive() {
        message got;
        EXPECT_EQ(got.receive(receiver), 0);
        if (row.receiver == ZMQ_SERVER || row.receiver == ZMQ_PEER)
            number_of_sender = got.routing_id();
        return got.body();
    }
    int answer(const std::string &body) {
        message made(body);
        if (number_of_sender != 0)
            made.to(number_of_sender);
        return made.send(receiver);
    }
};

std::vector<std::string> various_bodies() {
    std::vector<std::string> made;
    for (const std::size_t size : {0U, 1U, 33U, 200U, 300U, 8192U, 8193U, 100'000U})
        made.emplace_back(size, 'b');
    return made;
}

class draft_books_over : public transport_test {
  protected:
    void expect_one_way(two_sides &both) {
        const std::vector<std::string> bodies = various_bodies();
        const std::uint64_t sent = now(both.sender, "sent.messages");
        const std::uint64_t received = now(both.receiver, "received.messages");
        for (const std::string &body : bodies)
            ASSERT_EQ(both.send(body), 0);
        EXPECT_EQ(now(both.sender, "sent.messages"), sent + bodies.size());
        for (std::size_t done = 0; done < bodies.size(); ++done) {
            EXPECT_EQ(now(both.receiver, "received.messages"), received + done);
            EXPECT_EQ(both.receive(), bodies[done]);
        }
        expect_nothing_left(both.sender, both.receiver);
        EXPECT_EQ(now(both.receiver, "received.messages"), received + bodies.size());
    }
    void expect_answers(two_sides &both) {
        const std::vector<std::string> bodies = various_bodies();
        for (const std::string &body : bodies)
            ASSERT_EQ(both.answer(body), 0);
        EXPECT_EQ(now(both.receiver, "sent.messages"), bodies.size());
        for (const std::string &body : bodies) {
            message got;
            ASSERT_EQ(got.receive(both.sender), 0);
            EXPECT_EQ(got.body(), body);
        }
        EXPECT_EQ(now(both.sender, "received.messages"), bodies.size());
        expect_nothing_left(both.receiver, both.sender);
    }
    void expect_nothing_left(const socket &from, const socket &to) {
        EXPECT_TRUE(eventually([&] { return now(from, "queued.out") == 0 && now(to, "queued.in") == 0; }));
        EXPECT_EQ(now(from, "sent.bytes"), now(to, "received.bytes"));
        for (const socket *one : {&from, &to})
            EXPECT_EQ(dropped_of_sent(counted(zlink_stats_of_socket(one->handle())), 0), 0U);
        EXPECT_TRUE(balances(owner));
    }
};
ZLINK_OVER_EVERY_TRANSPORT(draft_books_over);
class draft_books_over_network : public transport_test {};
ZLINK_OVER_CONNECTIONS(draft_books_over_network);

TEST_P(draft_books_over, balance_in_both_directions) {
    for (const pattern_row &row : patterns) {
        SCOPED_TRACE(row.name);
        two_sides both(owner, row);
        both.connect(bind(both.receiver));
        expect_one_way(both);
        if (row.answers)
            expect_answers(both);
    }
}

TEST_P(draft_books_over, what_was_not_read_before_the_close_was_dropped) {
    for (const pattern_row &row : patterns) {
        SCOPED_TRACE(row.name);
        context alone;
        socket stays(alone, ZMQ_PAIR);
        two_sides both(alone, row);
        both.connect(bind(both.receiver));
        for (int count = 0; count < 10; ++count)
            ASSERT_EQ(both.send("message"), 0);
        for (int count = 0; count < 3; ++count)
            EXPECT_EQ(both.receive(), "message");
        EXPECT_TRUE(eventually([&] { return now(both.receiver, "queued.in") == 7; }));
        both.receiver.close();
        both.sender.close();
        EXPECT_TRUE(eventually([&] { return balances(alone) && counted(alone).number(0, "sockets") == 1; }));
        EXPECT_EQ(dropped_of_sent(counted(alone), 0), 7U);
    }
}

TEST_P(draft_books_over_network, what_waits_for_a_peer_is_queued_and_dropped_at_the_close) {
    for (const pattern_row &row : patterns) {
        if (row.sender == ZMQ_RADIO)
            continue; // it has no member, and keeps nothing
        SCOPED_TRACE(row.name);
        context alone;
        socket stays(alone, ZMQ_PAIR);
        two_sides both(alone, row);
        both.sender.set(ZMQ_SNDHWM, 6);
        both.connect(unused_endpoint(GetParam()));
        for (int count = 0; count < 6; ++count)
            ASSERT_EQ(both.send("message"), 0);
        EXPECT_EQ(both.send("message", ZMQ_DONTWAIT), EAGAIN);
        EXPECT_EQ(now(both.sender, "sent.messages"), 6U);
        EXPECT_EQ(now(both.sender, "queued.out"), 6U);
        EXPECT_EQ(now(both.sender, "send_blocked"), 1U);
        both.sender.close();
        EXPECT_TRUE(eventually([&] { return counted(alone).number(0, "dropped.linger_expired") == 6U; }));
        EXPECT_TRUE(balances(alone));
    }
}

TEST_P(draft_books_over, a_radio_counts_what_nobody_wants_and_what_has_no_room) {
    two_sides both(owner, patterns[4]);
    both.sender.set(ZMQ_SNDHWM, 5);
    both.receiver.set(ZMQ_RCVHWM, 5);
    both.connect(bind(both.receiver));
    const std::uint64_t unwanted = now(both.sender, "dropped.no_subscriber");
    EXPECT_EQ(message("?").of("other").send(both.sender), 0);
    EXPECT_EQ(now(both.sender, "dropped.no_subscriber"), unwanted + 1);
    const std::uint64_t before = now(both.sender, "sent.messages");
    const std::string body(20'000, 'x');
    std::uint64_t given = 0;
    for (; given < 20'000 && now(both.sender, "dropped.mark_reached") < 10; ++given)
        ASSERT_EQ(both.send(body), 0);
    EXPECT_GE(now(both.sender, "dropped.mark_reached"), 10U);
    EXPECT_EQ(now(both.sender, "sent.messages") - before + now(both.sender, "dropped.mark_reached"), given);
    EXPECT_TRUE(eventually([&] {
        while (both.receiver.ready(ZMQ_POLLIN, 0))
            EXPECT_EQ(both.receive(), body);
        return balances(owner);
    }));
}

// ---- over udp, which loses nothing on the way to oneself

TEST(draft_books_over_udp, of_radio_and_dish) {
    context owner;
    socket radio(owner, ZMQ_RADIO);
    socket dish(owner, ZMQ_DISH);
    ASSERT_EQ(dish.bind("udp://127.0.0.1:*"), 0);
    ASSERT_EQ(join(dish, group), 0);
    ASSERT_EQ(radio.connect(dish.last_endpoint()), 0);
    for (int count = 0; count < 5; ++count) {
        ASSERT_EQ(message("of others").of("other").send(radio), 0);
        ASSERT_EQ(message("heard").of(group).send(radio), 0);
    }
    ASSERT_EQ(message(std::string(65'507, 'x')).of(group).send(radio), 0); // with its group it is no datagram
    ASSERT_EQ(message("last").of(group).send(radio), 0);
    for (int count = 0; count < 5; ++count)
        EXPECT_EQ(receive_of_group(dish), "g/heard");
    EXPECT_EQ(receive_of_group(dish), "g/last");
    EXPECT_TRUE(eventually([&] { return balances(owner); }));
    EXPECT_EQ(now(radio, "sent.messages"), 12U);
    EXPECT_EQ(now(radio, "dropped.filtered"), 1U);
    EXPECT_EQ(now(dish, "received.messages"), 6U);
    EXPECT_EQ(now(dish, "dropped.filtered"), 5U);
    radio.close();
    dish.close();
    EXPECT_TRUE(balances(owner)) << "the sums stay";
}

TEST(draft_books_over_udp, of_dgram) {
    context owner;
    socket stays(owner, ZMQ_PAIR);
    socket one(owner, ZMQ_DGRAM);
    socket other(owner, ZMQ_DGRAM);
    for (socket *bound : {&one, &other})
        ASSERT_EQ(bound->bind("udp://127.0.0.1:*"), 0);
    const std::string there = other.last_endpoint().substr(6);
    for (int count = 0; count < 10; ++count)
        ASSERT_EQ(one.send(frames{there, std::string(static_cast<std::size_t>(count) * 900, 'x')}), 0);
    for (const char *address : {"", "nonsense", "127.0.0.1:0"})
        ASSERT_EQ(one.send(frames{address, "lost"}), 0);
    ASSERT_EQ(one.send(frames{there, std::string(65'508, 'x')}), 0); // there is no such datagram
    std::string here;
    for (int count = 0; count < 10; ++count)
        here = other.receive_frames().at(0);
    ASSERT_EQ(other.send(frames{here, "back"}), 0);
    EXPECT_EQ(one.receive_frames(), (frames{there, "back"}));
    EXPECT_TRUE(eventually([&] { return balances(owner); }));
    EXPECT_EQ(now(one, "sent.messages"), 14U);
    EXPECT_EQ(now(one, "dropped.filtered"), 4U);
    EXPECT_EQ(now(one, "received.messages"), 1U);
    EXPECT_EQ(now(other, "received.messages"), 10U);
    one.close();
    EXPECT_TRUE(eventually([&] { return counted(owner).number(0, "sockets") == 2U; }));
    EXPECT_TRUE(balances(owner)) << "the sums stay";
    EXPECT_EQ(counted(owner).number(0, "dropped.filtered"), 4U);
}

} // namespace
} // namespace zlink::conformance
