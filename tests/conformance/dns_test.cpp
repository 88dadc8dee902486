// SPDX-License-Identifier: MPL-2.0
// dns+tcp: one connection to each address of a name, which follows the name servers.
#include "counters_rig.hpp"
#include "rig.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <set>

#include "dns_server.hpp"

namespace zlink::conformance {
namespace {

using test::dns_manner;
using test::dns_zone;
using namespace std::string_literals;

// The environment is read once per process, so there is one server.
test::dns_server &name_server() {
    static test::dns_server server;
    static const int set = ::setenv("ZLINK_DNS_SERVERS", server.text().c_str(), 1);
    EXPECT_EQ(set, 0);
    return server;
}

// Keeps what the monitor of a socket tells: "connected tcp://127.0.0.1:5555".
class ear {
  public:
    ear(context &owner, socket &watched) : events_(owner, ZMQ_PAIR) {
        const std::string endpoint = unused_endpoint("inproc");
        EXPECT_EQ(zmq_socket_monitor(watched.handle(), endpoint.c_str(), ZMQ_EVENT_ALL), 0);
        EXPECT_EQ(events_.connect(endpoint), 0);
    }
    [[nodiscard]] bool hears(int event, const std::string &where = {}) {
        return eventually([&] {
            listen();
            return heard_.contains({event, where});
        });
    }
    [[nodiscard]] bool has_heard(int event, const std::string &where = {}) {
        listen();
        return heard_.contains({event, where});
    }
    void forget() {
        listen();
        heard_.clear();
    }

  private:
    void listen() {
        while (events_.ready(ZMQ_POLLIN, 0)) {
            const frames told = events_.receive_frames();
            std::uint16_t event = 0;
            std::memcpy(&event, told.at(0).data(), sizeof event);
            heard_.insert({event, told.at(1)});
            heard_.insert({event, {}});
        }
    }
    socket events_;
    std::set<std::pair<int, std::string>> heard_;
};

struct peer {
    peer(context &owner, int type, const std::string &address, int port)
        : own(owner, type), heard(owner, own) {
        own.set(ZMQ_IPV6, address.find(':') != address.npos ? 1 : 0);
        endpoint = "tcp://" + address + ":" + (port == 0 ? "*"s : std::to_string(port));
        EXPECT_EQ(own.bind(endpoint), 0) << endpoint;
        endpoint = own.last_endpoint();
    }
    [[nodiscard]] int port() const { return std::stoi(endpoint.substr(endpoint.rfind(':') + 1)); }
    socket own;
    ear heard;
    std::string endpoint;
};

class dns : public ::testing::Test {
  protected:
    void SetUp() override {
        if (zmq_has("dns+tcp") == 0)
            GTEST_SKIP() << "built without c-ares";
        // Every test has a name of its own.
        name = "n" + std::to_string(next_number()) + ".test";
    }
    void set(dns_zone zone) { name_server().set(name, std::move(zone)); }
    void set(std::vector<std::string> v4) { set(dns_zone{.v4 = std::move(v4), .ttl_s = 1}); }
    // A dot at the end: the domains of this machine are not tried.
    [[nodiscard]] std::string endpoint(const peer &of) const {
        return "dns+tcp://" + name + ".:" + std::to_string(of.port());
    }
    // Peers of one port at 127.0.0.1, 127.0.0.2, ...
    std::vector<std::unique_ptr<peer>> peers(int type, int count) {
        std::vector<std::unique_ptr<peer>> made;
        for (int i = 1; i <= count; ++i)
            made.push_back(std::make_unique<peer>(owner, type, "127.0.0." + std::to_string(i),
                                                  made.empty() ? 0 : made.front()->port()));
        return made;
    }

