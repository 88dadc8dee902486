// SPDX-License-Identifier: MPL-2.0
// NULL with ZAP, PLAIN and CURVE: who is let in, what the application learns of it, and that traffic is as it
// is without them.
#include "security_rig.hpp"

namespace zlink::conformance {
namespace {

class security : public transport_test {
  protected:
    socket server_of(int type, mechanism chosen, std::string_view domain = "domain") {
        socket server(owner, type);
        serve_with(server, chosen, domain);
        return server;
    }
    socket client_of(int type, mechanism chosen, const std::string &endpoint) {
        socket client(owner, type);
        call_with(client, chosen);
        EXPECT_EQ(client.connect(endpoint), 0);
        return client;
    }
};

class each_mechanism : public ::testing::TestWithParam<std::tuple<mechanism, const char *>> {
  protected:
    mechanism chosen() const { return std::get<0>(GetParam()); }
    std::string bind(socket &server) {
        const std::string transport = std::get<1>(GetParam());
        EXPECT_EQ(server.bind(transport == "tcp" ? "tcp://127.0.0.1:*" : unused_endpoint(transport)), 0);
        return server.last_endpoint();
    }
    // Comes again soon when it is refused; its one message waits until it is let in.
    void send_patiently(socket &client, const std::string &endpoint) {
        call_with(client, chosen());
        client.set(ZMQ_RECONNECT_IVL, 1);
        ASSERT_EQ(client.connect(endpoint), 0);
        ASSERT_EQ(client.send("patient"), 0);
    }
    context owner;
};

std::string mechanism_name(const ::testing::TestParamInfo<std::tuple<mechanism, const char *>> &info) {
    constexpr std::array<const char *, 3> names{"null", "plain", "curve"};
    return std::string(names[static_cast<std::size_t>(std::get<0>(info.param))]) + "_" +
           std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(over, each_mechanism,
                         ::testing::Combine(::testing::Values(mechanism::null, mechanism::plain,
                                                              mechanism::curve),
                                            ::testing::Values("tcp", "ipc", "tls", "ws", "wss")),
                         mechanism_name);

std::string property_of(zmq_msg_t &message, const char *name) {
    const char *value = zmq_msg_gets(&message, name);
    return value != nullptr ? value : "(none)";
}

TEST_P(each_mechanism, who_is_accepted_is_known_by_what_the_authenticator_says) {
    using namespace std::string_literals;
    authenticator handler(owner, [](const frames &) {
        return reply_of("200", "joe",
                        "\x04role\0\0\0\x05"
                        "admin\x07User-Id\0\0\0\x05other"s);
    });
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    server.set(ZMQ_ROUTING_ID, "the server");
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_PUSH);
    call_with(client, chosen());
    client.set(ZMQ_METADATA, "X-own:mine");
    client.set(ZMQ_METADATA, "X-User-Id:nobody");
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send("hello"), 0);
    zmq_msg_t message;
    zmq_msg_init(&message);
    ASSERT_EQ(zmq_msg_recv(&message, server.handle(), 0), 5);
    EXPECT_EQ(property_of(message, "User-Id"), "joe");
    EXPECT_EQ(property_of(message, "role"), "admin");
    EXPECT_EQ(property_of(message, "X-own"), "mine");
    EXPECT_EQ(property_of(message, "Socket-Type"), "PUSH");
    zmq_msg_close(&message);
    const auto requests = handler.requests();
    ASSERT_EQ(requests.size(), 1U);
    frames expected{"1.0", "1", "domain", requests[0].at(3), "the server"};
    const bool tcp = std::string(std::get<1>(GetParam())) != "ipc";
    EXPECT_THAT(requests[0].at(3), ::testing::StartsWith(tcp ? "127.0.0.1" : "localhost:"));
    if (chosen() == mechanism::null)
        expected.push_back("NULL");
    if (chosen() == mechanism::plain)
        expected.insert(expected.end(), {"PLAIN", "admin", "secret"});
    if (chosen() == mechanism::curve) {
        std::string key(32, '\0');
        zmq_z85_decode(reinterpret_cast<std::uint8_t *>(key.data()), client_key_texts().public_key);
        expected.insert(expected.end(), {"CURVE", key});
    }
    EXPECT_EQ(requests[0], expected);
}

TEST_P(each_mechanism, who_is_refused_is_not_heard_and_others_are) {
    for (const auto &[status, of_server, of_client] :
         {std::tuple("400", "auth 400", "auth 400"), std::tuple("500", "auth 500", "auth 500"),
          std::tuple("300", "auth 300", "other 32"), std::tuple("201", "protocol 20000004", "other 32")}) {
        context here;
        std::atomic<bool> refuses = true;
        authenticator handler(here, [&, status = status](const frames &) {
            return reply_of(refuses.exchange(false) ? status : "200");
        });
        socket server(here, ZMQ_PULL);
        serve_with(server, chosen());
        handshake_monitor at_server(here, server);
        const std::string endpoint = bind(server);
        socket stranger(here, ZMQ_PUSH);
        call_with(stranger, chosen());
        stranger.set(ZMQ_RECONNECT_IVL, patience_ms);
        handshake_monitor at_client(here, stranger);
        ASSERT_EQ(stranger.connect(endpoint), 0);
        const int sent = stranger.send("of the stranger", ZMQ_DONTWAIT);
        ASSERT_TRUE(sent == 0 || sent == EAGAIN); // it may be refused for good already
        EXPECT_EQ(at_server.next(), of_server);
        EXPECT_EQ(at_client.next(), of_client);
        socket friendly(here, ZMQ_PUSH);
        call_with(friendly, chosen());
        ASSERT_EQ(friendly.connect(endpoint), 0);
        ASSERT_EQ(friendly.send("of a friend"), 0);
        EXPECT_EQ(server.receive(), "of a friend");
        EXPECT_TRUE(server.quiet());
    }
}

// Status 300 asks the client to come again; its messages wait for it.
TEST_P(each_mechanism, who_is_refused_for_now_is_accepted_later) {
    std::atomic<int> asked = 0;
    authenticator handler(owner, [&](const frames &) { return reply_of(++asked < 4 ? "300" : "200"); });
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_PUSH);
    send_patiently(client, endpoint);
    EXPECT_EQ(server.receive(), "patient");
    EXPECT_EQ(asked, 4);
}

