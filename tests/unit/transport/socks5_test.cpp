// SPDX-License-Identifier: MPL-2.0
// The client's side of SOCKS 5: RFC 1928 and RFC 1929, each exchange split at every byte.
#include "transport/socks5.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zlink::transport {
namespace {

using bytes = std::vector<std::uint8_t>;
using namespace std::string_literals;

bytes of(const std::string &text) {
    return {text.begin(), text.end()};
}

tcp_host_port host(std::string name, std::uint16_t port = 0x1234) {
    tcp_host_port made;
    made.host = std::move(name);
    made.port = port;
    return made;
}

bytes take_output(socks5_client &client) {
    const bytes out(client.output().begin(), client.output().end());
    client.consume_output(out.size());
    return out;
}

// The proxy's words, in pieces of at most `piece` bytes, and the client's. The client never takes more than
// it wants.
struct exchange {
    exchange(socks5_client &client, const bytes &answers, std::size_t piece) {
        told = take_output(client);
        while (taken < answers.size() && client.wanted() != 0) {
            const std::size_t count = std::min({piece, client.wanted(), answers.size() - taken});
            client.feed(std::span(answers).subspan(taken, count));
            taken += count;
            const bytes more = take_output(client);
            told.insert(told.end(), more.begin(), more.end());
        }
    }
    bytes told;
    std::size_t taken = 0;
};

const std::string done_v4 = "\x05\x00\x00\x01\x7F\x00\x00\x01\x00\x50"s;

TEST(socks5, asks_for_an_address_or_a_name) {
    const struct {
        const char *name;
        bool ipv6;
        std::string request;
    } rows[] = {
        {"127.0.0.1", false, "\x05\x01\x00\x01\x7F\x00\x00\x01\x12\x34"s},
        {"127.0.0.1", true, "\x05\x01\x00\x01\x7F\x00\x00\x01\x12\x34"s},
        {"::1", true, "\x05\x01\x00\x04"s + std::string(15, '\0') + "\x01\x12\x34"s},
        {"::1", false, "\x05\x01\x00\x03\x03::1\x12\x34"s}, // it is for the proxy to say what that is
        {"example.org", false,
         "\x05\x01\x00\x03\x0B"
         "example.org\x12\x34"s},
    };
    for (const auto &row : rows) {
        socks5_client client(host(row.name), row.ipv6, {});
        const exchange all(client, of("\x05\x00"s + done_v4), 1);
        EXPECT_EQ(client.state(), socks5_state::done) << row.name;
        EXPECT_EQ(all.told, of("\x05\x01\x00"s + row.request)) << row.name;
    }
}

TEST(socks5, logs_in_when_the_proxy_asks_for_it) {
    const std::string login = "\x01\x04user\x06secret"s;
    const std::string request = "\x05\x01\x00\x03\x01h\x12\x34"s;
    {
        socks5_client client(host("h"), false, {"user", "secret"});
        const exchange all(client, of("\x05\x02\x01\x00"s + done_v4), 100);
        EXPECT_EQ(all.told, of("\x05\x01\x02"s + login + request));
        EXPECT_EQ(client.state(), socks5_state::done);
    }
    {
        socks5_client client(host("h"), false, {"user", "secret"});
        const exchange all(client, of("\x05\x00"s + done_v4), 100);
        EXPECT_EQ(all.told, of("\x05\x01\x02"s + request));
        EXPECT_EQ(client.state(), socks5_state::done);
    }
}

// Split at every byte, and with the peer's first bytes behind it: they are not touched.
TEST(socks5, takes_no_byte_too_much_however_it_comes) {
    const std::string ends[] = {
        done_v4,
        "\x05\x00\x00\x04"s + std::string(16, 'a') + "pp",
        "\x05\x00\x00\x03\x00pp"s,
        "\x05\x00\x00\x03\xFF"s + std::string(255, 'n') + "pp",
    };
    for (const std::string &end : ends)
        for (std::size_t piece = 1; piece < 300; ++piece) {
            socks5_client client(host("h"), false, {"u", ""});
            const std::string answers = "\x05\x02\x01\x00"s + end;
            const exchange all(client, of(answers + "ZMTP"), piece);
            ASSERT_EQ(client.state(), socks5_state::done) << piece;
            ASSERT_EQ(all.taken, answers.size()) << piece;
            ASSERT_EQ(client.wanted(), 0U);
        }
}

TEST(socks5, gives_up_on_every_other_answer) {
    const std::string bad[] = {
        "\x05\xFF"s,                 // none of our methods
        "\x05\x02"s,                 // a login that nobody offered
        "\x05\x01"s,                 // GSSAPI
        "\x04\x00"s,                 // another version
        "\x05\x00\x04\x00\x00\x01"s, // the same in the answer
        "\x05\x00\x05\x05\x00\x01"s, // connection refused
        "\x05\x00\x05\x00\x01\x01"s, // a reserved byte
        "\x05\x00\x05\x00\x00\x02"s, // no type of address
    };
    for (const std::string &answers : bad) {
        socks5_client client(host("h"), false, {});
        const exchange all(client, of(answers + "more than that"), 1);
        EXPECT_EQ(client.state(), socks5_state::failed);
        EXPECT_EQ(all.taken, answers.size());
    }
    for (const std::string &status : {"\x01\x01"s, "\x05\x00"s}) {
        socks5_client client(host("h"), false, {"user", "secret"});
        const exchange all(client, of("\x05\x02"s + status + done_v4), 1);
        EXPECT_EQ(client.state(), socks5_state::failed);
        EXPECT_EQ(all.taken, 4U);
    }
}

TEST(socks5, cut_off_anywhere_it_is_not_done) {
    const bytes answers = of("\x05\x02\x01\x00"s + done_v4);
    for (std::size_t end = 0; end < answers.size(); ++end) {
        socks5_client client(host("h"), false, {"u", "p"});
        const exchange all(client, bytes(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(end)),
                           3);
        EXPECT_NE(client.state(), socks5_state::done);
        EXPECT_NE(client.state(), socks5_state::failed);
        EXPECT_GT(client.wanted(), 0U);
    }
}

TEST(socks5, what_does_not_fit_is_never_asked_for) {
    const std::string longest(255, 'x'), longer(256, 'x');
    EXPECT_EQ(socks5_client(host(longest), false, {longest, longest}).state(), socks5_state::choosing);
    EXPECT_EQ(socks5_client(host(longer), false, {}).state(), socks5_state::failed);
    EXPECT_EQ(socks5_client(host(""), false, {}).state(), socks5_state::failed);
    EXPECT_EQ(socks5_client(host("h"), false, {longer, ""}).state(), socks5_state::failed);
    EXPECT_EQ(socks5_client(host("h"), false, {"u", longer}).state(), socks5_state::failed);
    EXPECT_TRUE(socks5_client(host(longer), false, {}).output().empty());
}

} // namespace
} // namespace zlink::transport
