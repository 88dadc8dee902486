// SPDX-License-Identifier: MPL-2.0
// SOCKS_PROXY when the proxy does not do what it should; tests/abi/socks.c has the rest.
#include "bare_proxy.hpp"

#include <cstdint>

namespace zlink::conformance {
namespace {

// A proxy without login. Each connection in turn gets the answer that was set for it; all others are served.
class proxy {
  public:
    enum class deed { drop, silence, no_method, refusal, duty };

    explicit proxy(std::vector<deed> first) : deeds_(std::move(first)), worker_([this] { work(); }) {}
    ~proxy() {
        listener_.stop();
        worker_.join();
        for (const int open : open_)
            ::close(open);
    }
    proxy(const proxy &) = delete;
    [[nodiscard]] std::string text() const { return listener_.endpoint().substr("tcp://"s.size()); }
    [[nodiscard]] int connections() const { return connections_; }

  private:
    void work() {
        std::vector<std::thread> relays;
        for (int client; (client = listener_.accept()) >= 0;) {
            open_.push_back(client);
            const auto turn = static_cast<std::size_t>(connections_++);
            if (const int server = talk(client, turn < deeds_.size() ? deeds_[turn] : deed::duty);
                server >= 0)
                relays.emplace_back([client, server] { relay(client, server); });
        }
        for (std::thread &one : relays)
            one.join();
    }
    // The descriptor of the other side; -1: there is none.
    static int talk(int client, deed what) {
        switch (what) {
        case deed::drop:
            ::shutdown(client, SHUT_RDWR);
            return -1;
        case deed::silence:
            return -1;
        case deed::no_method:
            take(client, 3);
            say(client, "\x05\xFF"s);
            return -1;
        case deed::refusal:
            take(client, 3);
            say(client, "\x05\x00"s);
            take(client, 10);
            say(client, "\x05\x05\x00\x01"s + std::string(6, '\0'));
            return -1;
        case deed::duty:
            break;
        }
        take(client, 3);
        say(client, "\x05\x00"s);
        const std::string request = take(client, 10);
        if (request.size() != 10)
            return -1;
        const auto high = static_cast<unsigned char>(request[8]),
                   low = static_cast<unsigned char>(request[9]);
        const int server = connect_locally(static_cast<std::uint16_t>(high << 8 | low));
        say(client, "\x05\x00\x00\x01"s + std::string(6, '\0'));
        return server;
    }
    std::vector<deed> deeds_;
    std::vector<int> open_; // the worker's
    std::atomic<int> connections_ = 0;
    bare_listener listener_;
    std::thread worker_;
};

class socks : public ::testing::Test {
  protected:
    socks() {
        push.set(ZMQ_RECONNECT_IVL, 5);
        EXPECT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    }
    void connect_by(const proxy &way) {
        push.set(ZMQ_SOCKS_PROXY, way.text());
        ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
        ASSERT_EQ(push.send("hello"), 0);
    }
    context owner;
    socket pull{owner, ZMQ_PULL};
    socket push{owner, ZMQ_PUSH};
};

TEST_F(socks, a_proxy_that_fails_is_tried_again) {
    using deed = proxy::deed;
    const proxy way({deed::drop, deed::no_method, deed::refusal, deed::drop, deed::refusal});
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    EXPECT_EQ(way.connections(), 6);
    push.close();
}

TEST_F(socks, a_proxy_that_says_nothing_is_left) {
    const proxy way({proxy::deed::silence, proxy::deed::silence});
    push.set(ZMQ_CONNECT_TIMEOUT, 20);
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    push.close();
}

TEST_F(socks, the_time_for_a_handshake_is_the_proxys_too) {
    const proxy way({proxy::deed::silence});
    push.set(ZMQ_HANDSHAKE_IVL, 50);
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    push.close();
}

TEST_F(socks, nothing_goes_around_a_proxy_that_is_not_there) {
    push.set(ZMQ_SOCKS_PROXY, unused_endpoint("tcp").substr(6));
    ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
    ASSERT_EQ(push.send("hello"), 0);
    EXPECT_TRUE(pull.quiet());
    push.set(ZMQ_SOCKS_PROXY, "nonsense");
    ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
    EXPECT_TRUE(pull.quiet());
}

TEST_F(socks, closing_does_not_wait_for_a_silent_proxy) {
    const proxy way({proxy::deed::silence});
    connect_by(way);
    ASSERT_TRUE(eventually([&] { return way.connections() == 1; }));
    push.close();
    pull.close();
    owner.term();
}

} // namespace
} // namespace zlink::conformance
