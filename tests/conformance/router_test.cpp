// SPDX-License-Identifier: MPL-2.0
// DEALER and ROUTER: RFC 28; ZMQ_ROUTER_MANDATORY, ZMQ_ROUTER_HANDOVER, ZMQ_PROBE_ROUTER,
// ZMQ_CONNECT_ROUTING_ID. The suites have the names under which users of libzmq look for these subjects.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

class router : public transport_test {
  protected:
    socket server{owner, ZMQ_ROUTER};
};
class test_spec_router : public router {};
class test_router_multiple_dealers : public router {};
class test_router_mandatory : public router {};
class test_router_mandatory_hwm : public router {};
class test_probe_router : public router {};
class test_router_handover : public router {};
class dealer : public transport_test {};

TEST_P(test_spec_router, messages_carry_the_id_of_their_sender) {
    const std::string endpoint = bind(server);
    socket client = connected(ZMQ_DEALER, endpoint, "alice");
    ASSERT_EQ(client.send("hello||world"), 0);
    EXPECT_EQ(server.receive(), "alice|hello||world");
    ASSERT_EQ(server.send("alice|re|hello"), 0);
    EXPECT_EQ(client.receive(), "re|hello");
}

TEST_P(test_spec_router, peers_without_an_id_get_one) {
    socket client = connected(ZMQ_DEALER, bind(server));
    ASSERT_EQ(client.send("hello"), 0);
    frames message = server.receive_frames();
    ASSERT_EQ(message.size(), 2U);
    EXPECT_EQ(message[0].size(), 5U);
    EXPECT_EQ(message[0][0], '\0');
    message[1] = "reply";
    ASSERT_EQ(server.send(message), 0);
    EXPECT_EQ(client.receive(), "reply");
}

TEST_P(test_router_multiple_dealers, each_is_served_in_order) {
    constexpr int clients_count = 8, rounds = 50;
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (int i = 0; i < clients_count; ++i)
        clients.push_back(connected(ZMQ_DEALER, endpoint, "client " + std::to_string(i)));
    for (int round = 0; round < rounds; ++round)
        for (socket &client : clients)
            ASSERT_EQ(client.send(std::to_string(round)), 0);
    for (int i = 0; i < clients_count * rounds; ++i)
        ASSERT_EQ(server.send(server.receive_frames()), 0);
    for (socket &client : clients)
        for (int round = 0; round < rounds; ++round)
            ASSERT_EQ(client.receive(), std::to_string(round));
}

TEST_P(test_spec_router, message_to_nobody_is_dropped) {
    const std::string endpoint = bind(server);
    socket client = connected(ZMQ_DEALER, endpoint, "here");
    ASSERT_EQ(client.send("hello"), 0);
    ASSERT_EQ(server.receive(), "here|hello");
    EXPECT_EQ(server.send("nowhere|lost|twice"), 0);
    EXPECT_EQ(server.send("here|kept"), 0);
    EXPECT_EQ(client.receive(), "kept");
}

TEST_P(test_router_mandatory, refuses_messages_to_nobody) {
    server.set(ZMQ_ROUTER_MANDATORY, 1);
    const std::string endpoint = bind(server);
    EXPECT_EQ(server.send("client|too early"), EHOSTUNREACH);
    socket client = connected(ZMQ_DEALER, endpoint, "client");
    ASSERT_EQ(client.send("hello"), 0);
    ASSERT_EQ(server.receive(), "client|hello");
    EXPECT_EQ(server.send("nobody|lost"), EHOSTUNREACH);
    EXPECT_EQ(server.send("client|kept"), 0);
    EXPECT_EQ(client.receive(), "kept");
    client.close();
    EXPECT_TRUE(eventually([&] { return server.send("client|gone", ZMQ_DONTWAIT) == EHOSTUNREACH; }));
}