// Status 400 is final, as with libzmq, until the program connects again.
TEST_P(each_mechanism, who_is_refused_for_good_comes_again_with_the_next_connect) {
    std::atomic<int> asked = 0;
    authenticator handler(owner, [&](const frames &) { return reply_of(++asked < 2 ? "400" : "200"); });
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_PUSH);
    handshake_monitor at_client(owner, client);
    call_with(client, chosen());
    ASSERT_EQ(client.connect(endpoint), 0);
    (void)client.send("too early", ZMQ_DONTWAIT); // the refusal may come first, and takes the only pipe
    EXPECT_EQ(at_client.next(), "auth 400");
    EXPECT_TRUE(server.quiet());
    ASSERT_EQ(client.disconnect(endpoint), 0);
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send("again"), 0);
    EXPECT_EQ(server.receive(), "again");
    EXPECT_EQ(asked, 2);
}

TEST_P(each_mechanism, an_authenticator_that_says_nothing_holds_nobody_for_ever) {
    auto handler = std::make_unique<authenticator>(owner, [](const frames &) { return frames(); });
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    server.set(ZMQ_HANDSHAKE_IVL, 50);
    handshake_monitor at_server(owner, server);
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_PUSH);
    send_patiently(client, endpoint);
    EXPECT_EQ(at_server.next(), "other 11");
    socket other(owner, ZMQ_PUSH);
    socket unguarded(owner, ZMQ_PULL);
    const std::string open = bind(unguarded);
    ASSERT_EQ(other.connect(open), 0);
    ASSERT_EQ(other.send("nobody is asked about me"), 0);
    EXPECT_EQ(unguarded.receive(), "nobody is asked about me");
    handler.reset(); // and one that answers takes its place
    authenticator better(owner, "200");
    EXPECT_EQ(server.receive(), "patient");
}

TEST_P(each_mechanism, a_context_ends_while_an_answer_is_awaited) {
    for (int turn = 0; turn < 20; ++turn) {
        context here;
        socket handler(here, ZMQ_REP);
        ASSERT_EQ(handler.bind(zap_endpoint), 0);
        socket server(here, ZMQ_PULL);
        serve_with(server, chosen());
        const std::string endpoint = bind(server);
        socket client(here, ZMQ_PUSH);
        call_with(client, chosen());
        ASSERT_EQ(client.connect(endpoint), 0);
        if (turn % 2 == 0) {
            EXPECT_TRUE(handler.ready(ZMQ_POLLIN));
        }
        if (turn % 3 == 0)
            handler.close();
    }
}