    context owner;
    std::string name;
};

TEST_F(dns, endpoints_without_a_meaning_are_refused) {
    socket source(owner, ZMQ_PUSH);
    for (const char *wrong :
         {"dns+tcp://name", "dns+tcp://*:5", "dns+tcp://name:0", "dns+tcp://:5", "dns+tcp://"})
        EXPECT_EQ(source.connect(wrong), EINVAL) << wrong;
    EXPECT_EQ(source.bind("dns+tcp://name:5"), EPROTONOSUPPORT);
    EXPECT_EQ(source.disconnect("dns+tcp://name:5"), ENOENT);
}

TEST_F(dns, every_address_gets_a_connection_and_messages) {
    const auto sinks = peers(ZMQ_PULL, 3);
    set({"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.2"});
    socket source(owner, ZMQ_PUSH);
    ear heard(owner, source);
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    for (const auto &sink : sinks)
        EXPECT_TRUE(heard.hears(ZMQ_EVENT_CONNECTED, sink->endpoint)) << "the event has the real address";
    ASSERT_EQ(source.send("first"), 0);
    for (int i = 1; i < 6; ++i)
        ASSERT_EQ(source.send("more"), 0);
    for (const auto &sink : sinks)
        for (int i = 0; i < 2; ++i)
            EXPECT_THAT(sink->own.receive(), ::testing::AnyOf("first", "more"));
}

TEST_F(dns, connections_follow_the_records) {
    const auto sinks = peers(ZMQ_PULL, 3);
    set({"127.0.0.1", "127.0.0.2"});
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    EXPECT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    EXPECT_TRUE(sinks[1]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    set({"127.0.0.2", "127.0.0.3"});
    EXPECT_TRUE(sinks[2]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    EXPECT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_DISCONNECTED)) << "although the socket makes no call";
    EXPECT_FALSE(sinks[1]->heard.has_heard(ZMQ_EVENT_DISCONNECTED)) << "what stays is left alone";
    for (int i = 0; i < 4; ++i)
        ASSERT_EQ(source.send("to those that are left"), 0);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(sinks[1]->own.receive() + sinks[2]->own.receive(),
                  "to those that are left"s + "to those that are left");
    set({"127.0.0.1", "127.0.0.2", "127.0.0.3"});
    sinks[0]->heard.forget();
    EXPECT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED)) << "an address comes back";
}

