// SPDX-License-Identifier: MPL-2.0
// Traffic under CURVE is as traffic without it: sizes, parts, topics, marks, heartbeats, reconnection.
#include "security_rig.hpp"

namespace zlink::conformance {
namespace {

class curve_traffic : public transport_test {
  protected:
    socket server_of(int type) {
        socket server(owner, type);
        serve_with(server, mechanism::curve, "");
        return server;
    }
    socket client_of(int type) {
        socket client(owner, type);
        call_with(client, mechanism::curve);
        return client;
    }
};
ZLINK_OVER_CONNECTIONS(curve_traffic);

std::string body_of(std::size_t size) {
    std::string body(size, '\0');
    for (std::size_t index = 0; index < size; ++index)
        body[index] = static_cast<char>(index * 31 + index / 251 + size);
    return body;
}

TEST_P(curve_traffic, bodies_of_every_size_arrive_both_ways) {
    socket server = server_of(ZMQ_PAIR);
    const std::string endpoint = bind(server);
    socket client = client_of(ZMQ_PAIR);
    ASSERT_EQ(client.connect(endpoint), 0);
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < 400; ++size)
        sizes.push_back(size);
    for (const std::size_t around : {4096U, 8192U, 16384U, 65536U, 1048576U})
        for (std::size_t size = around - 45; size < around + 10; size += 5)
            sizes.push_back(size);
    for (const std::size_t size : sizes) {
        ASSERT_EQ(client.send(frames{body_of(size)}), 0);
        ASSERT_EQ(server.receive_frames(), frames{body_of(size)}) << size;
        ASSERT_EQ(server.send(frames{body_of(size), body_of(size / 2), ""}), 0);
        ASSERT_EQ(client.receive_frames(), (frames{body_of(size), body_of(size / 2), ""})) << size;
    }
}

TEST_P(curve_traffic, many_at_once_arrive_in_order) {
    constexpr int messages = 20'000;
    socket server = server_of(ZMQ_PULL);
    const std::string endpoint = bind(server);
    socket client = client_of(ZMQ_PUSH);
    ASSERT_EQ(client.connect(endpoint), 0);
    std::thread sender([&] {
        for (int number = 0; number < messages; ++number)
            ASSERT_EQ(
                client.send(frames{
                    std::to_string(number),
                    std::string(static_cast<std::size_t>(number % 97 == 0 ? 20'000 : number % 300), 'b')}),
                0);
    });
    for (int number = 0; number < messages; ++number) {
        const frames got = server.receive_frames();
        ASSERT_EQ(got.at(0), std::to_string(number));
    }
    sender.join();
}

TEST_P(curve_traffic, a_slow_reader_holds_the_sender_and_loses_nothing) {
    socket server = server_of(ZMQ_PULL);
    server.set(ZMQ_RCVHWM, 10);
    server.set(ZMQ_RCVBUF, 4096);
    const std::string endpoint = bind(server);
    socket client = client_of(ZMQ_PUSH);
    client.set(ZMQ_SNDHWM, 10);
    client.set(ZMQ_SNDBUF, 4096);
    client.set(ZMQ_SNDTIMEO, 100);
    ASSERT_EQ(client.connect(endpoint), 0);
    const std::string body(50'000, 'h');
    int sent = 0;
    while (client.send(frames{std::to_string(sent), body}) == 0)
        ++sent;
    EXPECT_LT(sent, 1000);
    for (int number = 0; number < sent; ++number)
        ASSERT_EQ(server.receive_frames(), (frames{std::to_string(number), body}));
    client.set(ZMQ_SNDTIMEO, patience_ms);
    ASSERT_EQ(client.send("after"), 0);
    EXPECT_EQ(server.receive(), "after");
}

TEST_P(curve_traffic, a_dialogue_goes_on) {
    socket server = server_of(ZMQ_REP);
    const std::string endpoint = bind(server);
    std::thread answering([&] {
        for (int turn = 0; turn < 2000; ++turn) {
            const frames request = server.receive_frames();
            ASSERT_EQ(server.send(request), 0);
        }
    });
    socket client = client_of(ZMQ_REQ);
    ASSERT_EQ(client.connect(endpoint), 0);
    for (int turn = 0; turn < 2000; ++turn) {
        ASSERT_EQ(client.send(std::to_string(turn)), 0);
        ASSERT_EQ(client.receive(), std::to_string(turn));
    }
    answering.join();
}

TEST_P(curve_traffic, subscriptions_are_sealed_too) {
    socket publisher = server_of(ZMQ_XPUB);
    const std::string endpoint = bind(publisher);
    socket subscriber = client_of(ZMQ_SUB);
    ASSERT_EQ(subscriber.connect(endpoint), 0);
    subscriber.set(ZMQ_SUBSCRIBE, "a");
    EXPECT_EQ(publisher.receive(), "\x01"
                                   "a");
    ASSERT_EQ(publisher.send("b|unwanted"), 0);
    ASSERT_EQ(publisher.send("a|wanted"), 0);
    EXPECT_EQ(subscriber.receive(), "a|wanted");
    subscriber.set(ZMQ_UNSUBSCRIBE, "a");
    EXPECT_EQ(publisher.receive(), std::string("\0a", 2));
    ASSERT_EQ(publisher.send("a|unwanted"), 0);
    EXPECT_TRUE(subscriber.quiet());
}

TEST_P(curve_traffic, heartbeats_keep_a_quiet_connection) {
    socket server = server_of(ZMQ_PAIR);
    socket client = client_of(ZMQ_PAIR);
    for (socket *one : {&server, &client}) {
        one->set(ZMQ_HEARTBEAT_IVL, 20);
        one->set(ZMQ_HEARTBEAT_TIMEOUT, 2000);
        one->set(ZMQ_HEARTBEAT_TTL, 2000);
    }
    const std::string endpoint = bind(server);
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send("first"), 0);
    EXPECT_EQ(server.receive(), "first");
    void *ear = zmq_socket(owner.handle(), ZMQ_PAIR);
    EXPECT_EQ(zmq_socket_monitor(server.handle(), "inproc://beats", ZMQ_EVENT_DISCONNECTED), 0);
    EXPECT_EQ(zmq_connect(ear, "inproc://beats"), 0);
    zmq_pollitem_t item{ear, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_poll(&item, 1, 400), 0) << "disconnected although both sides live";
    zmq_close(ear);
    ASSERT_EQ(server.send("last"), 0);
    EXPECT_EQ(client.receive(), "last");
}

// As without CURVE: a PING needs no room in the queue.
TEST_P(curve_traffic, a_full_queue_does_not_hold_up_heartbeats) {
    socket server = server_of(ZMQ_PAIR);
    socket client = client_of(ZMQ_PAIR);
    server.set(ZMQ_RCVHWM, 1);
    client.set(ZMQ_HEARTBEAT_IVL, 20);
    client.set(ZMQ_HEARTBEAT_TIMEOUT, 300);
    const std::string endpoint = bind(server);
    ASSERT_EQ(client.connect(endpoint), 0);
    void *ear = zmq_socket(owner.handle(), ZMQ_PAIR);
    EXPECT_EQ(zmq_socket_monitor(client.handle(), "inproc://full", ZMQ_EVENT_DISCONNECTED), 0);
    EXPECT_EQ(zmq_connect(ear, "inproc://full"), 0);
    ASSERT_EQ(client.send("first"), 0);
    zmq_pollitem_t item{ear, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_poll(&item, 1, 800), 0) << "disconnected although both sides live";
    zmq_close(ear);
    ASSERT_EQ(client.send(frames{"second", "with a part"}), 0);
    ASSERT_EQ(client.send("third"), 0);
    EXPECT_EQ(server.receive(), "first");
    EXPECT_EQ(server.receive_frames(), (frames{"second", "with a part"}));
    EXPECT_EQ(server.receive(), "third");
}

TEST_P(curve_traffic, a_new_connection_has_new_keys_and_the_same_queue) {
    socket client = client_of(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 1);
    std::string endpoint;
    for (int turn = 0; turn < 5; ++turn) {
        socket server = server_of(ZMQ_PULL);
        if (turn == 0) {
            endpoint = bind(server);
            ASSERT_EQ(client.connect(endpoint), 0);
        } else {
            ASSERT_TRUE(eventually([&] { return server.bind(endpoint) == 0; }));
        }
        // Messages under way when the earlier server went are lost; later ones are not.
        ASSERT_TRUE(eventually([&] {
            EXPECT_EQ(client.send("turn " + std::to_string(turn)), 0);
            return server.ready(ZMQ_POLLIN, 20);
        }));
        EXPECT_THAT(server.receive(), ::testing::StartsWith("turn "));
    }
}

TEST_P(curve_traffic, a_body_above_the_largest_ends_the_connection) {
    socket server = server_of(ZMQ_PULL);
    server.set(ZMQ_RCVTIMEO, patience_ms);
    const std::int64_t largest = 1000;
    EXPECT_EQ(zmq_setsockopt(server.handle(), ZMQ_MAXMSGSIZE, &largest, sizeof largest), 0);
    const std::string endpoint = bind(server);
    socket client = client_of(ZMQ_PUSH);
    client.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(client.connect(endpoint), 0);
    ASSERT_EQ(client.send(std::string(1000, 'a')), 0);
    EXPECT_EQ(server.receive(), std::string(1000, 'a'));
    ASSERT_EQ(client.send(std::string(1001, 'b')), 0);
    ASSERT_TRUE(eventually([&] {
        EXPECT_EQ(client.send("c"), 0);
        return server.ready(ZMQ_POLLIN, 5);
    }));
    EXPECT_EQ(server.receive(), "c");
}

TEST_P(curve_traffic, a_conflating_socket_keeps_the_newest) {
    socket server = server_of(ZMQ_PULL);
    server.set(ZMQ_CONFLATE, 1);
    const std::string endpoint = bind(server);
    socket client = client_of(ZMQ_PUSH);
    ASSERT_EQ(client.connect(endpoint), 0);
    for (int number = 0; number < 1000; ++number)
        ASSERT_EQ(client.send(std::to_string(number)), 0);
    std::string last;
    ASSERT_TRUE(eventually([&] {
        last = server.receive();
        return last == "999";
    }));
}

TEST_P(curve_traffic, many_clients_are_served_at_once) {
    constexpr int clients = 40;
    socket server = server_of(ZMQ_ROUTER);
    const std::string endpoint = bind(server);
    std::vector<socket> all;
    for (int number = 0; number < clients; ++number) {
        all.push_back(client_of(ZMQ_DEALER));
        ASSERT_EQ(all.back().connect(endpoint), 0);
        ASSERT_EQ(all.back().send(std::to_string(number)), 0);
    }
    for (int number = 0; number < clients; ++number) {
        const frames request = server.receive_frames();
        ASSERT_EQ(server.send(request), 0);
    }
    for (int number = 0; number < clients; ++number)
        EXPECT_EQ(all[static_cast<std::size_t>(number)].receive(), std::to_string(number));
}

} // namespace
} // namespace zlink::conformance
