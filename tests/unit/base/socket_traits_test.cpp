// SPDX-License-Identifier: MPL-2.0
// The table of socket types against the manual pages, the C header, and docs/api/draft_types.md.
#include "base/socket_traits.hpp"

#include "base/socket_options.hpp"
#include "zlink/c/constants.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace zlink {
namespace {

socket_type type_of(std::size_t number) {
    return static_cast<socket_type>(number);
}

// The names of these types, in the order of their numbers.
std::string names(socket_types types) {
    std::string text;
    for (std::size_t number = 0; number < socket_type_count; ++number)
        if (types.contains(type_of(number)))
            text += (text.empty() ? "" : " ") + std::string(traits_of(type_of(number)).name);
    return text;
}
std::string names_with(socket_rule rule) {
    return names(types_with(rule));
}
// The names of the types for which this is true of a socket with these options.
template <class Question> std::string names_if(Question holds, socket_options options = {}) {
    socket_types found;
    for (std::size_t number = 0; number < socket_type_count; ++number) {
        options.type = type_of(number);
        if (holds(options))
            found.insert(options.type);
    }
    return names(found);
}

TEST(socket_traits, rows_have_the_numbers_of_the_c_header) {
    const std::map<int, std::string> header{
        {ZMQ_PAIR, "PAIR"},      {ZMQ_PUB, "PUB"},         {ZMQ_SUB, "SUB"},       {ZMQ_REQ, "REQ"},
        {ZMQ_REP, "REP"},        {ZMQ_DEALER, "DEALER"},   {ZMQ_ROUTER, "ROUTER"}, {ZMQ_PULL, "PULL"},
        {ZMQ_PUSH, "PUSH"},      {ZMQ_XPUB, "XPUB"},       {ZMQ_XSUB, "XSUB"},     {ZMQ_STREAM, "STREAM"},
        {ZMQ_SERVER, "SERVER"},  {ZMQ_CLIENT, "CLIENT"},   {ZMQ_RADIO, "RADIO"},   {ZMQ_DISH, "DISH"},
        {ZMQ_GATHER, "GATHER"},  {ZMQ_SCATTER, "SCATTER"}, {ZMQ_DGRAM, "DGRAM"},   {ZMQ_PEER, "PEER"},
        {ZMQ_CHANNEL, "CHANNEL"}};
    EXPECT_EQ(header.size(), socket_type_count);
    for (const auto &[number, name] : header)
        EXPECT_EQ(traits_of(static_cast<socket_type>(number)).name, name);
}

// zmq_socket(3): "Compatible peer sockets" and "Send/receive pattern". STREAM's peers are no sockets.
TEST(socket_traits, peers_and_directions_are_those_of_the_manual_page) {
    struct described {
        std::string peers;
        bool sends;
        bool receives;
    };
    const std::map<std::string, described> page{
        {"PAIR", {"PAIR", true, true}},
        {"PUB", {"SUB XSUB", true, false}},
        {"SUB", {"PUB XPUB", false, true}},
        {"REQ", {"REP ROUTER", true, true}},
        {"REP", {"REQ DEALER", true, true}},
        {"DEALER", {"REP DEALER ROUTER", true, true}},
        {"ROUTER", {"REQ DEALER ROUTER", true, true}},
        {"PULL", {"PUSH", false, true}},
        {"PUSH", {"PULL", true, false}},
        {"XPUB", {"SUB XSUB", true, true}},
        {"XSUB", {"PUB XPUB", true, true}},
        {"STREAM", {"", true, true}},
        {"SERVER", {"CLIENT", true, true}},
        {"CLIENT", {"SERVER", true, true}},
        {"RADIO", {"DISH", true, false}},
        {"DISH", {"RADIO", false, true}},
        {"GATHER", {"SCATTER", false, true}},
        {"SCATTER", {"GATHER", true, false}},
        {"DGRAM", {"", true, true}},
        {"PEER", {"PEER", true, true}},
        {"CHANNEL", {"CHANNEL", true, true}},
    };
    for (const socket_traits &row : socket_table::rows) {
        if (row.name.empty())
            continue;
        const auto found = page.find(std::string(row.name));
        ASSERT_NE(found, page.end()) << row.name;
        EXPECT_EQ(names(row.peers), found->second.peers) << row.name;
        EXPECT_EQ(row.sends(), found->second.sends) << row.name;
        EXPECT_EQ(row.receives(), found->second.receives) << row.name;
    }
}

TEST(socket_traits, compatible_types_name_each_other) {
    for (std::size_t own = 0; own < socket_type_count; ++own)
        for (std::size_t other = 0; other < socket_type_count; ++other)
            EXPECT_EQ(traits_of(type_of(own)).peers.contains(type_of(other)),
                      traits_of(type_of(other)).peers.contains(type_of(own)))
                << own << " " << other;
}

// The cells of the rows of the first table: | `ZMQ_X` | peers | sends | receives | ... |
std::vector<std::vector<std::string>> rows_of_page() {
    std::ifstream page(ZLINK_REPOSITORY "/docs/api/draft_types.md");
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("| `ZMQ_")) {
            std::istringstream cells(line);
            rows.emplace_back();
            for (std::string cell; std::getline(cells, cell, '|');)
                rows.back().push_back(cell);
        } else if (!rows.empty()) {
            break;
        }
    }
    return rows;
}

