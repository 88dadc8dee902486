// SPDX-License-Identifier: MPL-2.0
// The server of pages, as clients see it: with requests that are right, wrong, slow or many.
#include "metrics/page_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace zlink::metrics {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

page make_page(const std::string &path) {
    if (path == "/throws")
        throw std::runtime_error("no page");
    return {200, "text/plain", "page of " + path + "\n"};
}

class served : public testing::Test {
  protected:
    served() : server("tcp://127.0.0.1:*", make_page), thread([this] { server.run(); }) {}
    ~served() override {
        server.stop();
        thread.join();
    }
    page_server server;
    std::thread thread;
};

class raw_client {
  public:
    explicit raw_client(const page_server &server) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        const std::string text = server.endpoint();
        place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1))));
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr *>(&place), sizeof place), 0);
        const timeval patience{20, 0};
        ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~raw_client() { ::close(descriptor_); }
    raw_client(const raw_client &) = delete;
    raw_client &operator=(const raw_client &) = delete;

    void say(const std::string &text) const {
        EXPECT_EQ(::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
    }
    // Until the server ends the connection, or `end` has come.
    [[nodiscard]] std::string hear(const std::string &end = "\n\n\n\n") const {
        std::string all;
        char part[1024];
        while (!all.ends_with(end)) {
            const ssize_t size = ::recv(descriptor_, part, sizeof part, 0);
            if (size <= 0)
                break;
            all.append(part, static_cast<std::size_t>(size));
        }
        return all;
    }

  private:
    int descriptor_;
};

std::string answer_to(const page_server &server, const std::string &request) {
    const raw_client client(server);
    client.say(request);
    return client.hear();
}

TEST_F(served, a_page_with_its_length_and_without_the_query) {
    const std::string answer = answer_to(server, "GET /a?b=c HTTP/1.0\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.0 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("Content-Length: 11\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\npage of /a\n"));
}

TEST_F(served, two_requests_on_one_connection) {
    const raw_client client(server);
    for (int i = 0; i < 2; ++i) {
        client.say("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
        EXPECT_THAT(client.hear("page of /a\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
    }
}

TEST_F(served, a_head_has_the_length_and_no_body) {
    const std::string answer = answer_to(server, "HEAD /a HTTP/1.0\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Content-Length: 11\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(served, other_methods_are_refused) {
    EXPECT_THAT(answer_to(server, "POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n"),
                StartsWith("HTTP/1.0 405 "));
}

TEST_F(served, a_page_that_cannot_be_made_is_an_error) {
    EXPECT_THAT(answer_to(server, "GET /throws HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 500 "));
}

TEST_F(served, what_is_no_request_ends_the_connection) {
    for (const std::string &wrong : {std::string("\x16\x03\x01\x02\x00\x01", 6), std::string("GET\r\n\r\n"),
                                     "GET / HTTP/1.1\r\nA: " + std::string(9000, 'a') + "\r\n\r\n",
                                     std::string("POST / HTTP/1.1\r\nContent-Length: 99999\r\n\r\n")}) {
        const raw_client client(server);
        client.say(wrong);
        EXPECT_EQ(client.hear(), "") << wrong.substr(0, 40);
    }
    EXPECT_THAT(answer_to(server, "GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 200"));
}

// Each has two seconds; those over the limit are served then.
TEST_F(served, clients_that_say_nothing_do_not_keep_others_out) {
    std::vector<std::unique_ptr<raw_client>> silent;
    for (int i = 0; i < 20; ++i)
        silent.push_back(std::make_unique<raw_client>(server));
    EXPECT_THAT(answer_to(server, "GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.0 200"));
}

TEST_F(served, a_place_that_is_taken) {
    EXPECT_THROW(page_server(server.endpoint(), make_page), std::runtime_error);
}

TEST(page_server_places, other_forms_are_refused) {
    for (const char *wrong : {"", "tcp://", "tcp://:1", "tcp://127.0.0.1:", "tcp://127.0.0.1:x",
                              "tcp://127.0.0.1:70000", "ipc://a:1", "127.0.0.1:1"})
        EXPECT_THROW(page_server(wrong, make_page), std::invalid_argument) << wrong;
    for (const char *wrong : {"tcp://no.such.host.invalid:9464", "tcp://192.0.2.1:9464"})
        EXPECT_THROW(page_server(wrong, make_page), std::runtime_error) << wrong;
}

TEST(page_server_places, of_the_sixth_version) {
    const page_server server("tcp://[::1]:*", make_page);
    EXPECT_THAT(server.endpoint(), StartsWith("tcp://[::1]:"));
}

} // namespace
} // namespace zlink::metrics
