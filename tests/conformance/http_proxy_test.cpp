// SPDX-License-Identifier: MPL-2.0
// ZLINK_HTTP_PROXY: connections through a proxy of HTTP, which is asked with CONNECT.
#include "bare_proxy.hpp"
#include "security_rig.hpp"

#include <mutex>

namespace zlink::conformance {
namespace {

constexpr const char *welcome = "HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n";

// Each connection in turn gets the answer that was set for it; all others are served. No answer: the
// connection stays silent.
class http_proxy {
  public:
    explicit http_proxy(std::vector<std::string> first = {})
        : answers_(std::move(first)), worker_([this] { work(); }) {}
    ~http_proxy() {
        listener_.stop();
        worker_.join();
        for (const int open : open_)
            ::close(open);
    }
    http_proxy(const http_proxy &) = delete;
    [[nodiscard]] std::string text() const { return listener_.endpoint().substr("tcp://"s.size()); }
    [[nodiscard]] std::vector<std::string> requests() {
        const std::lock_guard lock(guard_);
        return requests_;
    }

  private:
    void work() {
        std::vector<std::thread> relays;
        for (int client; (client = listener_.accept()) >= 0;) {
            open_.push_back(client);
            std::string request;
            while (!request.ends_with("\r\n\r\n")) {
                const std::string byte = take(client, 1);
                if (byte.empty())
                    break;
                request += byte;
            }
            const std::size_t turn = keep(request);
            if (turn < answers_.size()) {
                if (!answers_[turn].empty()) {
                    say(client, answers_[turn]);
                    ::shutdown(client, SHUT_RDWR);
                }
                continue;
            }
            const std::size_t colon = request.find(':');
            const int server =
                connect_locally(static_cast<std::uint16_t>(std::stoi(request.substr(colon + 1))));
            // The server's first bytes may come right behind the answer.
            pollfd ready{server, POLLIN, 0};
            char early[4096];
            const ssize_t got =
                ::poll(&ready, 1, 50) == 1 ? ::recv(server, early, sizeof early, MSG_DONTWAIT) : 0;
            say(client, welcome + std::string(early, got > 0 ? static_cast<std::size_t>(got) : 0));
            relays.emplace_back([client, server] { relay(client, server); });
        }
        for (std::thread &one : relays)
            one.join();
    }
    std::size_t keep(const std::string &request) {
        const std::lock_guard lock(guard_);
        requests_.push_back(request);
        return requests_.size() - 1;
    }

    std::vector<std::string> answers_;
    std::vector<int> open_; // the worker's
    std::mutex guard_;
    std::vector<std::string> requests_;
    bare_listener listener_;
    std::thread worker_;
};

class by_http_proxy : public transport_test {
  protected:
    by_http_proxy() { push.set(ZMQ_RECONNECT_IVL, 5); }
    void connect_by(const http_proxy &way) {
        endpoint = bind(pull);
        push.set(ZLINK_HTTP_PROXY, way.text());
        ASSERT_EQ(push.connect(endpoint), 0);
        ASSERT_EQ(push.send("hello"), 0);
    }
    // "127.0.0.1:port"
    [[nodiscard]] std::string authority() const {
        const std::size_t begin = endpoint.find("://") + 3;
        return endpoint.substr(begin, endpoint.find('/', begin) - begin);
    }
    socket pull{owner, ZMQ_PULL};
    socket push{owner, ZMQ_PUSH};
    std::string endpoint;
};

TEST_P(by_http_proxy, messages_flow) {
    http_proxy way;
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    for (int number = 0; number < 1000; ++number)
        ASSERT_EQ(push.send(std::to_string(number)), 0);
    for (int number = 0; number < 1000; ++number)
        ASSERT_EQ(pull.receive(), std::to_string(number));
    EXPECT_EQ(way.requests(),
              std::vector{"CONNECT " + authority() + " HTTP/1.1\r\nHost: " + authority() + "\r\n\r\n"});
    push.close();
}

TEST_P(by_http_proxy, the_login_is_told) {
    http_proxy way;
    push.set(ZLINK_HTTP_PROXY_LOGIN, "Aladdin:open sesame"); // the example of RFC 7617
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    const std::vector<std::string> asked = way.requests();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_NE(asked[0].find("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"),
              std::string::npos)
        << asked[0];
    push.close();
}

TEST_P(by_http_proxy, one_that_fails_is_asked_again) {
    http_proxy way({"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
                    "HTTP/1.1 503 no\r\n\r\n", "SSH-2.0-not a proxy\r\n\r\n", "HTTP/1.1 200",
                    std::string(10000, 'x')});
    handshake_monitor monitor(owner, push);
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    EXPECT_EQ(way.requests().size(), 6U);
    for (const int reason : {EACCES, ECONNREFUSED, EPROTO, EPROTO})
        EXPECT_EQ(monitor.next(), "other " + std::to_string(reason));
    EXPECT_EQ(monitor.next(), "succeeded");
    push.close();
}

TEST_P(by_http_proxy, one_that_is_silent_is_left) {
    http_proxy way({""});
    push.set(ZMQ_CONNECT_TIMEOUT, 500); // of the exchange with the proxy too
    connect_by(way);
    EXPECT_EQ(pull.receive(), "hello");
    push.close();
}

TEST_P(by_http_proxy, nothing_goes_around_one_that_is_not_there) {
    endpoint = bind(pull);
    push.set(ZLINK_HTTP_PROXY, unused_endpoint("tcp").substr(6));
    push.set(ZMQ_LINGER, 0);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(push.send("hello"), 0);
    EXPECT_TRUE(pull.quiet());
}

TEST_P(by_http_proxy, it_is_not_used_beside_one_of_socks) {
    http_proxy way;
    endpoint = bind(pull);
    push.set(ZLINK_HTTP_PROXY, way.text());
    push.set(ZMQ_SOCKS_PROXY, unused_endpoint("tcp").substr(6));
    push.set(ZMQ_LINGER, 0);
    ASSERT_EQ(push.connect(endpoint), 0);
    EXPECT_TRUE(pull.quiet());
    EXPECT_TRUE(way.requests().empty());
}

INSTANTIATE_TEST_SUITE_P(over, by_http_proxy, ::testing::Values("tcp", "tls", "ws", "wss"), transport_name);

} // namespace
} // namespace zlink::conformance
