// SPDX-License-Identifier: MPL-2.0
// Checks that tests/abi/monitor.c cannot make with the packaged libzmq. They concern the second format, other
// types of monitors, monitors that nobody reads, and the counts of why connections ended.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "zlink/options.h"
#include "zmq.h"

namespace {

constexpr int patience_ms = 10000;

std::string text_of(void *socket, int option) {
    char text[256];
    std::size_t size = sizeof text;
    return zmq_getsockopt(socket, option, text, &size) == 0 ? text : "";
}

int set(void *socket, int option, int value) {
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

// Frames of the next message; none when nothing comes.
std::vector<std::string> receive(void *socket, int flags = 0) {
    std::vector<std::string> frames;
    for (int more = 1; more != 0;) {
        char body[256];
        const int size = zmq_recv(socket, body, sizeof body, flags);
        if (size < 0)
            return {};
        frames.emplace_back(body, static_cast<std::size_t>(size));
        std::size_t length = sizeof more;
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &length);
    }
    return frames;
}

template <class Number> std::string bytes_of(Number number) {
    return {reinterpret_cast<const char *>(&number), sizeof number};
}
std::uint64_t number_of(const std::string &bytes) {
    std::uint64_t number = 0;
    EXPECT_EQ(bytes.size(), sizeof number);
    std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
    return number;
}
int event_of(const std::vector<std::string> &frames) {
    std::uint16_t event = 0;
    if (!frames.empty())
        std::memcpy(&event, frames[0].data(), sizeof event);
    return event;
}

class monitor : public testing::Test {
  protected:
    ~monitor() override {
        for (void *socket : sockets_)
            zmq_close(socket);
        EXPECT_EQ(zmq_ctx_term(context_), 0);
    }

    void *open(int type) {
        void *socket = zmq_socket(context_, type);
        EXPECT_NE(socket, nullptr);
        set(socket, ZMQ_LINGER, 0);
        set(socket, ZMQ_RCVTIMEO, patience_ms);
        sockets_.push_back(socket);
        return socket;
    }
    void close(void *socket) {
        std::erase(sockets_, socket);
        zmq_close(socket);
    }
    void *reader(int type, const char *endpoint) {
        void *socket = open(type);
        if (type == ZMQ_SUB)
            zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
        EXPECT_EQ(zmq_connect(socket, endpoint), 0);
        return socket;
    }
    static std::string bind(void *socket) {
        EXPECT_EQ(zmq_bind(socket, "tcp://127.0.0.1:*"), 0);
        return text_of(socket, ZMQ_LAST_ENDPOINT);
    }

