// SPDX-License-Identifier: MPL-2.0
#include "transport/endpoint.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace zlink::transport {
namespace {

TEST(endpoint, enums_can_be_printed) {
    EXPECT_STREQ(to_string(ipc_kind::wildcard), "wildcard");
}

struct port_case {
    std::string_view text;
    int code;
    int port;
};

constexpr port_case port_cases[] = {
    {"h:*", 0, 0},
    {"h:0", 0, 0},
    {"h:1", 0, 1},
    {"h:65535", 0, 65535},
    {"h:+47001", 0, 47001},
    {"h: 47002", 0, 47002},
    {"h:\t47002", 0, 47002},
    {"h:47003 ", 0, 47003},
    {"h:47004x", 0, 47004},
    {"h:47050/x", 0, 47050},
    {"h:047005", 0, 47005},
    {"h:1*", 0, 1},
    {"h", EINVAL, 0},
    {"h:", EINVAL, 0},
    {"", EINVAL, 0},
    {":", EINVAL, 0},
    {"h:x", EINVAL, 0},
    {"h:!", EINVAL, 0},
    {"h:**", EINVAL, 0},
    {"h:00", EINVAL, 0},
    {"h:0x1", EINVAL, 0},
    {"h:65536", EINVAL, 0},
    {"h:4294967296", EINVAL, 0},
    // libzmq cuts these to 16 bits, and takes 65535 and 1; a port out of range is refused here.
    {"h:-1", EINVAL, 0},
    {"h:4294967297", EINVAL, 0},
};

TEST(tcp_address, port_is_a_star_or_begins_with_a_number) {
    for (const auto &[text, code, port] : port_cases) {
        const auto parsed = parse_tcp_host_port(text);
        EXPECT_EQ(parsed.code(), code) << text;
        EXPECT_EQ(parsed.ok() ? parsed->port : 0, port) << text;
    }
}

struct host_case {
    std::string_view text;
    std::string_view host;
    std::string_view scope;
    bool scoped;
};

constexpr host_case host_cases[] = {
    {"*:1", "*", "", false},
    {":1", "", "", false},
    {"lo:1", "lo", "", false},
    {"[::1]:1", "::1", "", false},
    {"::1:1", "::1", "", false},
    {":::1", "::", "", false},
    {"[*]:1", "*", "", false},
    {"[]:1", "", "", false},
    {"[::1:1", "[::1", "", false},
    {"::1]:1", "::1]", "", false},
    {"[:1", "[", "", false},
    {"[[::1]]:1", "[::1]", "", false},
    {"[fe80::1%lo]:1", "fe80::1", "lo", true},
    {"[fe80::1%]:1", "fe80::1", "", true},
    {"[::1]%lo:1", "[::1]", "lo", true},
    {"127.0.0.1%lo:1", "127.0.0.1", "lo", true},
    {"%:1", "", "", true},
    {"[::1]1", "[:", "", false}, // the last colon counts
};

TEST(tcp_address, host_loses_its_brackets_and_scope) {
    for (const auto &expected : host_cases) {
        SCOPED_TRACE(expected.text);
        const auto parsed = parse_tcp_host_port(expected.text);
        ASSERT_TRUE(parsed.ok());
        EXPECT_EQ(parsed->host, expected.host);
        EXPECT_EQ(parsed->scope, expected.scope);
        EXPECT_EQ(parsed->scoped, expected.scoped);
    }
}

TEST(tcp_address, source_comes_before_the_last_semicolon) {
    EXPECT_FALSE(parse_tcp_address("h:1")->source.has_value());
    const auto parsed = parse_tcp_address("lo:*;127.0.0.1:7");
    ASSERT_TRUE(parsed.ok() && parsed->source.has_value());
    EXPECT_EQ(parsed->source->host, "lo");
    EXPECT_EQ(parsed->source->port, 0);
    EXPECT_EQ(parsed->peer.host, "127.0.0.1");
    EXPECT_EQ(parsed->peer.port, 7);
    EXPECT_EQ(parse_tcp_address("127.0.0.1:1;;127.0.0.1:7")->source->port, 1);
    EXPECT_EQ(parse_tcp_address("a:0;b:1;c:2")->source->host, "a:0;b");
    for (const std::string_view text :
         {"a;b:1", ";b:1", "a:1;", "a:1;b", "a:x;b:1", "a:65536;b:1", "a:0;;b:1"}) {
        EXPECT_EQ(parse_tcp_address(text).code(), EINVAL) << text;
    }
}

constexpr std::string_view connectable[] = {
    "127.0.0.1:0",
    "127.0.0.1:65536",
    "127.0.0.1:4294967297",
    "127.0.0.1:1x",
    "127.0.0.1:0x",
    "127.0.0.1:1*",
    ":47006",
    "0:1",
    "localhost:1",
    "nosuch.invalid:1",
    "a_b:1",
    "a-b:1",
    "1-1:1",
    "a.:1",
    "a%b:1",
    "x.y:1:2",
    "[::1]:1",
    "[::1]1",
    "[::1]",
    "::1:1",
    ":::1",
    "[]:1",
    "[*]:1",
    "[localhost]:1",
    "[fe80::1%nosuch]:1",
    "127.0.0.1:0;127.0.0.1:1",
    "127.0.0.1;127.0.0.1:1",
    "127.0.0.1:0;",
    "127.0.0.1:0;127.0.0.1",
    "a:1;b",
    "a:x;b:1",
    "127.0.0.1:0;*:1",
    "nosuch:0;127.0.0.1:1",
    "lo:*;127.0.0.1:1",
};

constexpr std::string_view unconnectable[] = {
    "",
    ":",
    "/",
    "*",
    "*:*",
    "*:1",
    "*:0;127.0.0.1:1",
    "*;127.0.0.1:1",
    ";127.0.0.1:1",
    "127.0.0.1",
    "eth0",
    "127.0.0.1:",
    "127.0.0.1:*",
    "127.0.0.1:x",
    "127.0.0.1:-1",
    "127.0.0.1:+1",
    "127.0.0.1: 1",
    "127.0.0.1:1 ",
    "127.0.0.1:1/x",
    "127.0.0.1:**",
    "a b:1",
    "-:1",
    "-a:1",
    ".:1",
    "_a:1",
    "%a:1",
    "]:1",
    "a/b:1",
    "a@b:1",
    "a,b:1",
    "a=b:1",
    "\xc3\xa9:1",
    "[::1]:",
    "a:1:",
    "a:1:x",
    "a:1;b:x",
};

TEST(tcp_address, connect_refuses_at_once_what_cannot_be_an_address) {
    for (const std::string_view text : connectable) {
        EXPECT_TRUE(check_tcp_connect(text).ok()) << text;
    }
    for (const std::string_view text : unconnectable) {
        EXPECT_EQ(check_tcp_connect(text).code(), EINVAL) << text;
    }
}

// Every character, at the first place and at a later one.
TEST(tcp_address, connect_knows_the_characters_of_an_address) {
    const std::string alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const std::string first = alphanumeric + "[:";
    const std::string later = alphanumeric + "[:-.%;]_*";
    for (int code = 1; code < 256; ++code) {
        const char character = static_cast<char>(code);
        const std::string in_front = std::string(1, character) + "a:1";
        const std::string behind = std::string("a") + character + "a:1";
        EXPECT_EQ(check_tcp_connect(in_front).ok(), first.find(character) != std::string::npos) << code;
        EXPECT_EQ(check_tcp_connect(behind).ok(), later.find(character) != std::string::npos) << code;
    }
}

TEST(ipc_address, is_a_path_or_an_abstract_name) {
    EXPECT_EQ(parse_ipc_bind("/tmp/x")->kind, ipc_kind::path);
    EXPECT_EQ(parse_ipc_bind("relative name")->name, "relative name");
    EXPECT_EQ(parse_ipc_bind("@abc")->kind, ipc_kind::abstract);
    EXPECT_EQ(parse_ipc_bind("@abc")->name, "abc");
    EXPECT_EQ(parse_ipc_bind("@*")->name, "*");
    EXPECT_EQ(parse_ipc_bind("@").code(), EINVAL);
    EXPECT_EQ(parse_ipc_connect("@").code(), EINVAL);
    EXPECT_EQ(parse_ipc_connect("").code(), EINVAL);
}

TEST(ipc_address, only_bind_knows_the_wildcard) {
    for (const std::string_view text : {"*", "**", "*x"}) {
        EXPECT_EQ(parse_ipc_bind(text)->kind, ipc_kind::wildcard) << text;
        EXPECT_EQ(parse_ipc_connect(text)->kind, ipc_kind::path) << text;
        EXPECT_EQ(parse_ipc_connect(text)->name, text);
    }
}

TEST(ipc_address, fits_a_socket_address_or_is_too_long) {
    const std::string fits(107, 'a');
    const std::string abstract_fits = "@" + std::string(106, 'a');
    EXPECT_TRUE(parse_ipc_bind(fits).ok());
    EXPECT_TRUE(parse_ipc_connect(abstract_fits).ok());
    EXPECT_EQ(parse_ipc_bind(fits + "a").code(), ENAMETOOLONG);
    EXPECT_EQ(parse_ipc_connect(fits + "a").code(), ENAMETOOLONG);
    EXPECT_EQ(parse_ipc_bind(abstract_fits + "a").code(), ENAMETOOLONG);
}

} // namespace
} // namespace zlink::transport
