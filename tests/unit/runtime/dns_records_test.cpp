// SPDX-License-Identifier: MPL-2.0
#include "runtime/dns_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "dns_server.hpp"

namespace zlink::runtime {
namespace {

using test::dns_manner;
using test::dns_zone;

std::vector<std::string> texts(const dns_family &of) {
    std::vector<std::string> found;
    for (const dns_address &address : of.addresses) {
        char text[INET6_ADDRSTRLEN];
        found.emplace_back(::inet_ntop(address.family, &address.bytes, text, sizeof text));
    }
    std::ranges::sort(found);
    return found;
}

class dns_records : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!dns_available())
            GTEST_SKIP() << "built without c-ares";
    }
    dns_answer ask(bool ipv6 = false) {
        // A dot at the end: the domains of this machine are not tried.
        return find_dns_records("peers.test.", ipv6, {server.text(), 100, 2}, [] { return false; });
    }
    test::dns_server server;
};

TEST_F(dns_records, give_every_address_and_the_time_to_live) {
    server.set("peers.test", {{"127.0.0.1", "127.0.0.2"}, {"::1"}, 77});
    const dns_answer answer = ask();
    EXPECT_EQ(answer.v4.outcome, dns_outcome::found);
    EXPECT_THAT(texts(answer.v4), ::testing::ElementsAre("127.0.0.1", "127.0.0.2"));
    EXPECT_EQ(answer.v4.ttl_s, 77U);
    EXPECT_EQ(answer.v6.outcome, dns_outcome::none) << "it was not asked for";
}

TEST_F(dns_records, of_both_families_are_told_apart) {
    server.set("peers.test", {{"127.0.0.1"}, {"::1", "2001:db8::7"}, 5});
    const dns_answer answer = ask(true);
    EXPECT_THAT(texts(answer.v4), ::testing::ElementsAre("127.0.0.1"));
    EXPECT_THAT(texts(answer.v6), ::testing::ElementsAre("2001:db8::7", "::1"));
    EXPECT_EQ(answer.v6.ttl_s, 5U);
}

TEST_F(dns_records, of_one_family_hold_when_the_other_one_fails) {
    server.set("peers.test", {{"127.0.0.1"}, {}, 5, dns_manner::answers, dns_manner::says_servfail});
    const dns_answer answer = ask(true);
    EXPECT_EQ(answer.v4.outcome, dns_outcome::found);
    EXPECT_EQ(answer.v6.outcome, dns_outcome::failed);
}

TEST_F(dns_records, come_by_tcp_where_a_datagram_is_too_short) {
    dns_zone zone{.ttl_s = 9};
    for (int i = 1; i <= 100; ++i)
        zone.v4.push_back("127.0.1." + std::to_string(i));
    server.set("peers.test", zone);
    const dns_answer answer = ask();
    EXPECT_EQ(answer.v4.addresses.size(), 100U);
    EXPECT_EQ(answer.v4.ttl_s, 9U);
    EXPECT_GT(server.asked_by_tcp(), 0);
}

TEST_F(dns_records, that_do_not_exist_are_no_failure) {
    server.set("peers.test", {.manner = dns_manner::says_nxdomain});
    EXPECT_EQ(ask().v4.outcome, dns_outcome::none);
    server.set("peers.test", {}); // the name exists, and has no addresses
    EXPECT_EQ(ask().v4.outcome, dns_outcome::none);
}

TEST_F(dns_records, fail_if_the_server_fails) {
    for (const auto manner : {dns_manner::says_servfail, dns_manner::sends_garbage, dns_manner::is_silent}) {
        server.set("peers.test", {{"127.0.0.1"}, {}, 5, manner});
        EXPECT_EQ(ask().v4.outcome, dns_outcome::failed) << static_cast<int>(manner);
    }
}

TEST_F(dns_records, are_not_waited_for_when_nobody_wants_them) {
    server.set("peers.test", {.manner = dns_manner::is_silent});
    const auto begin = std::chrono::steady_clock::now();
    const dns_answer answer =
        find_dns_records("peers.test.", false, {server.text(), 60'000, 1}, [] { return true; });
    EXPECT_EQ(answer.v4.outcome, dns_outcome::failed);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(dns_records, fail_with_servers_that_are_none) {
    const dns_answer answer =
        find_dns_records("peers.test.", false, {"no server", 100, 1}, [] { return false; });
    EXPECT_EQ(answer.v4.outcome, dns_outcome::failed);
}

} // namespace
} // namespace zlink::runtime