TEST_P(test_router_mandatory_hwm, a_full_peer_does_not_hold_up_another) {
    server.set(ZMQ_ROUTER_MANDATORY, 1);
    server.set(ZMQ_SNDHWM, 2);
    server.set(ZMQ_SNDBUF, 8192);
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (const char *id : {"full", "other"}) {
        clients.emplace_back(owner, ZMQ_DEALER);
        clients.back().set(ZMQ_ROUTING_ID, id);
        clients.back().set(ZMQ_RCVHWM, 2);
        clients.back().set(ZMQ_RCVBUF, 8192);
        ASSERT_EQ(clients.back().connect(endpoint), 0);
        ASSERT_EQ(clients.back().send("hello"), 0);
        ASSERT_EQ(server.receive(), std::string(id) + "|hello");
    }
    const frames message{"full", std::string(50'000, 'x')};
    int code = 0;
    for (int sent = 0; sent < 10'000 && code == 0; ++sent)
        code = server.send(message, ZMQ_DONTWAIT);
    EXPECT_EQ(code, EAGAIN);
    EXPECT_EQ(server.send("other|hello", ZMQ_DONTWAIT), 0);
    EXPECT_EQ(clients.back().receive(), "hello");
    EXPECT_EQ(server.send("nobody|hello", ZMQ_DONTWAIT), EHOSTUNREACH);
}

TEST_P(test_router_mandatory_hwm, a_full_peer_is_waited_for) {
    server.set(ZMQ_ROUTER_MANDATORY, 1);
    server.set(ZMQ_SNDHWM, 2);
    server.set(ZMQ_SNDBUF, 8192);
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_DEALER);
    client.set(ZMQ_ROUTING_ID, "client");
    client.set(ZMQ_RCVHWM, 2);
    client.set(ZMQ_RCVBUF, 8192);
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send("hello"), 0);
    ASSERT_EQ(server.receive(), "client|hello");

    const frames message{"client", std::string(50'000, 'x')};
    server.set(ZMQ_SNDTIMEO, 100);
    int sent = 0;
    int code = 0;
    while (sent < 10'000 && (code = server.send(message)) == 0)
        ++sent;
    EXPECT_EQ(code, EAGAIN);
    EXPECT_GE(sent, 2);
    EXPECT_FALSE(server.ready(ZMQ_POLLOUT, 0)) << "no peer has room";
    std::thread reader([&] {
        for (int i = 0; i < sent + 1; ++i)
            EXPECT_EQ(client.receive_frames().front().size(), 50'000U);
    });
    server.set(ZMQ_SNDTIMEO, patience_ms);
    EXPECT_EQ(server.send(message), 0);
    reader.join();
}

TEST_P(test_probe_router, probe_tells_that_a_peer_is_there) {
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_DEALER);
    client.set(ZMQ_PROBE_ROUTER, 1);
    client.set(ZMQ_ROUTING_ID, "prober");
    ASSERT_EQ(client.connect(endpoint), 0);
    EXPECT_EQ(server.receive(), "prober|");
    ASSERT_EQ(server.send("prober|welcome"), 0);
    EXPECT_EQ(client.receive(), "welcome");
}

TEST_P(test_probe_router, probing_router_is_known_to_the_other) {
    server.set(ZMQ_ROUTING_ID, "server");
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_ROUTER);
    client.set(ZMQ_PROBE_ROUTER, 1);
    client.set(ZMQ_ROUTING_ID, "client");
    client.set(ZMQ_CONNECT_ROUTING_ID, "my server");
    ASSERT_EQ(client.connect(endpoint), 0);
    EXPECT_EQ(server.receive(), "client|");
    ASSERT_EQ(client.send("my server|hello"), 0) << "addressed by the name it was given";
    EXPECT_EQ(server.receive(), "client|hello");
    ASSERT_EQ(server.send("client|reply"), 0);
    EXPECT_EQ(client.receive(), "my server|reply");
}

TEST_P(test_probe_router, req_probes_and_then_asks) {
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_REQ);
    client.set(ZMQ_PROBE_ROUTER, 1);
    client.set(ZMQ_ROUTING_ID, "prober");
    ASSERT_EQ(client.connect(endpoint), 0);
    EXPECT_EQ(server.receive(), "prober|");
    ASSERT_EQ(client.send("question"), 0);
    EXPECT_EQ(server.receive(), "prober||question");
    ASSERT_EQ(server.send("prober||answer"), 0);
    EXPECT_EQ(client.receive(), "answer");
}

TEST_P(test_router_handover, the_newcomer_gets_the_id) {
    server.set(ZMQ_ROUTER_HANDOVER, 1);
    const std::string endpoint = bind(server);
    socket first = connected(ZMQ_DEALER, endpoint, "same");
    ASSERT_EQ(first.send("one"), 0);
    ASSERT_EQ(server.receive(), "same|one");
    socket second = connected(ZMQ_DEALER, endpoint, "same");
    ASSERT_EQ(second.send("two"), 0);
    ASSERT_EQ(server.receive(), "same|two");
    ASSERT_EQ(server.send("same|for the second"), 0);
    EXPECT_EQ(second.receive(), "for the second");
    EXPECT_TRUE(server.quiet()) << "the first does not come back for its id";
    EXPECT_TRUE(second.quiet());
    EXPECT_EQ(first.receive(ZMQ_DONTWAIT), std::string("error: ") + zmq_strerror(EAGAIN));
}

TEST_P(test_router_handover, without_it_the_first_keeps_its_id) {
    const std::string endpoint = bind(server);
    socket first = connected(ZMQ_DEALER, endpoint, "same");
    ASSERT_EQ(first.send("one"), 0);
    ASSERT_EQ(server.receive(), "same|one");
    socket second = connected(ZMQ_DEALER, endpoint, "same");
    ASSERT_EQ(second.send("ignored"), 0);
    EXPECT_TRUE(server.quiet());
    ASSERT_EQ(server.send("same|for the first"), 0);
    EXPECT_EQ(first.receive(), "for the first");
}

TEST_P(dealer, sends_in_turn_and_receives_from_all) {
    socket client(owner, ZMQ_DEALER);
    std::vector<socket> servers;
    for (int i = 0; i < 3; ++i) {
        servers.emplace_back(owner, ZMQ_DEALER);
        ASSERT_EQ(client.connect(bind(servers.back())), 0);
    }
    for (int i = 0; i < 9; ++i)
        ASSERT_EQ(client.send(std::to_string(i) + "|part"), 0);
    for (int i = 0; i < 9; ++i)
        ASSERT_EQ(servers[static_cast<std::size_t>(i % 3)].receive(), std::to_string(i) + "|part");
    std::vector<std::string> expected, seen;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        expected.push_back("from|" + std::to_string(i));
        ASSERT_EQ(servers[i].send(expected.back()), 0);
    }
    for (std::size_t i = 0; i < servers.size(); ++i)
        seen.push_back(client.receive());
    EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(expected));
}

TEST_P(dealer, without_a_peer_does_not_send) {
    socket lonely(owner, ZMQ_DEALER);
    bind(lonely);
    EXPECT_EQ(lonely.send("x", ZMQ_DONTWAIT), EAGAIN);
    lonely.set(ZMQ_SNDTIMEO, 1);
    EXPECT_EQ(lonely.send("x"), EAGAIN);
    EXPECT_FALSE(lonely.ready(ZMQ_POLLOUT, 0));
}

ZLINK_OVER_EVERY_TRANSPORT(test_spec_router);
ZLINK_OVER_EVERY_TRANSPORT(test_router_multiple_dealers);
ZLINK_OVER_EVERY_TRANSPORT(test_router_mandatory);
ZLINK_OVER_EVERY_TRANSPORT(test_router_mandatory_hwm);
ZLINK_OVER_EVERY_TRANSPORT(test_probe_router);
ZLINK_OVER_EVERY_TRANSPORT(test_router_handover);
ZLINK_OVER_EVERY_TRANSPORT(dealer);

} // namespace
} // namespace zlink::conformance
