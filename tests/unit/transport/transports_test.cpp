// SPDX-License-Identifier: MPL-2.0
#include "transport/transports.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace zlink::transport {
namespace {

struct endpoint_case {
    std::string_view text;
    int code;
};

constexpr endpoint_case endpoint_cases[] = {
    {"", EINVAL},
    {"tcp", EINVAL},
    {"tcp:", EINVAL},
    {"tcp:/", EINVAL},
    {"tcp://", EINVAL},
    {"://", EINVAL},
    {"://x", EINVAL},
    {"foo://", EINVAL},
    {"ipc://", EINVAL},
    {"inproc://", EINVAL},
    {"foo://x", EPROTONOSUPPORT},
    {"TCP://127.0.0.1:0", EPROTONOSUPPORT},
    {"INPROC://a", EPROTONOSUPPORT},
    {"tcp ://x", EPROTONOSUPPORT},
    {"http://x:1", EPROTONOSUPPORT},
    {"wss://x:1", 0},
    {"vsock://1:1", EPROTONOSUPPORT},
    {"udp://127.0.0.1:1", errc::no_compatible},
    {"pgm://x;239.1.1.1:1", errc::no_compatible},
    {"epgm://x;239.1.1.1:1", errc::no_compatible},
    {"norm://x:1", errc::no_compatible},
    {"tcp://127.0.0.1:0", 0},
    {"tcp://anything", 0}, // the address is looked at later
    {"ipc:// ", 0},
    {"inproc://a", 0},
    {"inproc:///", 0},
};

TEST(endpoint, is_a_known_scheme_and_an_address) {
    for (const auto &[text, code] : endpoint_cases) {
        EXPECT_EQ(parse_endpoint(text, socket_type::pair).code(), code) << text;
    }
}

TEST(endpoint, keeps_the_address_as_it_is) {
    const auto parsed = parse_endpoint("inproc://a://b ", socket_type::pair);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->kind(), transport_kind::in_process);
    EXPECT_EQ(parsed->address, "a://b ");
    EXPECT_EQ(parse_endpoint("inproc://" + std::string(3000, 'a'), socket_type::pair)->address.size(), 3000U);
    EXPECT_EQ(parse_endpoint("ipc://@x", socket_type::pair)->transport, find_transport("ipc"));
    EXPECT_EQ(parse_endpoint("tcp://*:1", socket_type::pair)->transport, find_transport("tcp"));
    EXPECT_EQ(text_of(*parse_endpoint("tcp://*:1", socket_type::pair)), "tcp://*:1");
}

// Schemes that are known by name and not spoken: what is said depends on whether the type could use them.
TEST(endpoint, multicast_is_for_publishers_and_subscribers) {
    EXPECT_EQ(parse_endpoint("pgm://x;239.1.1.1:1", socket_type::pub).code(), EPROTONOSUPPORT);
    EXPECT_EQ(parse_endpoint("norm://x:1", socket_type::xsub).code(), EPROTONOSUPPORT);
    EXPECT_EQ(parse_endpoint("udp://x:1", socket_type::pub).code(), errc::no_compatible);
    EXPECT_TRUE(parse_endpoint("udp://x:1", socket_type::radio));
    EXPECT_TRUE(parse_endpoint("udp://x:1", socket_type::dgram));
    EXPECT_EQ(parse_endpoint("tcp://x:1", socket_type::dgram).code(), errc::no_compatible);
}

TEST(transports, rows_of_byte_streams_have_what_listeners_and_connectors_call) {
    for (const std::string_view scheme : {"tcp", "ipc"}) {
        const transport_row *const row = find_transport(scheme);
        ASSERT_NE(row, nullptr);
        EXPECT_EQ(row->kind, transport_kind::byte_stream);
        EXPECT_TRUE(row->listen && row->check_connect && row->plan && row->open && row->tune &&
                    row->passes_filters && row->endpoint_text && row->peer_address)
            << scheme;
    }
    EXPECT_EQ(find_transport("tcpp"), nullptr);
}

TEST(transports, a_plan_is_the_address_or_the_name_to_be_looked_up) {
    const transport_row &tcp = *find_transport("tcp");
    const auto numeric = tcp.plan("127.0.0.1:7", {});
    ASSERT_TRUE(numeric);
    ASSERT_EQ(numeric->addresses.size(), 1U);
    EXPECT_EQ(tcp.endpoint_text(numeric->addresses[0]), "tcp://127.0.0.1:7");
    EXPECT_FALSE(numeric->to_look_up);
    const auto named = tcp.plan("127.0.0.2:0;host:7", {});
    ASSERT_TRUE(named);
    EXPECT_TRUE(named->addresses.empty());
    ASSERT_TRUE(named->to_look_up && named->source);
    EXPECT_EQ(named->to_look_up->host, "host");
    EXPECT_EQ(named->source->host, "127.0.0.2");
    EXPECT_FALSE(tcp.plan("host", {}));
}

TEST(transports, a_proxy_is_connected_to_and_asked_for_the_host) {
    const transport_row &tcp = *find_transport("tcp");
    socket_options options;
    EXPECT_TRUE(tcp.openings(connection_side::connected, "host:7", options).empty());
    EXPECT_EQ(tcp.event_text("host:7", options), "tcp://host:7");
    options.socks_proxy = "127.0.0.1:1080";
    const auto plan = tcp.plan("host:7", options);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->addresses.size(), 1U);
    EXPECT_EQ(tcp.endpoint_text(plan->addresses[0]), "tcp://127.0.0.1:1080");
    EXPECT_EQ(tcp.openings(connection_side::connected, "host:7", options).size(), 1U);
    EXPECT_TRUE(tcp.openings(connection_side::accepted, "host:7", options).empty());
    EXPECT_EQ(tcp.event_text("host:7", options), "tcp://127.0.0.1:1080");
}

} // namespace
} // namespace zlink::transport