TEST_F(dns, what_was_sent_to_an_address_arrives_although_it_goes) {
    const auto sinks = peers(ZMQ_PULL, 2);
    set({"127.0.0.1"});
    socket source(owner, ZMQ_PUSH);
    source.set(ZMQ_LINGER, -1);
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    std::atomic<int> sent = 0;
    std::atomic<bool> enough = false;
    std::thread sender([&] {
        for (; !enough; ++sent) {
            EXPECT_EQ(source.send(std::to_string(sent)), 0);
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    std::set<std::string> received;
    const auto drain = [&] {
        for (const auto &sink : sinks)
            for (int i = 0; i < 1000 && sink->own.ready(ZMQ_POLLIN, 0); ++i)
                received.insert(sink->own.receive());
        return true;
    };
    EXPECT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    set({"127.0.0.2"});
    EXPECT_TRUE(eventually([&] { return drain() && sinks[0]->heard.has_heard(ZMQ_EVENT_DISCONNECTED); }));
    EXPECT_TRUE(
        eventually([&] { return drain() && sinks[1]->heard.has_heard(ZMQ_EVENT_HANDSHAKE_SUCCEEDED); }));
    enough = true;
    EXPECT_TRUE(eventually([&] { return drain() && static_cast<int>(received.size()) >= sent; }));
    sender.join();
    EXPECT_TRUE(eventually([&] { return drain() && static_cast<int>(received.size()) == sent; }));
}

TEST_F(dns, a_reply_of_an_address_that_went_is_lost_and_a_relaxed_socket_asks_another) {
    const auto servers = peers(ZMQ_REP, 2);
    set({"127.0.0.1"});
    socket client(owner, ZMQ_REQ);
    client.set(ZMQ_REQ_RELAXED, 1);
    client.set(ZMQ_REQ_CORRELATE, 1);
    ASSERT_EQ(client.connect(endpoint(*servers[0])), 0);
    ASSERT_EQ(client.send("a question"), 0);
    ASSERT_EQ(servers[0]->own.receive(), "a question");
    set({"127.0.0.2"});
    ASSERT_TRUE(servers[0]->heard.hears(ZMQ_EVENT_DISCONNECTED));
    ASSERT_TRUE(servers[1]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    ASSERT_EQ(servers[0]->own.send("too late"), 0);
    client.set(ZMQ_RCVTIMEO, 200);
    std::array<char, 16> room{};
    EXPECT_EQ(zmq_recv(client.handle(), room.data(), room.size(), 0), -1);
    EXPECT_EQ(zmq_errno(), EAGAIN) << "the timeout ends the wait";
    client.set(ZMQ_RCVTIMEO, patience_ms);
    ASSERT_EQ(client.send("again"), 0);
    EXPECT_EQ(servers[1]->own.receive(), "again");
    ASSERT_EQ(servers[1]->own.send("an answer"), 0);
    EXPECT_EQ(client.receive(), "an answer");
}

TEST_F(dns, messages_for_an_address_that_never_answered_are_counted_when_it_goes) {
    const std::string port = unused_endpoint("tcp").substr(std::strlen("tcp://127.0.0.1"));
    set({"127.0.0.1"});
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect("dns+tcp://" + name + "." + port), 0);
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(source.send("to nobody"), 0);
    set({.manner = dns_manner::says_nxdomain});
    EXPECT_TRUE(eventually([&] {
        return source.send("too late", ZMQ_DONTWAIT) == EAGAIN &&
               now(owner, "PUSH", "dropped.connection_lost") >= 3;
    }));
    EXPECT_EQ(now(owner, "PUSH", "dropped.connection_lost"), now(owner, "PUSH", "sent.messages"));
}

TEST_F(dns, servers_that_fail_change_nothing) {
    const auto sinks = peers(ZMQ_PULL, 1);
    set({"127.0.0.1"});
    socket source(owner, ZMQ_PUSH);
    ear heard(owner, source);
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    ASSERT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    set({.v4 = {}, .ttl_s = 1, .manner = dns_manner::says_servfail});
    EXPECT_TRUE(heard.hears(ZMQ_EVENT_CONNECT_RETRIED, endpoint(*sinks[0]))) << "the event has the name";
    ASSERT_EQ(source.send("still there"), 0);
    EXPECT_EQ(sinks[0]->own.receive(), "still there");
    EXPECT_FALSE(sinks[0]->heard.has_heard(ZMQ_EVENT_DISCONNECTED));
}

TEST_F(dns, a_name_without_addresses_has_no_connections_until_it_gets_some) {
    const auto sinks = peers(ZMQ_PULL, 1);
    set({.manner = dns_manner::says_nxdomain});
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
    ASSERT_TRUE(eventually([&] { return name_server().asked(name) > 0; }));
    EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
    set({"127.0.0.1"});
    ASSERT_EQ(source.send("somebody"), 0) << "a send waits for the first address";
    EXPECT_EQ(sinks[0]->own.receive(), "somebody");
    set({.manner = dns_manner::says_nxdomain});
    EXPECT_TRUE(sinks[0]->heard.hears(ZMQ_EVENT_DISCONNECTED));
    EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
}

TEST_F(dns, a_time_to_live_of_nothing_is_a_second) {
    const auto sinks = peers(ZMQ_PULL, 1);
    set({.v4 = {"127.0.0.1"}, .ttl_s = 0});
    socket source(owner, ZMQ_PUSH);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
    ASSERT_TRUE(eventually([&] { return name_server().asked(name) >= 3; }));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1900));
}

TEST_F(dns, disconnect_ends_all_connections) {
    const auto sinks = peers(ZMQ_PULL, 3);
    set({"127.0.0.1", "127.0.0.2", "127.0.0.3"});
    for (const int immediate : {0, 1}) {
        socket source(owner, ZMQ_PUSH);
        source.set(ZMQ_IMMEDIATE, immediate);
        ASSERT_EQ(source.connect(endpoint(*sinks[0])), 0);
        for (const auto &sink : sinks)
            ASSERT_TRUE(sink->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
        ASSERT_TRUE(source.ready(ZMQ_POLLOUT));
        ASSERT_EQ(source.disconnect(endpoint(*sinks[0])), 0);
        EXPECT_EQ(source.disconnect(endpoint(*sinks[0])), ENOENT);
        for (const auto &sink : sinks) {
            EXPECT_TRUE(sink->heard.hears(ZMQ_EVENT_DISCONNECTED));
            sink->heard.forget();
        }
        EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
        const int asked = name_server().asked(name);
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        EXPECT_EQ(name_server().asked(name), asked) << "nobody asks any more";
    }
}

TEST_F(dns, a_subscriber_hears_every_publisher) {
    const auto publishers = peers(ZMQ_XPUB, 2);
    set({"127.0.0.1", "127.0.0.2"});
    socket subscriber(owner, ZMQ_SUB);
    subscriber.set(ZMQ_SUBSCRIBE, "");
    ASSERT_EQ(subscriber.connect(endpoint(*publishers[0])), 0);
    std::multiset<std::string> received;
    for (const auto &publisher : publishers) {
        // The socket takes a connection in a call, and says then what it wants.
        ASSERT_TRUE(eventually([&] {
            (void)subscriber.ready(ZMQ_POLLIN, 0);
            return publisher->own.ready(ZMQ_POLLIN, 0);
        }));
        EXPECT_EQ(publisher->own.receive(), "\1"s);
        ASSERT_EQ(publisher->own.send(publisher->endpoint), 0);
    }
    received.insert(subscriber.receive());
    received.insert(subscriber.receive());
    EXPECT_THAT(received, ::testing::UnorderedElementsAre(publishers[0]->endpoint, publishers[1]->endpoint));
}

TEST_F(dns, addresses_of_both_families_are_used) {
    peer v4(owner, ZMQ_PULL, "127.0.0.1", 0);
    socket probe(owner, ZMQ_PULL);
    probe.set(ZMQ_IPV6, 1);
    if (probe.bind("tcp://[::1]:" + std::to_string(v4.port())) != 0)
        GTEST_SKIP() << "no IPv6 here";
    ear heard_v6(owner, probe);
    set({.v4 = {"127.0.0.1"}, .v6 = {"::1"}, .ttl_s = 1});
    socket source(owner, ZMQ_PUSH);
    source.set(ZMQ_IPV6, 1);
    ASSERT_EQ(source.connect(endpoint(v4)), 0);
    EXPECT_TRUE(v4.heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    EXPECT_TRUE(heard_v6.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    set({.v4 = {"127.0.0.1"}, .ttl_s = 1, .manner_v6 = dns_manner::says_servfail});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_FALSE(heard_v6.has_heard(ZMQ_EVENT_DISCONNECTED)) << "one family fails alone";
    set({"127.0.0.1"});
    EXPECT_TRUE(heard_v6.hears(ZMQ_EVENT_DISCONNECTED));
    EXPECT_FALSE(v4.heard.has_heard(ZMQ_EVENT_DISCONNECTED));
}

TEST_F(dns, a_hundred_addresses_get_a_hundred_connections) {
    peer sink(owner, ZMQ_PULL, "127.0.0.1", 0);
    const auto others = [&] {
        std::vector<std::unique_ptr<peer>> made;
        for (int i = 2; i <= 100; ++i)
            made.push_back(
                std::make_unique<peer>(owner, ZMQ_PULL, "127.0.0." + std::to_string(i), sink.port()));
        return made;
    }();
    dns_zone zone{.ttl_s = 60};
    for (int i = 1; i <= 100; ++i)
        zone.v4.push_back("127.0.0." + std::to_string(i));
    set(zone);
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect(endpoint(sink)), 0);
    EXPECT_TRUE(sink.heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    for (const auto &other : others)
        EXPECT_TRUE(other->heard.hears(ZMQ_EVENT_HANDSHAKE_SUCCEEDED)) << other->endpoint;
}

TEST_F(dns, a_silent_server_holds_nothing_up) {
    for (const auto manner : {dns_manner::is_silent, dns_manner::sends_garbage}) {
        set({.manner = manner});
        const auto begin = std::chrono::steady_clock::now();
        {
            context own;
            socket sink(own, ZMQ_PULL), other(own, ZMQ_PUSH), source(own, ZMQ_PUSH);
            ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
            ASSERT_EQ(source.connect("dns+tcp://" + name + ".:5555"), 0);
            ASSERT_TRUE(eventually([&] { return name_server().asked(name) > 0; }));
            // The I/O thread goes on with others.
            ASSERT_EQ(other.connect(sink.last_endpoint()), 0);
            ASSERT_EQ(other.send("meanwhile"), 0);
            EXPECT_EQ(sink.receive(), "meanwhile");
        } // close and zmq_ctx_term
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(3000));
    }
}

TEST_F(dns, disconnecting_while_a_question_is_open_is_possible) {
    set({.manner = dns_manner::is_silent});
    socket source(owner, ZMQ_PUSH);
    const std::string where = "dns+tcp://" + name + ".:5555";
    for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(source.connect(where), 0);
        ASSERT_EQ(source.disconnect(where), 0);
    }
    EXPECT_EQ(source.send("nobody", ZMQ_DONTWAIT), EAGAIN);
}

TEST_F(dns, a_numeric_address_needs_no_server) {
    peer sink(owner, ZMQ_PULL, "127.0.0.1", 0);
    socket source(owner, ZMQ_PUSH);
    ASSERT_EQ(source.connect("dns+" + sink.endpoint), 0);
    ASSERT_EQ(source.send("by number"), 0);
    EXPECT_EQ(sink.own.receive(), "by number");
}

TEST_F(dns, peers_have_no_number_to_be_returned) {
    socket one(owner, ZMQ_PEER);
    EXPECT_EQ(zmq_connect_peer(one.handle(), "dns+tcp://localhost:5555"), 0U);
    EXPECT_EQ(errno, EFAULT);
}

} // namespace
} // namespace zlink::conformance