    void *context_ = zmq_ctx_new();
    std::vector<void *> sockets_;
};

TEST_F(monitor, writes_the_second_format) {
    void *server = open(ZMQ_PULL);
    void *client = open(ZMQ_PUSH);
    ASSERT_EQ(zmq_socket_monitor_versioned(server, "inproc://s", ZMQ_EVENT_ALL_V2, 2, ZMQ_PAIR), 0);
    ASSERT_EQ(zmq_socket_monitor_versioned(client, "inproc://c", ZMQ_EVENT_CONNECTED, 2, ZMQ_PAIR), 0);
    void *of_server = reader(ZMQ_PAIR, "inproc://s");
    void *of_client = reader(ZMQ_PAIR, "inproc://c");
    const std::string endpoint = bind(server);

    auto frames = receive(of_server);
    ASSERT_EQ(frames.size(), 5U);
    EXPECT_EQ(number_of(frames[0]), ZMQ_EVENT_LISTENING);
    EXPECT_EQ(number_of(frames[1]), 1U);
    EXPECT_GT(number_of(frames[2]), 2U);
    EXPECT_EQ(frames[3], endpoint);
    EXPECT_EQ(frames[4], "");

    ASSERT_EQ(zmq_connect(client, endpoint.c_str()), 0);
    const auto accepted = receive(of_server);
    const auto connected = receive(of_client);
    ASSERT_EQ(accepted.size(), 5U);
    ASSERT_EQ(connected.size(), 5U);
    EXPECT_EQ(number_of(accepted[0]), ZMQ_EVENT_ACCEPTED);
    EXPECT_EQ(accepted[3], endpoint);
    EXPECT_EQ(number_of(connected[0]), ZMQ_EVENT_CONNECTED);
    EXPECT_EQ(connected[4], endpoint);
    EXPECT_EQ(connected[3], accepted[4]); // the ends see the same connection
    EXPECT_NE(connected[3], "");
}

TEST_F(monitor, is_told_what_waits_in_the_pipes_when_that_is_asked_for) {
    void *server = open(ZMQ_PULL);
    const auto ask = [&] { return zmq_socket_monitor_pipes_stats(server) == 0 ? 0 : zmq_errno(); };
    EXPECT_EQ(ask(), EINVAL);
    ASSERT_EQ(zmq_socket_monitor(server, "inproc://first", ZMQ_EVENT_ALL), 0);
    EXPECT_EQ(ask(), EINVAL) << "events of the first version do not have it";
    ASSERT_EQ(zmq_socket_monitor_versioned(server, "inproc://s", ZMQ_EVENT_PIPES_STATS, 2, ZMQ_PAIR), 0);
    EXPECT_EQ(ask(), EAGAIN) << "there is no pipe";
    EXPECT_EQ(zmq_socket_monitor_pipes_stats(nullptr), -1);
    EXPECT_EQ(zmq_errno(), ENOTSOCK);

    void *statistics = reader(ZMQ_PAIR, "inproc://s");
    const std::string endpoint = bind(server);
    void *client = open(ZMQ_PUSH);
    ASSERT_EQ(zmq_connect(client, endpoint.c_str()), 0);
    for (int count = 0; count < 4; ++count)
        ASSERT_EQ(zmq_send(client, "x", 1, 0), 1);
    ASSERT_EQ(receive(server).size(), 1U);
    std::vector<std::string> frames;
    do { // the others are on their way
        ASSERT_EQ(ask(), 0);
        frames = receive(statistics);
        ASSERT_EQ(frames.size(), 6U);
    } while (number_of(frames[3]) < 3);
    EXPECT_EQ(number_of(frames[0]), ZMQ_EVENT_PIPES_STATS);
    EXPECT_EQ(number_of(frames[1]), 2U);
    EXPECT_EQ(number_of(frames[2]), 0U);
    EXPECT_EQ(number_of(frames[3]), 3U);
    EXPECT_EQ(frames[4], endpoint);
    EXPECT_EQ(frames[5].rfind("tcp://127.0.0.1:", 0), 0U) << frames[5];
}

TEST_F(monitor, names_the_ends_of_a_pipe_as_libzmq_does_also_when_the_peer_has_gone) {
    void *server = open(ZMQ_PULL);
    void *client = open(ZMQ_PUSH);
    const int events = ZMQ_EVENT_PIPES_STATS | ZMQ_EVENT_DISCONNECTED;
    ASSERT_EQ(zmq_socket_monitor_versioned(server, "inproc://s", events, 2, ZMQ_PAIR), 0);
    ASSERT_EQ(zmq_socket_monitor_versioned(client, "inproc://c", ZMQ_EVENT_PIPES_STATS, 2, ZMQ_PAIR), 0);
    void *of_server = reader(ZMQ_PAIR, "inproc://s");
    void *of_client = reader(ZMQ_PAIR, "inproc://c");
    const std::string endpoint = bind(server);
    ASSERT_EQ(zmq_connect(client, endpoint.c_str()), 0);
    ASSERT_EQ(zmq_send(client, "x", 1, 0), 1);
    zmq_pollitem_t item{server, 0, ZMQ_POLLIN, 0};
    ASSERT_EQ(zmq_poll(&item, 1, 10'000), 1);

    ASSERT_EQ(zmq_socket_monitor_pipes_stats(client), 0);
    const auto connecting = receive(of_client);
    ASSERT_EQ(connecting.size(), 6U);
    EXPECT_EQ(connecting[4], "");
    EXPECT_EQ(connecting[5], endpoint);

    ASSERT_EQ(zmq_disconnect(client, endpoint.c_str()), 0);
    ASSERT_EQ(number_of(receive(of_server)[0]), ZMQ_EVENT_DISCONNECTED);
    ASSERT_EQ(zmq_socket_monitor_pipes_stats(server), 0);
    const auto accepted = receive(of_server);
    ASSERT_EQ(accepted.size(), 6U);
    EXPECT_EQ(number_of(accepted[3]), 1U);
    EXPECT_EQ(accepted[4], endpoint);
    EXPECT_EQ(accepted[5].rfind("tcp://127.0.0.1:", 0), 0U) << accepted[5];
}

TEST_F(monitor, writes_to_subscribers_and_to_pullers) {
    void *socket = open(ZMQ_PULL);
    ASSERT_EQ(zmq_socket_monitor_versioned(socket, "inproc://p", ZMQ_EVENT_ALL, 1, ZMQ_PUSH), 0);
    void *puller = reader(ZMQ_PULL, "inproc://p");
    bind(socket);
    EXPECT_EQ(event_of(receive(puller)), ZMQ_EVENT_LISTENING);
    ASSERT_EQ(zmq_socket_monitor_versioned(socket, "inproc://q", ZMQ_EVENT_ALL, 1, ZMQ_PUB), 0);
    EXPECT_EQ(event_of(receive(puller)), ZMQ_EVENT_MONITOR_STOPPED);
    void *subscribers[] = {reader(ZMQ_SUB, "inproc://q"), reader(ZMQ_SUB, "inproc://q")};
    bind(socket);
    for (void *subscriber : subscribers)
        EXPECT_EQ(event_of(receive(subscriber)), ZMQ_EVENT_LISTENING);
}

TEST_F(monitor, refuses_versions_types_and_events_that_do_not_exist) {
    void *socket = open(ZMQ_PULL);
    const auto refused = [&](std::uint64_t events, int version, int type) {
        errno = 0;
        return zmq_socket_monitor_versioned(socket, "inproc://r", events, version, type) == -1 &&
               errno == EINVAL;
    };
    EXPECT_TRUE(refused(ZMQ_EVENT_ALL, 0, ZMQ_PAIR));
    EXPECT_TRUE(refused(ZMQ_EVENT_ALL, 3, ZMQ_PAIR));
    EXPECT_TRUE(refused(ZMQ_EVENT_ALL, 1, ZMQ_DEALER));
    EXPECT_TRUE(refused(ZMQ_EVENT_ALL, 1, -1));
    EXPECT_TRUE(refused(ZMQ_EVENT_ALL_V2, 1, ZMQ_PAIR));
}

TEST_F(monitor, keeps_what_happened_before_its_first_reader) {
    void *socket = open(ZMQ_PULL);
    ASSERT_EQ(zmq_socket_monitor(socket, "inproc://late", ZMQ_EVENT_ALL), 0);
    bind(socket);
    bind(socket);
    void *late = reader(ZMQ_PAIR, "inproc://late");
    EXPECT_EQ(event_of(receive(late, ZMQ_DONTWAIT)), ZMQ_EVENT_LISTENING);
    EXPECT_EQ(event_of(receive(late, ZMQ_DONTWAIT)), ZMQ_EVENT_LISTENING);
    EXPECT_TRUE(receive(late, ZMQ_DONTWAIT).empty());
    void *early = reader(ZMQ_PAIR, "inproc://early"); // there before the monitor
    ASSERT_EQ(zmq_socket_monitor(socket, "inproc://early", ZMQ_EVENT_ALL), 0);
    bind(socket);
    EXPECT_EQ(event_of(receive(early)), ZMQ_EVENT_LISTENING);
}

// More events than queues hold, nobody reads: calls return, what fits is there, and the end comes.
TEST_F(monitor, that_is_not_read_blocks_nobody) {
    void *socket = open(ZMQ_PULL);
    ASSERT_EQ(zmq_socket_monitor(socket, "inproc://unread", ZMQ_EVENT_BIND_FAILED), 0);
    void *unread = open(ZMQ_PAIR);
    set(unread, ZMQ_RCVHWM, 10);
    ASSERT_EQ(zmq_connect(unread, "inproc://unread"), 0);
    const std::string endpoint = bind(socket);
    for (int count = 0; count < 1500; ++count)
        EXPECT_EQ(zmq_bind(socket, endpoint.c_str()), -1);
    int kept = 0;
    while (event_of(receive(unread, ZMQ_DONTWAIT)) == ZMQ_EVENT_BIND_FAILED)
        ++kept;
    EXPECT_EQ(kept, 1010);
    EXPECT_EQ(zmq_bind(socket, endpoint.c_str()), -1);
    EXPECT_EQ(event_of(receive(unread)), ZMQ_EVENT_BIND_FAILED);
}

TEST_F(monitor, is_no_socket_of_the_application) {
    zmq_ctx_set(context_, ZMQ_MAX_SOCKETS, 1);
    void *socket = open(ZMQ_PULL);
    EXPECT_EQ(zmq_socket_monitor(socket, "inproc://one", ZMQ_EVENT_ALL), 0);
    EXPECT_EQ(zmq_socket(context_, ZMQ_PAIR), nullptr);
    EXPECT_EQ(zmq_errno(), EMFILE);
}

// I/O threads write while the application replaces monitors and sockets come and go.
TEST_F(monitor, may_be_replaced_at_any_time) {
    void *server = open(ZMQ_PULL);
    const std::string endpoint = bind(server);
    std::thread peers([&] {
        for (int count = 0; count < 100; ++count) {
            void *peer = zmq_socket(context_, ZMQ_PUSH);
            set(peer, ZMQ_LINGER, 0);
            zmq_connect(peer, endpoint.c_str());
            zmq_close(peer);
        }
    });
    for (int count = 0; count < 100; ++count) {
        const std::string place = "inproc://m" + std::to_string(count);
        ASSERT_EQ(zmq_socket_monitor(server, place.c_str(), ZMQ_EVENT_ALL), 0);
        void *watching = reader(ZMQ_PAIR, place.c_str());
        receive(watching, ZMQ_DONTWAIT);
        if (count % 2 == 0)
            close(watching);
    }
    peers.join();
}

TEST_F(monitor, ends_with_the_context) {
    void *socket = open(ZMQ_PULL);
    ASSERT_EQ(zmq_socket_monitor(socket, "inproc://end", ZMQ_EVENT_ALL), 0);
    void *watching = reader(ZMQ_PAIR, "inproc://end");
    ASSERT_EQ(zmq_ctx_shutdown(context_), 0);
    EXPECT_EQ(zmq_recv(watching, nullptr, 0, 0), -1);
    EXPECT_EQ(zmq_errno(), ETERM);
    EXPECT_EQ(zmq_socket_monitor(socket, "inproc://more", ZMQ_EVENT_ALL), -1);
    EXPECT_EQ(zmq_errno(), ETERM);
}

// ---- counts

std::uint64_t count_of(void *socket, int option) {
    std::uint64_t count = 99;
    std::size_t size = sizeof count;
    EXPECT_EQ(zmq_getsockopt(socket, option, &count, &size), 0) << option;
    EXPECT_EQ(size, sizeof count);
    return count;
}

TEST_F(monitor, has_counts_beside_it) {
    void *server = open(ZMQ_PULL);
    for (int option = ZLINK_CLOSED_LOCAL; option <= ZLINK_CLOSED_OVER_LIMIT; ++option)
        EXPECT_EQ(count_of(server, option), 0U);
    ASSERT_EQ(zmq_socket_monitor(server, "inproc://s", ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_ACCEPT_FAILED), 0);
    void *watching = reader(ZMQ_PAIR, "inproc://s");
    const std::string endpoint = bind(server);
    void *wrong = open(ZMQ_PUB); // may not talk to PULL
    ASSERT_EQ(zmq_connect(wrong, endpoint.c_str()), 0);
    EXPECT_EQ(event_of(receive(watching)), ZMQ_EVENT_DISCONNECTED);
    close(wrong);
    ASSERT_EQ(zmq_setsockopt(server, ZMQ_TCP_ACCEPT_FILTER, "10.1.2.3", 8), 0);
    const std::string filtered = bind(server);
    void *refused = open(ZMQ_PUSH);
    ASSERT_EQ(zmq_connect(refused, filtered.c_str()), 0);
    while (event_of(receive(watching)) == ZMQ_EVENT_DISCONNECTED) {
    }
    EXPECT_GE(count_of(server, ZLINK_CLOSED_HANDSHAKE_FAILED), 1U);
    EXPECT_GE(count_of(server, ZLINK_CLOSED_FILTERED), 1U);
    EXPECT_EQ(count_of(server, ZLINK_CLOSED_OVERSIZE), 0U);
}

TEST_F(monitor, has_counts_that_are_64_bits_and_only_read) {
    void *socket = open(ZMQ_PULL);
    std::uint64_t count = 0;
    for (std::size_t size : {0U, 4U, 7U, 9U}) {
        char room[16];
        EXPECT_EQ(zmq_getsockopt(socket, ZLINK_CLOSED_PEER, room, &size), -1);
        EXPECT_EQ(zmq_errno(), EINVAL);
    }
    EXPECT_EQ(zmq_setsockopt(socket, ZLINK_CLOSED_PEER, &count, sizeof count), -1);
    EXPECT_EQ(zmq_errno(), EINVAL);
    std::size_t size = sizeof count;
    EXPECT_EQ(zmq_getsockopt(socket, ZLINK_CLOSED_OVER_LIMIT + 1, &count, &size), -1);
    EXPECT_EQ(zmq_errno(), EINVAL);
}

} // namespace
