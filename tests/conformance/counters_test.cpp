// SPDX-License-Identifier: MPL-2.0
// The books of the counters balance: what was sent was received, waits, or was dropped for a reason.
#include "counters_rig.hpp"
#include "security_rig.hpp"
#include "zlink/options.h"
#include "zlink/peers.h"

namespace zlink::conformance {
namespace {

class counters_over : public transport_test {};
ZLINK_OVER_EVERY_TRANSPORT(counters_over);
// Over inproc whoever binds the name later receives what was sent, and there are no system calls.
class counters_over_network : public transport_test {};
ZLINK_OVER_CONNECTIONS(counters_over_network);

struct pattern_row {
    int sender, receiver;
    std::string sending, receiving; // as the counters name them
};
const pattern_row one_way[] = {{ZMQ_PUSH, ZMQ_PULL, "PUSH", "PULL"},
                               {ZMQ_PAIR, ZMQ_PAIR, "PAIR", "PAIR"},
                               {ZMQ_DEALER, ZMQ_ROUTER, "DEALER", "ROUTER"},
                               {ZMQ_PUB, ZMQ_SUB, "PUB", "SUB"},
                               {ZMQ_XPUB, ZMQ_XSUB, "XPUB", "XSUB"}};

// Small and large ones, of one frame and of several.
std::vector<frames> various_messages() {
    std::vector<frames> made;
    for (const std::size_t size : {0U, 1U, 33U, 200U, 300U, 8192U, 8193U, 100'000U}) {
        made.push_back({std::string(size, 'b')});
        made.push_back({std::string(size, 'b'), "", std::string(size, 'c')});
    }
    return made;
}

std::uint64_t dropped(const counted &found, int socket) {
    std::uint64_t sum = 0;
    for (int field = 0; const char *name = zlink_stats_name(found.get(), socket, field); ++field)
        if (std::string(name).starts_with("dropped."))
            sum += found.number(socket, name);
    return sum;
}

// Two contexts: each has one socket of a type, and they do not share queues in their sums.
struct two_sockets {
    context first, second;
    socket sender, receiver;
    two_sockets(const pattern_row &row, const std::string &endpoint)
        : sender(first, row.sender), receiver(owner_of_receiver(endpoint), row.receiver) {
        EXPECT_EQ(sender.bind(endpoint), 0);
        if (row.receiver == ZMQ_SUB)
            receiver.set(ZMQ_SUBSCRIBE, "");
        const std::string where = endpoint.starts_with("inproc") ? endpoint : sender.last_endpoint();
        EXPECT_EQ(receiver.connect(where), 0);
        if (row.receiver == ZMQ_XSUB) {
            EXPECT_EQ(receiver.send("\1"), 0);
        }
    }
    context &owner_of_receiver(const std::string &endpoint) {
        return endpoint.starts_with("inproc") ? first : second;
    }
};

bool subscribed(two_sockets &both, const pattern_row &row) {
    if (row.receiver != ZMQ_SUB && row.receiver != ZMQ_XSUB)
        return true;
    return eventually([&] {
        (void)both.sender.get(ZMQ_EVENTS);
        return now(both.first, row.sending, "subscriptions") == 1;
    });
}

TEST(counters, io_threads_have_their_time) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    // It says who it is when it begins to run.
    EXPECT_TRUE(eventually([&] {
        const counted all(owner);
        std::uint64_t busy = 0;
        for (int at = 0; at < zlink_stats_count(all.get()); ++at)
            if (zlink_stats_kind(all.get(), at) == ZLINK_STATS_IO_THREAD)
                (void)zlink_stats_value(all.get(), at, "busy", &busy);
        return busy != 0;
    }));
}

TEST_P(counters_over, books_of_one_way_balance) {
    const std::vector<frames> messages = various_messages();
    for (const pattern_row &row : one_way) {
        SCOPED_TRACE(row.sending);
        two_sockets both(row, unused_endpoint(GetParam()));
        ASSERT_TRUE(subscribed(both, row));
        for (const frames &message : messages)
            ASSERT_EQ(both.sender.send(message), 0);
        const std::size_t half = messages.size() / 2;
        for (std::size_t i = 0; i < half; ++i)
            (void)both.receiver.receive_frames();
        EXPECT_EQ(now(both.sender, "sent.messages"), messages.size());
        EXPECT_EQ(now(both.receiver, "received.messages"), half);
        for (std::size_t i = half; i < messages.size(); ++i)
            (void)both.receiver.receive_frames();
        EXPECT_EQ(now(both.receiver, "received.messages"), messages.size());
        EXPECT_TRUE(eventually([&] { return now(both.sender, "queued.out") == 0; }));
        const counted found(zlink_stats_of_socket(both.receiver.handle()));
        EXPECT_EQ(found.number(0, "queued.in"), 0U);
        EXPECT_EQ(found.number(0, "received.bytes"), now(both.sender, "sent.bytes"));
        EXPECT_EQ(dropped(found, 0), 0U);
    }
}

TEST_P(counters_over, requests_and_replies_count_on_both_sides) {
    socket rep(owner, ZMQ_REP);
    socket req(owner, ZMQ_REQ);
    ASSERT_EQ(rep.bind(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(req.connect(rep.last_endpoint()), 0);
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ(req.send("question"), 0);
        ASSERT_EQ(rep.receive(), "question");
        ASSERT_EQ(rep.send("answer"), 0);
        ASSERT_EQ(req.receive(), "answer");
    }
    const counted found(owner);
    for (const char *type : {"REQ", "REP"}) {
        EXPECT_EQ(found.number(type, "sent.messages"), 50U) << type;
        EXPECT_EQ(found.number(type, "received.messages"), 50U) << type;
        EXPECT_EQ(found.number(type, "peers"), 1U);
    }
    EXPECT_EQ(found.number("REQ", "sent.bytes"), found.number("REP", "received.bytes"));
}

TEST_P(counters_over, what_waits_is_queued_on_one_side_or_the_other) {
    socket push(owner, ZMQ_PUSH);
    socket pull(owner, ZMQ_PULL);
    push.set(ZMQ_SNDHWM, 10);
    pull.set(ZMQ_RCVHWM, 10);
    ASSERT_EQ(pull.bind(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
    std::uint64_t sent = 0;
    const std::string body(5'000, 'w');
    EXPECT_TRUE(eventually([&] {
        for (; push.send(body, ZMQ_DONTWAIT) == 0; ++sent) {
        }
        return sent >= 20 && !push.ready(ZMQ_POLLOUT, quiet_ms);
    }));
    const counted found(owner);
    EXPECT_EQ(found.number("PUSH", "sent.messages"), sent);
    EXPECT_GE(found.number("PUSH", "send_blocked"), 1U);
    const int peer = found.peers_of(found.socket("PUSH")).at(0);
    EXPECT_EQ(found.number(peer, "mark.out"), GetParam() == std::string_view("inproc") ? 20U : 10U);
    EXPECT_GE(found.number(peer, "highest.out"), 10U);
    EXPECT_EQ(found.number(peer, "queued.out"), found.number("PUSH", "queued.out"));
    for (std::uint64_t i = 0; i < sent; ++i)
        ASSERT_EQ(pull.receive(), body);
    EXPECT_EQ(now(owner, "PULL", "received.messages"), sent);
    EXPECT_TRUE(eventually([&] { return now(owner, "PUSH", "queued.out") == 0; }));
}

TEST_P(counters_over, a_publisher_counts_what_nobody_wants_and_what_has_no_room) {
    socket pub(owner, ZMQ_PUB);
    socket sub(owner, ZMQ_SUB);
    pub.set(ZMQ_SNDHWM, 5);
    sub.set(ZMQ_RCVHWM, 5);
    ASSERT_EQ(pub.bind(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(pub.send("a"), 0);
    sub.set(ZMQ_SUBSCRIBE, "a");
    ASSERT_EQ(sub.connect(pub.last_endpoint()), 0);
    ASSERT_TRUE(eventually([&] {
        (void)pub.get(ZMQ_EVENTS);
        return now(owner, "PUB", "subscriptions") == 1;
    }));
    ASSERT_EQ(pub.send("b"), 0);
    EXPECT_EQ(now(owner, "PUB", "dropped.no_subscriber"), 2U);
    const std::string body = "a" + std::string(20'000, 'x');
    std::uint64_t published = 0;
    for (; published < 20'000 && now(owner, "PUB", "dropped.mark_reached") < 10; ++published)
        ASSERT_EQ(pub.send(body), 0);
    EXPECT_GE(now(owner, "PUB", "dropped.mark_reached"), 10U);
    ASSERT_TRUE(eventually([&] {
        while (sub.ready(ZMQ_POLLIN, 0))
            EXPECT_EQ(sub.receive(), body);
        return now(owner, "PUB", "sent.messages") == now(owner, "SUB", "received.messages");
    }));
    const counted found(owner);
    EXPECT_EQ(found.number("PUB", "sent.messages") + found.number("PUB", "dropped.mark_reached"), published);
    EXPECT_EQ(dropped(found, found.socket("PUB")), 2 + found.number("PUB", "dropped.mark_reached"));
    EXPECT_EQ(dropped(found, found.socket("SUB")), 0U);
}

TEST_P(counters_over, a_router_counts_messages_for_nobody) {
    socket router(owner, ZMQ_ROUTER);
    ASSERT_EQ(router.bind(unused_endpoint(GetParam())), 0);
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(router.send("nobody|text"), 0);
    const counted found(owner);
    EXPECT_EQ(found.number("ROUTER", "dropped.unroutable"), 3U);
    EXPECT_EQ(found.number("ROUTER", "sent.messages"), 0U);
}

TEST_P(counters_over, the_oldest_that_gave_way_were_replaced) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 4);
    push.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_DROP_OLDEST);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ(push.send(std::to_string(i)), 0);
    EXPECT_EQ(now(owner, "PUSH", "dropped.replaced"), 6U);
    EXPECT_EQ(now(owner, "PUSH", "queued.out"), 4U);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    for (int i = 6; i < 10; ++i)
        ASSERT_EQ(pull.receive(), std::to_string(i));
    EXPECT_TRUE(eventually([&] { return now(owner, "PUSH", "queued.out") == 0; }));
    const counted found(owner);
    EXPECT_EQ(found.number("PULL", "received.messages"), 4U);
    EXPECT_EQ(found.number("PUSH", "sent.messages"), 10U);
    EXPECT_EQ(found.number("PUSH", "dropped.replaced"), 6U);
}

TEST_P(counters_over, a_value_that_a_later_one_replaced_counts) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_CONFLATE, 1);
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(push.connect(endpoint), 0);
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ(push.send(std::to_string(i)), 0);
    EXPECT_EQ(now(owner, "PUSH", "dropped.conflated"), 9U);
    EXPECT_EQ(now(owner, "PUSH", "dropped.replaced"), 0U);
    EXPECT_EQ(now(owner, "PUSH", "queued.out"), 1U);
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(endpoint), 0);
    ASSERT_EQ(pull.receive(), "9");
    EXPECT_TRUE(eventually([&] { return now(owner, "PUSH", "queued.out") == 0; }));
    EXPECT_EQ(now(owner, "PULL", "received.messages"), 1U);
    EXPECT_EQ(now(owner, "PUSH", "sent.messages"), 10U);
}

TEST(counters_of_waits, of_a_socket_for_many_threads_count_too) {
    context owner;
    socket client(owner, ZMQ_CLIENT);
    EXPECT_EQ(client.send("to nobody", ZMQ_DONTWAIT), EAGAIN);
    client.set(ZMQ_SNDTIMEO, 20);
    EXPECT_EQ(client.send("to nobody"), EAGAIN);
    client.set(ZMQ_RCVTIMEO, 20);
    (void)client.receive();
    const counted found(owner);
    EXPECT_EQ(found.number("CLIENT", "send_blocked"), 2U);
    EXPECT_GE(found.number("CLIENT", "send_blocked.time"), 15'000'000U);
    EXPECT_GE(found.number("CLIENT", "receive_empty"), 1U);
}

TEST_P(counters_over, sums_stay_when_peers_and_sockets_go) {
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind(unused_endpoint(GetParam())), 0);
    for (int round = 0; round < 3; ++round) {
        socket push(owner, ZMQ_PUSH);
        ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
        for (int i = 0; i < 7; ++i)
            ASSERT_EQ(push.send("m"), 0);
        for (int i = 0; i < 7; ++i)
            ASSERT_EQ(pull.receive(), "m");
    }
    EXPECT_TRUE(eventually([&] {
        (void)pull.get(ZMQ_EVENTS);
        return now(owner, "PULL", "peers") == 0 && counted(owner).socket("PUSH") < 0;
    }));
    const counted found(owner);
    EXPECT_EQ(found.number("PULL", "received.messages"), 21U);
    EXPECT_EQ(found.number(0, "sent.messages"), 21U); // the context's
    EXPECT_EQ(found.number(0, "received.messages"), 21U);
    EXPECT_EQ(found.number(0, "sockets"), 1U);
    EXPECT_EQ(dropped(found, 0), 0U);
}

TEST_P(counters_over_network, what_a_closed_socket_did_not_send_was_dropped) {
    socket stays(owner, ZMQ_PAIR);
    socket push(owner, ZMQ_PUSH); // closed without linger time, and nobody was bound
    ASSERT_EQ(push.connect(unused_endpoint(GetParam())), 0);
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(push.send("m"), 0);
    push.close();
    EXPECT_TRUE(eventually([&] { return counted(owner).number(0, "dropped.linger_expired") == 5; }));
    EXPECT_EQ(counted(owner).number(0, "sent.messages"), 5U);
}

TEST_P(counters_over_network, calls_of_the_system_count) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    ASSERT_EQ(pull.bind(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
    constexpr int messages = 20;
    for (int i = 0; i < messages; ++i) { // one at a time
        ASSERT_EQ(push.send("message"), 0);
        ASSERT_EQ(pull.receive(), "message");
    }
    const counted found(owner);
    const std::vector<int> senders = found.peers_of(found.socket("PUSH"));
    const std::vector<int> receivers = found.peers_of(found.socket("PULL"));
    ASSERT_EQ(senders.size(), 1U);
    ASSERT_EQ(receivers.size(), 1U);
    EXPECT_GE(found.number(senders[0], "calls.out"), 15U); // the last is counted when it returns
    EXPECT_LE(found.number(senders[0], "calls.out"), 100U);
    EXPECT_GE(found.number(receivers[0], "calls.in"), 15U); // the handshake reads some
    EXPECT_LT(found.number(receivers[0], "calls.out"), 20U);
}

TEST(counters_of_handshakes, say_what_failed) {
    context owner;
    socket server(owner, ZMQ_PULL);
    serve_with(server, mechanism::curve, "");
    ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
    socket wrong_key(owner, ZMQ_PUSH);
    call_with(wrong_key, mechanism::curve);
    wrong_key.set(ZMQ_CURVE_SERVERKEY, client_key_texts().public_key);
    socket plain(owner, ZMQ_PUSH);
    call_with(plain, mechanism::plain);
    for (socket *client : {&wrong_key, &plain})
        ASSERT_EQ(client->connect(server.last_endpoint()), 0);
    EXPECT_TRUE(eventually([&] {
        return now(owner, "PULL", "handshakes.failed.curve") > 0 &&
               now(owner, "PULL", "handshakes.failed.mechanism") > 0;
    }));
    EXPECT_EQ(now(owner, "PULL", "handshakes.failed.tls"), 0U);
    EXPECT_EQ(now(owner, "PULL", "handshakes.failed.zap"), 0U);
    EXPECT_EQ(now(owner, "PULL", "handshakes"), 0U);
}

TEST(counters_of_handshakes, refused_by_the_authenticator) {
    context owner;
    authenticator refuses(owner, "400");
    socket server(owner, ZMQ_PULL);
    serve_with(server, mechanism::plain);
    ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
    socket client(owner, ZMQ_PUSH);
    call_with(client, mechanism::plain);
    ASSERT_EQ(client.connect(server.last_endpoint()), 0);
    EXPECT_TRUE(eventually([&] { return now(owner, "PULL", "handshakes.failed.zap") > 0; }));
}

TEST(counters_of_handshakes, a_client_without_tls) {
    context owner;
    socket server(owner, ZMQ_PULL);
    ASSERT_EQ(server.bind("tls://127.0.0.1:*"), 0);
    std::string plain = server.last_endpoint();
    plain.replace(0, 3, "tcp");
    socket client(owner, ZMQ_PUSH);
    ASSERT_EQ(client.connect(plain), 0);
    EXPECT_TRUE(eventually([&] { return now(owner, "PULL", "handshakes.failed.tls") > 0; }));
}

class stats_of_a_socket : public testing::Test {
  protected:
    stats_of_a_socket() : pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH), other(owner, ZMQ_PUB) {
        EXPECT_EQ(pull.bind("inproc://stats"), 0);
        EXPECT_EQ(push.connect("inproc://stats"), 0);
        EXPECT_EQ(push.send("message"), 0);
    }
    context owner;
    socket pull, push, other;
};

TEST_F(stats_of_a_socket, have_no_other_sockets) {
    const counted found(zlink_stats_of_socket(push.handle()));
    EXPECT_EQ(found.number("PUSH", "sent.messages"), 1U);
    EXPECT_EQ(found.peers_of(found.socket("PUSH")).size(), 1U);
    EXPECT_EQ(found.socket("PULL"), -1);
    EXPECT_EQ(found.socket("PUB"), -1);
    EXPECT_EQ(zlink_stats_count(found.get()), 2);
}

TEST_F(stats_of_a_socket, of_something_else) {
    EXPECT_EQ(zlink_stats_of_socket(nullptr), nullptr);
    EXPECT_EQ(zmq_errno(), ENOTSOCK);
    EXPECT_EQ(zlink_stats_of_socket(owner.handle()), nullptr);
    EXPECT_EQ(zmq_errno(), ENOTSOCK);
}

TEST_F(stats_of_a_socket, are_a_text_as_an_option) {
    std::string text(65536, '?');
    std::size_t size = text.size();
    ASSERT_EQ(zmq_getsockopt(push.handle(), ZLINK_STATS, text.data(), &size), 0);
    ASSERT_EQ(text[size - 1], '\0');
    text.resize(size - 1);
    EXPECT_THAT(text, testing::HasSubstr("\"type\":\"PUSH\""));
    EXPECT_THAT(text, testing::HasSubstr("\"sent.messages\":1"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("PULL")));
    EXPECT_THAT(text, testing::HasSubstr("\"peer_list\":[{"));

    size = 10;
    std::string little(size, '?');
    EXPECT_EQ(zmq_getsockopt(push.handle(), ZLINK_STATS, little.data(), &size), -1);
    EXPECT_EQ(zmq_errno(), EINVAL);
    EXPECT_EQ(little, std::string(10, '?'));
    EXPECT_EQ(zmq_setsockopt(push.handle(), ZLINK_STATS, "", 0), -1);
    EXPECT_EQ(zmq_errno(), EINVAL);
}

TEST_F(stats_of_a_socket, have_the_peers_as_a_text_of_their_own) {
    std::string text(65536, '?');
    std::size_t size = text.size();
    ASSERT_EQ(zmq_getsockopt(push.handle(), ZLINK_PEERS, text.data(), &size), 0);
    text.resize(size - 1);
    EXPECT_THAT(text, testing::StartsWith("[{\""));
    EXPECT_THAT(text, testing::EndsWith("}]"));
    EXPECT_THAT(text, testing::HasSubstr("\"state\":\"connected\""));
    for (const char *name : {"id", "identity", "address", "mechanism", "age"})
        EXPECT_THAT(text, testing::HasSubstr("\"" + std::string(name) + "\":"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("peer_list")));
    size = text.size();
    socket lonely(owner, ZMQ_PUSH);
    ASSERT_EQ(zmq_getsockopt(lonely.handle(), ZLINK_PEERS, text.data(), &size), 0);
    EXPECT_STREQ(text.c_str(), "[]");
}

TEST_F(stats_of_a_socket, are_joined) {
    const counted all(zlink_stats_of_socket(push.handle()));
    const std::string before = zlink_stats_prometheus(all.get());
    ASSERT_EQ(zlink_stats_join(all.get(), zlink_stats_of_socket(pull.handle())), 0);
    EXPECT_EQ(zlink_stats_count(all.get()), 4);
    EXPECT_EQ(zlink_stats_parent(all.get(), 1), 0);
    EXPECT_EQ(zlink_stats_parent(all.get(), 2), -1); // the second socket
    EXPECT_EQ(zlink_stats_parent(all.get(), 3), 2);
    EXPECT_EQ(all.number("PUSH", "sent.messages"), 1U);
    EXPECT_THAT(before, testing::Not(testing::HasSubstr("type=\"PULL\"")));
    EXPECT_THAT(zlink_stats_prometheus(all.get()), testing::HasSubstr("type=\"PULL\""));
    EXPECT_EQ(zlink_stats_join(all.get(), all.get()), -1);
    EXPECT_EQ(zlink_stats_join(all.get(), nullptr), -1);
    EXPECT_EQ(zlink_stats_join(nullptr, all.get()), -1);
    EXPECT_EQ(zmq_errno(), EINVAL);
}

} // namespace
} // namespace zlink::conformance
