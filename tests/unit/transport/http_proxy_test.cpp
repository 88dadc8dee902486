// SPDX-License-Identifier: MPL-2.0
#include "transport/http_proxy.hpp"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

std::string request_of(const http_proxy_client &client) {
    return {reinterpret_cast<const char *>(client.output().data()), client.output().size()};
}

tcp_host_port host_named(std::string name) {
    tcp_host_port host;
    host.host = std::move(name);
    host.port = 5555;
    return host;
}

// Feeds as much as the client wants at a time. Returns what is left.
std::string feed(http_proxy_client &client, std::string text) {
    while (client.wanted() != 0 && !text.empty()) {
        const std::size_t size = std::min(client.wanted(), text.size());
        client.feed({reinterpret_cast<const std::uint8_t *>(text.data()), size});
        text.erase(0, size);
    }
    return text;
}

TEST(HttpProxy, AsksForTheHost) {
    EXPECT_EQ(request_of({host_named("a.example"), {}}),
              "CONNECT a.example:5555 HTTP/1.1\r\nHost: a.example:5555\r\n\r\n");
    EXPECT_EQ(request_of({host_named("::1"), {}}), "CONNECT [::1]:5555 HTTP/1.1\r\nHost: [::1]:5555\r\n\r\n");
}

TEST(HttpProxy, RefusesAHostThatWouldEndTheLine) {
    for (const char *host : {"", "a\r\nX: y", "a b", "a\n"}) {
        const http_proxy_client client(host_named(host), {});
        EXPECT_EQ(client.state(), http_proxy_state::failed);
        EXPECT_EQ(client.failure(), EINVAL);
        EXPECT_TRUE(client.output().empty());
    }
}

TEST(HttpProxy, TakesNothingBehindTheAnswer) {
    for (const char *answer : {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 299 x\r\nA: b\r\nC: d\r\n\r\n",
                               "HTTP/1.1 200 \r\nA:\r\n\r\n"}) {
        http_proxy_client client(host_named("a"), {});
        EXPECT_EQ(feed(client, answer + std::string("\xFF greeting")), "\xFF greeting");
        EXPECT_EQ(client.state(), http_proxy_state::done);
        EXPECT_EQ(client.failure(), 0);
    }
}

TEST(HttpProxy, TellsWhyItFailed) {
    const struct {
        std::string answer;
        int code;
    } cases[]{{"HTTP/1.1 407 Login\r\n\r\n", EACCES},
              {"HTTP/1.1 403 No\r\n\r\n", ECONNREFUSED},
              {"HTTP/1.1 302 Moved\r\n\r\n", ECONNREFUSED},
              {"HTTP/2 200\r\n\r\n", EPROTO},
              {"HTTP/1.1\r\n\r\n", EPROTO},
              {"HTTP/1.1 20\r\n\r\n", EPROTO},
              {"HTTP/1.1 2x0 a\r\n\r\n", EPROTO},
              {"\r\n\r\n", EPROTO},
              {"HTTP/1.1 200 OK\r\nno field\r\n\r\n", EPROTO},
              {std::string(9000, 'x'), EPROTO}};
    for (const auto &[answer, code] : cases) {
        http_proxy_client client(host_named("a"), {});
        feed(client, answer);
        EXPECT_EQ(client.state(), http_proxy_state::failed) << answer.substr(0, 40);
        EXPECT_EQ(client.failure(), code) << answer.substr(0, 40);
        EXPECT_EQ(client.wanted(), 0U);
    }
}

} // namespace
} // namespace zlink::transport