TEST(socket_traits, types_of_many_threads_are_as_the_page_says) {
    std::map<std::string, std::vector<std::string>> page;
    for (const auto &cells : rows_of_page()) {
        ASSERT_GE(cells.size(), 5U);
        page[cells[1].substr(6, cells[1].size() - 8)] = cells;
    }
    for (std::size_t number = 0; number < socket_type_count; ++number) {
        const socket_traits &row = traits_of(type_of(number));
        const auto found = page.find(std::string(row.name));
        ASSERT_EQ(row.thread_safe, found != page.end()) << row.name;
        if (!row.thread_safe)
            continue;
        const auto &cells = found->second;
        EXPECT_EQ(cells[2].find(" " + names(row.peers)), 0U) << row.name;
        EXPECT_EQ(row.sends(), cells[3] != " `ENOTSUP` ") << row.name;
        EXPECT_EQ(row.receives(), cells[4] != " `ENOTSUP` ") << row.name;
    }
    EXPECT_EQ(page.size(), 8U);
}

TEST(socket_traits, publishing_has_two_parts) {
    EXPECT_EQ(names(types_where(&socket_traits::publishes)), "PUB XPUB RADIO");
    EXPECT_EQ(names(types_where(&socket_traits::subscribes)), "SUB XSUB DISH");
    EXPECT_EQ(names(types_where(&socket_traits::has_topics)), "PUB SUB XPUB XSUB");
    EXPECT_EQ(names(types_where(&socket_traits::publishes_topics)), "PUB XPUB");
    EXPECT_EQ(names(types_where(&socket_traits::subscribes_to_topics)), "SUB XSUB");
    EXPECT_EQ(names(types_where(&socket_traits::sends_subscriptions)), "XSUB");
    EXPECT_EQ(names(types_where(&socket_traits::only_subscribes)), "SUB DISH");
}

TEST(socket_traits, conversations_have_turns_sides_and_names) {
    EXPECT_EQ(names(types_where(&socket_traits::takes_turns)), "REQ REP");
    EXPECT_EQ(names(types_where(&socket_traits::asks)), "REQ");
    EXPECT_EQ(names(types_where(&socket_traits::answers)), "REP");
    EXPECT_EQ(names(types_where(&socket_traits::numbers_peers)), "SERVER PEER");
    EXPECT_EQ(names(types_where(&socket_traits::numbers_its_connections)), "PEER"); // zmq_connect_peer(3)
    EXPECT_EQ(names_if(hears_disconnects), "ROUTER SERVER PEER");
    EXPECT_EQ(names_if(hears_hiccups), "DEALER CLIENT PEER");
    socket_options options;
    options.pattern.hello_message = "hello";
    const auto greets = [](const socket_options &asked) { return !hello_of(asked).empty(); };
    EXPECT_EQ(names_if(greets, options), "DEALER ROUTER SERVER CLIENT PEER");
    options.pattern.router_raw = true;
    EXPECT_EQ(names_if(greets, options), "");
}

