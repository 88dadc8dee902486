// SPDX-License-Identifier: MPL-2.0
// Many sockets, and ends under load: zmq_ctx_shutdown, zmq_ctx_term, peers that come and go.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

class many_sockets : public transport_test {};
class shutdown_under_load : public transport_test {};
class storm : public transport_test {};

TEST_P(many_sockets, all_are_served) {
    constexpr int count = 150;
    socket server(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(server);
    std::vector<socket> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(connected(ZMQ_DEALER, endpoint));
        ASSERT_EQ(clients.back().send(std::to_string(i)), 0);
    }
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(server.send(server.receive_frames()), 0);
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(clients[static_cast<std::size_t>(i)].receive(), std::to_string(i));
}

TEST(socket_limit, is_kept_and_a_closed_socket_makes_room) {
    context owner;
    ASSERT_EQ(zmq_ctx_set(owner.handle(), ZMQ_MAX_SOCKETS, 10), 0);
    std::vector<socket> open;
    open.reserve(10);
    for (int i = 0; i < 10; ++i)
        open.emplace_back(owner, ZMQ_PAIR);
    EXPECT_EQ(zmq_socket(owner.handle(), ZMQ_PAIR), nullptr);
    EXPECT_EQ(errno, EMFILE);
    open.pop_back();
    void *next = nullptr;
    EXPECT_TRUE(eventually([&] { return (next = zmq_socket(owner.handle(), ZMQ_PAIR)) != nullptr; }));
    EXPECT_EQ(zmq_close(next), 0);
}

// Every thread works on a socket of its own until it hears of the end.
TEST_P(shutdown_under_load, every_call_ends_with_eterm) {
    context busy;
    std::atomic<int> received = 0;
    std::atomic<int> at_work = 0; // threads that have their socket
    std::vector<std::thread> threads;
    threads.reserve(3);
    socket sink(busy, ZMQ_PULL);
    sink.set(ZMQ_RCVHWM, 100);
    const std::string endpoint = bind(sink);
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&, i] {
            socket source(busy, ZMQ_PUSH);
            source.set(ZMQ_SNDHWM, 100);
            source.set(ZMQ_SNDTIMEO, -1);
            EXPECT_EQ(source.connect(endpoint), 0);
            ++at_work;
            const frames message{"head", std::string(static_cast<std::size_t>(i) * 9000, 'x')};
            int code;
            while ((code = source.send(message)) == 0)
                ;
            EXPECT_EQ(code, ETERM);
        });
    threads.emplace_back([&] {
        socket idle(busy, ZMQ_DEALER);
        idle.set(ZMQ_RCVTIMEO, -1);
        ++at_work;
        EXPECT_EQ(idle.receive(), std::string("error: ") + zmq_strerror(ETERM));
    });
    threads.emplace_back([&] {
        socket polled(busy, ZMQ_SUB);
        zmq_pollitem_t item{polled.handle(), 0, ZMQ_POLLIN, 0};
        ++at_work;
        EXPECT_EQ(zmq_poll(&item, 1, -1), -1);
        EXPECT_EQ(errno, ETERM);
    });
    std::thread reader([&] {
        frames message;
        for (message = sink.receive_frames(); message.size() == 2; message = sink.receive_frames())
            ++received;
        EXPECT_THAT(message.back(), ::testing::HasSubstr(zmq_strerror(ETERM)));
    });
    EXPECT_TRUE(eventually([&] { return received > 500 && at_work == 5; }));
    EXPECT_EQ(zmq_ctx_shutdown(busy.handle()), 0);
    for (std::thread &thread : threads)
        thread.join();
    reader.join();
    sink.close();
    busy.term();
}

TEST_P(shutdown_under_load, term_waits_for_the_last_socket) {
    context busy;
    socket sink(busy, ZMQ_PULL);
    sink.set(ZMQ_RCVHWM, 100);
    const std::string endpoint = bind(sink);
    socket source(busy, ZMQ_PUSH);
    ASSERT_EQ(source.connect(endpoint), 0);
    std::atomic<bool> closed = false;
    std::thread user([&] {
        int code;
        while ((code = source.send("x")) == 0)
            ;
        EXPECT_EQ(code, ETERM);
        std::string got;
        while ((got = sink.receive()) == "x") // the news may reach the one socket before the other
            ;
        EXPECT_EQ(got, std::string("error: ") + zmq_strerror(ETERM));
        sink.close();
        closed = true;
        source.close();
    });
    busy.term();
    EXPECT_TRUE(closed);
    user.join();
}

TEST_P(storm, peers_that_come_and_go_lose_nothing_they_sent) {
    constexpr int threads_count = 3, rounds = 40, each = 5;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_RCVHWM, 20);
    const std::string endpoint = bind(sink);
    std::vector<std::thread> threads;
    threads.reserve(threads_count);
    for (int k = 0; k < threads_count; ++k)
        threads.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                socket source(owner, ZMQ_PUSH);
                source.set(ZMQ_LINGER, -1);
                EXPECT_EQ(source.connect(endpoint), 0);
                for (int i = 0; i < each; ++i)
                    EXPECT_EQ(source.send("a|b"), 0);
            }
        });
    for (int i = 0; i < threads_count * rounds * each; ++i)
        ASSERT_EQ(sink.receive(), "a|b") << i;
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(sink.receive(ZMQ_DONTWAIT), std::string("error: ") + zmq_strerror(EAGAIN));
}

TEST_P(storm, servers_that_come_and_go_are_found_again) {
    const std::string endpoint = unused_endpoint(GetParam());
    std::atomic<bool> stop = false;
    std::vector<std::thread> clients;
    clients.reserve(3);
    for (int k = 0; k < 3; ++k)
        clients.emplace_back([&] {
            socket client(owner, ZMQ_DEALER);
            client.set(ZMQ_RECONNECT_IVL, 1);
            EXPECT_EQ(client.connect(endpoint), 0);
            while (!stop) {
                client.send("ping", ZMQ_DONTWAIT);
                if (client.ready(ZMQ_POLLIN, 1)) {
                    EXPECT_EQ(client.receive(), "ping");
                }
            }
        });
    for (int round = 0; round < 10; ++round) {
        socket server(owner, ZMQ_ROUTER);
        ASSERT_TRUE(eventually([&] { return server.bind(endpoint) == 0; }));
        for (int i = 0; i < 20; ++i)
            ASSERT_EQ(server.send(server.receive_frames()), 0);
    }
    stop = true;
    for (std::thread &client : clients)
        client.join();
}

ZLINK_OVER_EVERY_TRANSPORT(many_sockets);
ZLINK_OVER_EVERY_TRANSPORT(shutdown_under_load);
ZLINK_OVER_CONNECTIONS(storm);

} // namespace
} // namespace zlink::conformance
