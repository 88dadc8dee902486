// SPDX-License-Identifier: MPL-2.0
// REQ and REP: RFC 28.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

class req_rep : public transport_test {};

TEST_P(req_rep, request_and_reply_alternate) {
    socket service(owner, ZMQ_REP);
    socket client = connected(ZMQ_REQ, bind(service));
    EXPECT_EQ(service.send("early"), EFSM);
    EXPECT_EQ(client.receive(), std::string("error: ") + zmq_strerror(EFSM));
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(client.send("question|part"), 0);
        EXPECT_EQ(client.send("another"), EFSM);
        ASSERT_EQ(service.receive(), "question|part");
        EXPECT_EQ(service.receive(), std::string("error: ") + zmq_strerror(EFSM));
        ASSERT_EQ(service.send("answer||part"), 0);
        EXPECT_EQ(service.send("more"), EFSM);
        ASSERT_EQ(client.receive(), "answer||part");
    }
}

TEST_P(req_rep, requests_go_to_services_in_turn) {
    std::vector<socket> services;
    socket client(owner, ZMQ_REQ);
    for (int i = 0; i < 3; ++i) {
        services.emplace_back(owner, ZMQ_REP);
        ASSERT_EQ(client.connect(bind(services.back())), 0);
    }
    for (int round = 0; round < 6; ++round) {
        socket &service = services[static_cast<std::size_t>(round % 3)];
        const std::string body = std::to_string(round);
        ASSERT_EQ(client.send(body), 0);
        ASSERT_EQ(service.receive(), body);
        ASSERT_EQ(service.send("re " + body), 0);
        ASSERT_EQ(client.receive(), "re " + body);
    }
}

TEST_P(req_rep, every_client_gets_its_own_reply) {
    socket service(owner, ZMQ_REP);
    const std::string endpoint = bind(service);
    std::vector<socket> clients;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(connected(ZMQ_REQ, endpoint));
        ASSERT_EQ(clients.back().send("from " + std::to_string(i)), 0);
    }
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(service.send("re " + service.receive()), 0);
    for (std::size_t i = 0; i < clients.size(); ++i)
        EXPECT_EQ(clients[i].receive(), "re from " + std::to_string(i));
}

TEST_P(req_rep, reply_to_a_client_that_left_is_dropped) {
    socket service(owner, ZMQ_REP);
    const std::string endpoint = bind(service);
    socket leaver = connected(ZMQ_REQ, endpoint);
    ASSERT_EQ(leaver.send("goodbye"), 0);
    ASSERT_EQ(service.receive(), "goodbye");
    leaver.close();
    EXPECT_EQ(service.send("for nobody"), 0);
    socket stayer = connected(ZMQ_REQ, endpoint);
    ASSERT_EQ(stayer.send("hello"), 0);
    ASSERT_EQ(service.receive(), "hello");
    ASSERT_EQ(service.send("for you"), 0);
    EXPECT_EQ(stayer.receive(), "for you");
}

TEST_P(req_rep, envelope_comes_back_as_it_was) {
    socket service(owner, ZMQ_REP);
    socket client = connected(ZMQ_DEALER, bind(service));
    ASSERT_EQ(client.send("no envelope"), 0);
    ASSERT_EQ(client.send("hop 1|hop 2||body|more"), 0);
    ASSERT_EQ(service.receive(), "body|more");
    ASSERT_EQ(service.send("reply"), 0);
    EXPECT_EQ(client.receive(), "hop 1|hop 2||reply");
}

TEST_P(req_rep, relaxed_and_correlated_request_takes_its_own_reply_only) {
    socket service(owner, ZMQ_ROUTER);
    socket client(owner, ZMQ_REQ);
    client.set(ZMQ_REQ_RELAXED, 1);
    client.set(ZMQ_REQ_CORRELATE, 1);
    ASSERT_EQ(client.connect(bind(service)), 0);
    ASSERT_EQ(client.send("first"), 0);
    frames first = service.receive_frames();
    ASSERT_EQ(client.send("second"), 0);
    frames second = service.receive_frames();
    ASSERT_EQ(first.size(), 4U);
    ASSERT_EQ(second.size(), 4U);
    EXPECT_NE(first[1], second[1]) << "requests have numbers";
    first[3] = "late";
    second[3] = "in time";
    ASSERT_EQ(service.send(first), 0);
    ASSERT_EQ(service.send(second), 0);
    EXPECT_EQ(client.receive(), "in time");
}

ZLINK_OVER_EVERY_TRANSPORT(req_rep);

} // namespace
} // namespace zlink::conformance