TEST(socket_traits, bare_bytes_are_for_stream_and_a_raw_router) {
    EXPECT_EQ(names_if(is_raw), "STREAM");
    EXPECT_EQ(names_if(shows_routing_ids), "ROUTER");
    socket_options options;
    options.pattern.router_raw = true;
    EXPECT_EQ(names_if(is_raw, options), "ROUTER STREAM");
    EXPECT_EQ(names_if(shows_routing_ids, options), "");
    EXPECT_EQ(names(types_where([](const socket_traits &row) { return !row.speaks_zmtp(); })),
              "STREAM DGRAM");
}

// zmq_setsockopt(3): "Applicable socket types" of ZMQ_CONFLATE.
TEST(socket_traits, conflation_is_for_messages_of_one_direction) {
    const auto sends_latest = [](const socket_options &of) {
        return keeps(of, direction::send) == keep_rule::latest_frame;
    };
    const auto receives_latest = [](const socket_options &of) {
        return keeps(of, direction::receive) == keep_rule::latest_frame;
    };
    socket_options options;
    options.conflate = true;
    EXPECT_EQ(names_if(sends_latest, options), "PUB DEALER PUSH");
    EXPECT_EQ(names_if(receives_latest, options), "SUB DEALER PULL");
    options.conflate = false;
    EXPECT_EQ(names_if(sends_latest, options) + names_if(receives_latest, options), "");
}

// zmq_udp(7), zmq_pgm(7).
TEST(socket_traits, carriers_are_those_of_the_pages_of_transports) {
    EXPECT_EQ(names(types_over(carrier::datagram)), "RADIO DISH DGRAM");
    EXPECT_EQ(names(types_over(carrier::multicast)), "PUB SUB XPUB XSUB");
    EXPECT_EQ(
        names(types_where([](const socket_traits &row) { return !row.carriers.contains(carrier::stream); })),
        "DGRAM");
}

TEST(socket_traits, rules_hold_for_these_types) {
    EXPECT_EQ(names_with(socket_rule::tells_identity), "REQ DEALER ROUTER");
    EXPECT_EQ(names_with(socket_rule::connects_once), "PUB SUB REQ DEALER"); // zmq_connect(3)
    EXPECT_EQ(names_with(socket_rule::answers_zap), "REP ROUTER SERVER");
    EXPECT_EQ(names_with(socket_rule::carries_events), "PAIR PUB PUSH"); // zmq_socket_monitor_versioned(3)
    EXPECT_EQ(names_with(socket_rule::counts_as_router), "DEALER ROUTER");
    EXPECT_EQ(names_with(socket_rule::body_first), "PAIR SUB DEALER PULL");
    EXPECT_EQ(names_with(socket_rule::holds_nothing), "PAIR REQ REP DEALER ROUTER PULL");
    EXPECT_EQ(names_with(socket_rule::looks_ahead), "SUB REQ REP ROUTER XSUB");
    EXPECT_EQ(names_with(socket_rule::keeps_message_arg), "XPUB STREAM");
}

TEST(socket_traits, a_number_that_is_no_type_has_no_properties) {
    for (const std::size_t number : {socket_type_count, std::size_t{31}, std::size_t{32}, std::size_t{255}}) {
        const socket_traits &row = traits_of(type_of(number));
        EXPECT_EQ(row.pattern, pattern_class::none) << number;
        EXPECT_TRUE(row.name.empty() && row.peers.empty() && row.carriers.empty()) << number;
        EXPECT_TRUE(row.ways.empty() && row.options.empty() && row.rules.empty()) << number;
    }
}

} // namespace
} // namespace zlink
