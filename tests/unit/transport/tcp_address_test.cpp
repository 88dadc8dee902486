// SPDX-License-Identifier: MPL-2.0
#include "transport/tcp_address.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

namespace zlink::transport {
namespace {

// The endpoint text of what an address is bound to, or the error's number.
std::string bound(std::string_view address, bool ipv6) {
    const auto resolved = resolve_tcp_bind(address, ipv6);
    return resolved ? tcp_endpoint_text(*resolved) : std::to_string(resolved.code());
}

const std::string no_device = std::to_string(ENODEV);
const std::string invalid = std::to_string(EINVAL);

struct bind_case {
    std::string_view address;
    std::string_view ipv4; // endpoint text without IPv6, or "" for ENODEV
    std::string_view ipv6; // with it; "" for ENODEV
};

constexpr bind_case bind_cases[] = {
    {"*:1", "tcp://0.0.0.0:1", "tcp://[::]:1"},
    {"*:*", "tcp://0.0.0.0:0", "tcp://[::]:0"},
    {"[*]:1", "tcp://0.0.0.0:1", "tcp://[::]:1"},
    {"127.0.0.1:5555", "tcp://127.0.0.1:5555", "tcp://[::ffff:127.0.0.1]:5555"},
    {"[127.0.0.1]:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"0.0.0.0:1", "tcp://0.0.0.0:1", "tcp://[::ffff:0.0.0.0]:1"},
    {"0:1", "tcp://0.0.0.0:1", "tcp://[::ffff:0.0.0.0]:1"},
    {"127.1:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"0x7f.1:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"2130706433:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"[::ffff:127.0.0.1]:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"127.0.0.1%lo:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"*%lo:1", "tcp://0.0.0.0:1", "tcp://[::]:1"},
    {"[::1]:5555", "", "tcp://[::1]:5555"},
    {"::1:5555", "", "tcp://[::1]:5555"},
    {"[::]:1", "", "tcp://[::]:1"},
    {"[::1%lo]:1", "", "tcp://[::1]:1"},
    {"[::1%99]:1", "", "tcp://[::1]:1"},
    {"[fe80::1%lo]:1", "", "tcp://[fe80::1%lo]:1"},
    {"localhost:1", "", ""}, // bind looks no host names up
    {"nosuch:1", "", ""},
    {"256.0.0.1:1", "", ""},
    {":1", "", ""},
    {"[]:1", "", ""},
    {"[::1:1", "", ""},
    {"[::1]%lo:1", "", ""},
    {"a b:1", "", ""},
    {"127.0.0.1 :1", "", ""},
    {"LO:1", "", ""},
    {"%lo:1", "", ""},
    {"127.0.0.1:0;127.0.0.1:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"8.8.8.8:1;127.0.0.1:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"*:*;127.0.0.1:1", "tcp://127.0.0.1:1", "tcp://[::ffff:127.0.0.1]:1"},
    {"127.0.0.1:0;*:1", "tcp://0.0.0.0:1", "tcp://[::]:1"},
    {"[::1]:0;127.0.0.1:1", "", "tcp://[::ffff:127.0.0.1]:1"},
    {"nosuch:0;127.0.0.1:1", "", ""},
    {"127.0.0.1:0;nosuch:1", "", ""},
};

TEST(tcp_address, bind_takes_numeric_addresses_and_wildcards) {
    for (const auto &[address, ipv4, ipv6] : bind_cases) {
        EXPECT_EQ(bound(address, false), ipv4.empty() ? no_device : std::string(ipv4)) << address;
        EXPECT_EQ(bound(address, true), ipv6.empty() ? no_device : std::string(ipv6)) << address;
    }
}

// The resolver reads a scope itself; only addresses of one link keep it.
TEST(tcp_address, other_addresses_than_those_of_a_link_have_no_scope) {
    EXPECT_EQ(bound("[2001:db8::1%3%3]:1", true), "tcp://[2001:db8::1]:1");
    EXPECT_EQ(bound("[fe80::1%lo]:1", true), "tcp://[fe80::1%lo]:1");
    EXPECT_EQ(bound("[fe80::1%77%lo]:1", true), "tcp://[fe80::1%lo]:1");
}

TEST(tcp_address, bind_refuses_unknown_scopes_and_malformed_ports) {
    for (const std::string_view address :
         {"[fe80::1%nosuch]:1", "[::1%]:1", "127.0.0.1%nosuch:1", "*%nosuch:1", "nosuch%nosuch:1",
          "lo%nosuch:1", "%:1", "127.0.0.1", "*", "nosuch:x", "127.0.0.1:x;127.0.0.1:1",
          "127.0.0.1:0;127.0.0.1"}) {
        EXPECT_EQ(bound(address, false), invalid) << address;
        EXPECT_EQ(bound(address, true), invalid) << address;
    }
}

TEST(tcp_address, bind_takes_names_of_interfaces) {
    EXPECT_EQ(bound("lo:1", false), "tcp://127.0.0.1:1");
    EXPECT_EQ(bound("[lo]:*", false), "tcp://127.0.0.1:0");
    EXPECT_EQ(bound("lo%lo:1", false), "tcp://127.0.0.1:1");
    const std::string with_ipv6 = bound("lo:1", true);
    EXPECT_TRUE(with_ipv6 == "tcp://[::1]:1" || with_ipv6 == no_device)
        << with_ipv6; // a machine without IPv6
}

TEST(tcp_address, what_is_resolved_can_be_bound) {
    const auto address = resolve_tcp_bind("127.0.0.1:*", false);
    ASSERT_TRUE(address.ok());
    const int socket = ::socket(address->family(), SOCK_STREAM, 0);
    ASSERT_GE(socket, 0);
    EXPECT_EQ(::bind(socket, address->data(), address->size), 0);
    socket_address actual;
    actual.size = sizeof actual.storage;
    EXPECT_EQ(::getsockname(socket, actual.data(), &actual.size), 0);
    EXPECT_NE(port_of(actual), 0);
    EXPECT_EQ(tcp_endpoint_text(actual), "tcp://127.0.0.1:" + std::to_string(port_of(actual)));
    ::close(socket);
}

enum class finding { number, name, never };

struct connect_case {
    std::string_view peer;
    finding ipv4;
    finding ipv6;
};

constexpr connect_case connect_cases[] = {
    {"127.0.0.1:1", finding::number, finding::number},
    {"0:1", finding::number, finding::number},
    {"127.1:1", finding::number, finding::number},
    {"127.0.0.1%lo:1", finding::number, finding::number},
    {"[::ffff:127.0.0.1]:1", finding::number, finding::number},
    {"[::1]:1", finding::never, finding::number},
    {"[::1%99]:1", finding::never, finding::number},
    {"[::1%nosuch]:1", finding::never, finding::never},
    {"127.0.0.1%nosuch:1", finding::never, finding::never},
    {"localhost:1", finding::name, finding::name},
    {"[localhost]:1", finding::name, finding::name},
    {"lo:1", finding::name, finding::name}, // no interfaces here
    {"256.0.0.1:1", finding::name, finding::name},
    {"127.0.0.1:0", finding::never, finding::never},
    {"*:1", finding::never, finding::never},
    {":1", finding::never, finding::never},
    {"[]:1", finding::never, finding::never},
};

finding classify(std::string_view peer, bool ipv6) {
    const auto parsed = parse_tcp_host_port(peer);
    EXPECT_TRUE(parsed.ok()) << peer;
    const auto found = resolve_tcp_numeric(*parsed, ipv6);
    if (!found) {
        EXPECT_EQ(found.code(), EINVAL);
        return finding::never;
    }
    return found->has_value() ? finding::number : finding::name;
}

TEST(tcp_address, connect_tells_numbers_from_names) {
    for (const auto &[peer, ipv4, ipv6] : connect_cases) {
        EXPECT_EQ(classify(peer, false), ipv4) << peer;
        EXPECT_EQ(classify(peer, true), ipv6) << peer;
    }
}

std::string numeric_text(std::string_view peer, bool ipv6) {
    return tcp_endpoint_text(**resolve_tcp_numeric(*parse_tcp_host_port(peer), ipv6));
}

TEST(tcp_address, connect_keeps_the_family_of_a_number) {
    EXPECT_EQ(numeric_text("127.0.0.1:7", true), "tcp://127.0.0.1:7");
    EXPECT_EQ(numeric_text("[::1]:7", true), "tcp://[::1]:7");
    EXPECT_EQ(numeric_text("[fe80::1%lo]:7", true), "tcp://[fe80::1%lo]:7");
    EXPECT_EQ(numeric_text("[::ffff:127.0.0.1]:7", false), "tcp://127.0.0.1:7");
}

socket_address numeric(std::string_view peer) {
    return **resolve_tcp_numeric(*parse_tcp_host_port(peer), true);
}

TEST(tcp_address, unmapped_gives_plain_ipv4) {
    EXPECT_EQ(tcp_endpoint_text(unmapped(numeric("[::ffff:1.2.3.4]:7"))), "tcp://1.2.3.4:7");
    EXPECT_EQ(tcp_endpoint_text(unmapped(numeric("[::1]:7"))), "tcp://[::1]:7");
    EXPECT_EQ(tcp_endpoint_text(unmapped(numeric("1.2.3.4:7"))), "tcp://1.2.3.4:7");
    EXPECT_EQ(tcp_endpoint_text(with_port(numeric("[::1]:7"), 8)), "tcp://[::1]:8");
}

TEST(tcp_address, loopback_is_known_in_each_of_its_forms) {
    for (const char *own : {"127.0.0.1:7", "127.200.0.9:7", "[::1]:7", "[::ffff:127.0.0.1]:7"})
        EXPECT_TRUE(is_loopback(numeric(own))) << own;
    for (const char *other : {"128.0.0.1:7", "10.127.0.1:7", "[::2]:7", "[fe80::1]:7", "[::ffff:1.2.3.4]:7"})
        EXPECT_FALSE(is_loopback(numeric(other))) << other;
}

struct filter_case {
    std::string_view filter;
    std::string_view peer;
    bool accepted;
};

constexpr filter_case filter_cases[] = {
    {"10.0.0.0/8", "10.255.0.1:1", true},
    {"10.0.0.0/8", "11.0.0.1:1", false},
    {"10.0.0.0/8", "[::ffff:10.1.2.3]:1", true}, // accepted by a socket for both families
    {"10.0.0.0/8", "[::1]:1", false},
    {"10.1.2.3", "10.1.2.3:1", true},
    {"10.1.2.3", "10.1.2.2:1", false},
    {"10.1.2.0/23", "10.1.3.255:1", true},
    {"10.1.2.0/23", "10.1.4.0:1", false},
    {"0.0.0.0/0", "1.2.3.4:1", true},
    {"fe80::/10", "[febf::1]:1", true},
    {"fe80::/10", "[fec0::1]:1", false},
    {"::1", "[::1]:1", true},
    {"::1", "[::2]:1", false},
    {"::/0", "[2001:db8::1]:1", true},
    {"::/0", "1.2.3.4:1", false},
};

TEST(tcp_filter, accepts_the_addresses_of_its_network) {
    for (const auto &[filter, peer, accepted] : filter_cases) {
        const auto parsed = parse_tcp_filter(filter, true);
        ASSERT_TRUE(parsed.ok()) << filter;
        EXPECT_EQ(parsed->accepts(numeric(peer)), accepted) << filter << " " << peer;
    }
    EXPECT_TRUE(parse_tcp_filter("10.0.0.0/8", false)->accepts(numeric("[::ffff:10.1.2.3]:1")));
}

} // namespace
} // namespace zlink::transport