// Without an authenticator: PLAIN has nobody to check passwords, the others let everybody in unless told to
// insist.
TEST_P(each_mechanism, where_nobody_can_be_asked) {
    for (const bool insists : {false, true}) {
        context here;
        socket server(here, ZMQ_PULL);
        serve_with(server, chosen());
        server.set(ZMQ_ZAP_ENFORCE_DOMAIN, insists ? 1 : 0);
        handshake_monitor at_server(here, server);
        const std::string endpoint = bind(server);
        socket client(here, ZMQ_PUSH);
        call_with(client, chosen());
        client.set(ZMQ_RECONNECT_IVL, patience_ms);
        ASSERT_EQ(client.connect(endpoint), 0);
        const bool refused = insists || chosen() == mechanism::plain;
        EXPECT_EQ(at_server.next(), refused ? "other 14" : "succeeded");
    }
}

TEST_P(each_mechanism, a_socket_that_is_no_authenticator_is_not_asked) {
    socket impostor(owner, ZMQ_PULL);
    ASSERT_EQ(impostor.bind(zap_endpoint), 0);
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    server.set(ZMQ_ZAP_ENFORCE_DOMAIN, 1);
    handshake_monitor at_server(owner, server);
    const std::string endpoint = bind(server);
    socket client(owner, ZMQ_PUSH);
    call_with(client, chosen());
    client.set(ZMQ_RECONNECT_IVL, patience_ms);
    ASSERT_EQ(client.connect(endpoint), 0);
    EXPECT_EQ(at_server.next(), "other 14");
    EXPECT_TRUE(impostor.quiet());
}

// A ROUTER sees who asks, and may answer in any order.
TEST_P(each_mechanism, a_router_may_answer_in_another_order) {
    socket handler(owner, ZMQ_ROUTER);
    ASSERT_EQ(handler.bind(zap_endpoint), 0);
    socket server(owner, ZMQ_PULL);
    serve_with(server, chosen());
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (int count = 0; count < 5; ++count) {
        clients.emplace_back(owner, ZMQ_PUSH);
        call_with(clients.back(), chosen());
        ASSERT_EQ(clients.back().connect(endpoint), 0);
        ASSERT_EQ(clients.back().send("x"), 0);
    }
    std::vector<frames> requests;
    for (int count = 0; count < 5; ++count)
        requests.push_back(handler.receive_frames());
    for (; !requests.empty(); requests.pop_back()) {
        const frames &request = requests.back();
        ASSERT_EQ(handler.send(frames{request.at(0), "", "1.0", request.at(3), "200", "", "", ""}), 0);
        EXPECT_EQ(server.receive(), "x");
    }
}

// Whoever is on another host is meant by security; a name within the process is not.
TEST(security_inproc, is_not_asked_for) {
    for (const mechanism chosen : {mechanism::null, mechanism::plain, mechanism::curve}) {
        context owner;
        authenticator handler(owner, "400");
        socket server(owner, ZMQ_PULL);
        serve_with(server, chosen);
        const std::string endpoint = unused_endpoint("inproc");
        ASSERT_EQ(server.bind(endpoint), 0);
        socket client(owner, ZMQ_PUSH);
        ASSERT_EQ(client.connect(endpoint), 0);
        ASSERT_EQ(client.send("within"), 0);
        EXPECT_EQ(server.receive(), "within");
        EXPECT_TRUE(handler.requests().empty());
    }
}

TEST_P(security, different_mechanisms_never_meet) {
    for (const auto &[of_server, of_client] :
         {std::pair(mechanism::curve, mechanism::null), std::pair(mechanism::curve, mechanism::plain),
          std::pair(mechanism::plain, mechanism::null), std::pair(mechanism::null, mechanism::curve)}) {
        socket server = server_of(ZMQ_PULL, of_server, "");
        handshake_monitor at_server(owner, server);
        const std::string endpoint = bind(server);
        socket client = client_of(ZMQ_PUSH, of_client, endpoint);
        EXPECT_EQ(at_server.next(), "protocol 11000002");
        EXPECT_TRUE(server.quiet());
    }
}

ZLINK_OVER_CONNECTIONS(security);

} // namespace
} // namespace zlink::conformance
