// SPDX-License-Identifier: MPL-2.0
#include "core/option_table.hpp"

#include "option_expectations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace zlink::core {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

static_assert(std::endian::native == std::endian::little, "the payloads are written so");

std::span<const std::byte> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

socket_options options_of(int type) {
    socket_options options;
    options.type = static_cast<socket_type>(type);
    if (options.type == socket_type::sub || options.type == socket_type::xsub) {
        options.linger_ms = 0; // as new sockets of these types have it
    }
    return options;
}

result<void> set_int(socket_options &options, int id, int value) {
    return set_option(options, id, std::as_bytes(std::span(&value, 1)));
}

result<void> set_text(socket_options &options, int id, std::string_view value) {
    return set_option(options, id, bytes_of(value));
}

int int_of(const socket_options &options, int id) {
    int value = -12345;
    const auto got = get_option(options, id, std::as_writable_bytes(std::span(&value, 1)));
    EXPECT_TRUE(got.ok()) << option_name(id);
    return value;
}

std::optional<std::string> read_with(const socket_options &options, int id, std::size_t room) {
    std::string out(room, '\xee');
    const auto size = get_option(options, id, std::as_writable_bytes(std::span(out)));
    if (!size) {
        EXPECT_EQ(size.code(), EINVAL);
        return std::nullopt;
    }
    return out.substr(0, *size);
}

// With the room of a text, an int, or 64 bits, whichever it takes.
std::optional<std::string> read_any(const socket_options &options, int id) {
    for (const std::size_t room : {512U, 4U, 8U}) {
        if (auto value = read_with(options, id, room)) {
            return value;
        }
    }
    return std::nullopt;
}

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char character : bytes) {
        const auto byte = static_cast<unsigned char>(character);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

// The word of a list that says what becomes of a payload; nothing when it is refused.
std::optional<std::string> verdict(std::string_view list, std::string_view payload) {
    std::istringstream words{std::string(list)};
    const bool refused_ones = list.starts_with('!');
    for (std::string word; words >> word;) {
        if (word == payload || word.starts_with(std::string(payload) + "=")) {
            return refused_ones ? std::nullopt : std::optional(word);
        }
    }
    return refused_ones ? std::optional(std::string(payload)) : std::nullopt;
}

bool takes_room(std::string_view rooms, int room) {
    if (rooms.starts_with(">=")) {
        return room >= std::stoi(std::string(rooms.substr(2)));
    }
    return verdict(rooms, std::to_string(room)).has_value();
}

void check_value_after_set(const socket_options &options, const test::option_expectation &row,
                           const test::option_payload &payload, const std::string &word) {
    const auto value = read_any(options, row.id);
    ASSERT_TRUE(value.has_value());
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
        EXPECT_EQ(hexadecimal(*value), word.substr(equals + 1));
    } else {
        const std::string set(payload.bytes);
        EXPECT_TRUE(*value == set || *value == set + '\0') << hexadecimal(*value);
    }
}

void check_payload(int type, const test::option_expectation &row, const test::option_payload &payload) {
    SCOPED_TRACE(payload.name);
    socket_options options = options_of(type);
    const auto word = verdict(row.accepted, payload.name);
    const auto done = set_option(options, row.id, bytes_of(payload.bytes));
    EXPECT_EQ(done.code(), word ? 0 : EINVAL);
    if (row.value == "-") {
        return;
    }
    if (word) {
        check_value_after_set(options, row, payload, *word);
    } else if (*find_option(row.id) != option_home::live) {
        EXPECT_EQ(hexadecimal(read_any(options, row.id).value_or("unreadable")), row.value);
    }
}

void check_rooms(int type, const test::option_expectation &row) {
    const socket_options options = options_of(type);
    for (const int room : test::option_rooms) {
        const bool live = *find_option(row.id) == option_home::live;
        const auto size = static_cast<std::size_t>(room);
        const bool taken =
            live ? check_live_get(options, row.id, size).ok() : read_with(options, row.id, size).has_value();
        EXPECT_EQ(taken, takes_room(row.rooms, room)) << "room " << room;
    }
}

TEST(option_table, answers_every_payload_as_the_packaged_library) {
    for (const auto &row : test::option_expectations) {
        for (int type = 0; type < 12; ++type) {
            if ((row.types >> type & 1) == 0) {
                continue;
            }
            SCOPED_TRACE("option " + std::string(option_name(row.id)) + " of type " + std::to_string(type));
            ASSERT_TRUE(find_option(row.id).ok());
            check_rooms(type, row);
            for (const auto &payload : test::option_payloads) {
                check_payload(type, row, payload);
            }
        }
    }
}

// GSSAPI is answered as by a library built without it.
TEST(option_table, refuses_numbers_that_have_no_row) {
    std::vector<int> unknown(std::begin(test::unknown_options), std::end(test::unknown_options));
    unknown.insert(unknown.end(), {62, 63, 64, 65, 90, 91});
    for (const int id : unknown) {
        SCOPED_TRACE(id);
        EXPECT_EQ(find_option(id).code(), EINVAL);
        EXPECT_TRUE(option_name(id).empty());
        socket_options options;
        for (const auto &payload : test::option_payloads) {
            EXPECT_EQ(set_option(options, id, bytes_of(payload.bytes)).code(), EINVAL);
        }
        EXPECT_EQ(read_any(options, id), std::nullopt);
        EXPECT_EQ(check_live_get(options, id, sizeof(int)).code(), EINVAL);
    }
}

TEST(option_table, refuses_a_null_pointer_with_a_size) {
    socket_options options;
    for (const int id : {4, 5, 17, 45, 55, 68, 92, 95}) {
        const auto *nothing = static_cast<const std::byte *>(nullptr);
        EXPECT_EQ(set_option(options, id, {nothing, sizeof(int)}).code(), EINVAL) << id;
    }
    const std::span<std::byte> nowhere(static_cast<std::byte *>(nullptr), sizeof(int));
    EXPECT_EQ(get_option(options, 17, nowhere).code(), EINVAL);
}

TEST(option_table, says_what_the_socket_has_to_carry_out) {
    for (const int id : {option_id::send_hwm, option_id::receive_hwm}) {
        EXPECT_EQ(*find_option(id), option_home::applied);
    }
    for (const int id : {option_id::subscribe, option_id::unsubscribe, option_id::receive_more, option_id::fd,
                         option_id::events, option_id::topics_count}) {
        EXPECT_EQ(*find_option(id), option_home::live);
    }
    EXPECT_EQ(*find_option(27), option_home::stored);
    EXPECT_STREQ(to_string(option_home::applied), "applied");
}

TEST(option_table, gives_the_fd_of_pollable_types_only) {
    EXPECT_TRUE(check_live_get(options_of(static_cast<int>(socket_type::dgram)), option_id::fd, 4).ok());
    EXPECT_EQ(check_live_get(options_of(static_cast<int>(socket_type::client)), option_id::fd, 4).code(),
              EINVAL);
    EXPECT_EQ(int_of(options_of(static_cast<int>(socket_type::client)), 81), 1);
    EXPECT_EQ(int_of(options_of(static_cast<int>(socket_type::dgram)), 81), 0);
}

TEST(option_table, counts_topics_of_publishers_and_subscribers_only) {
    for (int type = 0; type < 12; ++type) {
        const bool counts = type == 1 || type == 2 || type == 9 || type == 10;
        EXPECT_EQ(check_live_get(options_of(type), option_id::topics_count, sizeof(int)).ok(), counts)
            << type;
    }
}

TEST(option_table, writes_live_values_as_ints) {
    std::array<std::byte, 8> out{};
    EXPECT_EQ(*put_option_value(3, out), sizeof(int));
    EXPECT_EQ(out[0], std::byte{3});
    EXPECT_EQ(put_option_value(3, std::span(out).first(3)).code(), EINVAL);
}

TEST(option_table, tells_the_type) {
    for (int type = 0; type < 12; ++type) {
        EXPECT_EQ(int_of(options_of(type), 16), type);
    }
}

TEST(option_table, ends_text_with_a_nul_that_needs_room) {
    socket_options options;
    options.last_endpoint = "ipc://@a";
    EXPECT_EQ(read_with(options, 32, 8), std::nullopt);
    EXPECT_EQ(read_with(options, 32, 9), std::string("ipc://@a\0", 9));
    options.routing_id = "abcd";
    EXPECT_EQ(read_with(options, 5, 3), std::nullopt);
    EXPECT_EQ(read_with(options, 5, 4), "abcd");
}

TEST(option_table, subscribes_publishers_in_manual_mode) {
    for (const int type : {1, 9}) {
        socket_options options = options_of(type);
        EXPECT_EQ(set_text(options, option_id::subscribe, "A").code(), EINVAL);
        ASSERT_TRUE(set_int(options, 71, 1).ok());
        EXPECT_TRUE(set_text(options, option_id::subscribe, "A").ok());
        EXPECT_TRUE(set_text(options, option_id::unsubscribe, "A").ok());
        EXPECT_TRUE(set_option(options, option_id::subscribe, {}).ok());
        ASSERT_TRUE(set_int(options, 71, 0).ok());
        EXPECT_EQ(set_text(options, option_id::subscribe, "A").code(), EINVAL);
    }
}

TEST(option_table, last_value_mode_is_manual_mode) {
    socket_options options = options_of(9);
    ASSERT_TRUE(set_int(options, 98, 1).ok());
    EXPECT_TRUE(set_text(options, option_id::subscribe, "A").ok());
    ASSERT_TRUE(set_int(options, 71, 0).ok());
    EXPECT_EQ(set_text(options, option_id::subscribe, "A").code(), EINVAL);
    ASSERT_TRUE(set_int(options, 71, 1).ok());
    ASSERT_TRUE(set_int(options, 98, 0).ok());
    EXPECT_EQ(set_text(options, option_id::subscribe, "A").code(), EINVAL);
}

TEST(option_table, the_last_of_verbose_and_verboser_decides) {
    socket_options options = options_of(9);
    const auto modes = [&] { return std::pair(options.pattern.xpub_verbose, options.pattern.xpub_verboser); };
    ASSERT_TRUE(set_int(options, 78, 1).ok());
    EXPECT_EQ(modes(), std::pair(true, true));
    ASSERT_TRUE(set_int(options, 40, 1).ok());
    EXPECT_EQ(modes(), std::pair(true, false));
    ASSERT_TRUE(set_int(options, 78, 0).ok());
    EXPECT_EQ(modes(), std::pair(false, false));
}

TEST(option_table, flags_of_patterns_reach_the_pattern) {
    socket_options router = options_of(6);
    for (const int id : {33, 41, 51, 56}) {
        ASSERT_TRUE(set_int(router, id, 7).ok());
    }
    ASSERT_TRUE(set_text(router, 61, "peer").ok());
    EXPECT_TRUE(router.pattern.router_mandatory && router.pattern.router_raw && router.pattern.probe_router &&
                router.pattern.router_handover);
    EXPECT_EQ(router.pattern.connect_routing_id, "peer");
    socket_options request = options_of(3);
    ASSERT_TRUE(set_int(request, 52, 1).ok());
    EXPECT_TRUE(request.pattern.request_correlate && !request.pattern.request_relaxed);
    socket_options publisher = options_of(1);
    ASSERT_TRUE(set_int(publisher, 69, 1).ok() && set_int(publisher, 108, 1).ok() &&
                set_text(publisher, 72, "hello").ok());
    EXPECT_TRUE(publisher.send_policy == hwm_policy::block && publisher.pattern.only_first_subscribe);
    ASSERT_TRUE(set_int(publisher, 69, 0).ok());
    EXPECT_EQ(publisher.send_policy, hwm_policy::as_libzmq);
    publisher.send_policy = hwm_policy::disconnect;
    ASSERT_TRUE(set_int(publisher, 69, 0).ok());
    EXPECT_EQ(publisher.send_policy, hwm_policy::disconnect) << "it is not what ZMQ_XPUB_NODROP asked for";
    EXPECT_EQ(publisher.pattern.xpub_welcome_message, "hello");
    ASSERT_TRUE(set_option(publisher, 72, {}).ok());
    EXPECT_EQ(publisher.pattern.xpub_welcome_message, "");
    socket_options stream = options_of(11);
    ASSERT_TRUE(set_int(stream, 73, 0).ok());
    EXPECT_FALSE(stream.pattern.stream_notify);
}

TEST(option_table, heartbeat_ttl_is_kept_in_tenths_of_a_second) {
    socket_options options;
    EXPECT_EQ(set_int(options, 76, -100).code(), EINVAL);
    EXPECT_TRUE(set_int(options, 76, -99).ok());
    EXPECT_TRUE(set_int(options, 76, 6553599).ok());
    EXPECT_EQ(options.heartbeat_ttl_deciseconds, 65535);
    EXPECT_EQ(set_int(options, 76, 6553600).code(), EINVAL);
    EXPECT_EQ(options.heartbeat_ttl_deciseconds, 65535);
}

TEST(option_table, ipv4only_is_the_inverse_of_ipv6) {
    socket_options options;
    ASSERT_TRUE(set_int(options, 31, 0).ok());
    EXPECT_EQ(int_of(options, 42), 1);
    ASSERT_TRUE(set_int(options, 42, 0).ok());
    EXPECT_EQ(int_of(options, 31), 1);
}

// Pairs of (mechanism, server) after each step, as the packaged library tells them.
TEST(option_table, plain_options_choose_the_mechanism) {
    socket_options options;
    const auto now = [&] { return std::pair(int_of(options, 43), int_of(options, 44)); };
    ASSERT_TRUE(set_int(options, 44, 1).ok());
    EXPECT_EQ(now(), std::pair(1, 1));
    EXPECT_EQ(set_text(options, 45, std::string(256, 'a')).code(), EINVAL);
    EXPECT_EQ(now(), std::pair(1, 1));
    ASSERT_TRUE(set_text(options, 45, "user").ok());
    EXPECT_EQ(now(), std::pair(1, 0));
    ASSERT_TRUE(set_int(options, 44, 0).ok());
    EXPECT_EQ(now(), std::pair(0, 0));
    EXPECT_EQ(read_any(options, 45), std::string("user\0", 5));
    ASSERT_TRUE(set_text(options, 46, "secret").ok());
    EXPECT_EQ(now(), std::pair(1, 0));
    ASSERT_TRUE(set_option(options, 46, {}).ok());
    EXPECT_EQ(now(), std::pair(0, 0));
    EXPECT_EQ(read_any(options, 46), std::string("secret\0", 7));
}

TEST(option_table, curve_options_choose_the_mechanism) {
    socket_options options;
    const auto now = [&] { return std::pair(int_of(options, 43), int_of(options, 47)); };
    ASSERT_TRUE(set_text(options, 48, std::string(32, 'a')).ok());
    EXPECT_EQ(now(), std::pair(2, 0));
    ASSERT_TRUE(set_int(options, 47, 1).ok());
    EXPECT_EQ(now(), std::pair(2, 1));
    EXPECT_EQ(set_int(options, 47, 2).code(), EINVAL);
    ASSERT_TRUE(set_text(options, 49, std::string(32, 'a')).ok());
    EXPECT_EQ(now(), std::pair(2, 1));
    ASSERT_TRUE(set_text(options, 50, std::string(32, 'a')).ok());
    EXPECT_EQ(now(), std::pair(2, 0));
    ASSERT_TRUE(set_int(options, 44, 1).ok());
    EXPECT_EQ(now(), std::pair(1, 0));
    ASSERT_TRUE(set_int(options, 47, 0).ok());
    EXPECT_EQ(now(), std::pair(0, 0));
}

TEST(option_table, curve_keys_are_bytes_or_text) {
    const std::string text = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
    const std::string bytes(32, 'a');
    for (const int id : {48, 49, 50}) {
        socket_options options;
        EXPECT_EQ(read_with(options, id, 41), std::string(40, '0') + '\0');
        for (const std::string &wrong : {std::string(), text.substr(1), text + 'x',
                                         text + std::string(2, '\0'), text.substr(1) + '~', bytes + 'a'}) {
            EXPECT_EQ(set_text(options, id, wrong).code(), EINVAL) << wrong;
        }
        EXPECT_EQ(int_of(options, 43), 0);
        for (const std::string &right : {text, text + '\0'}) {
            ASSERT_TRUE(set_text(options, id, right).ok());
            EXPECT_EQ(read_with(options, id, 41), text + '\0');
        }
        ASSERT_TRUE(set_text(options, id, bytes).ok());
        EXPECT_EQ(read_with(options, id, 32), bytes);
        for (const std::size_t room : {0U, 4U, 31U, 33U, 40U, 42U, 64U}) {
            EXPECT_EQ(read_with(options, id, room), std::nullopt) << room;
        }
    }
}

TEST(option_table, metadata_keeps_the_first_value_of_a_name) {
    socket_options options;
    for (const char *property : {"X-a:one", "X-a:two", "X-b:q:r", "X-:vv", "X-c::"}) {
        EXPECT_TRUE(set_text(options, 95, property).ok()) << property;
    }
    EXPECT_THAT(options.metadata,
                ElementsAre(Pair("X-a", "one"), Pair("X-b", "q:r"), Pair("X-", "vv"), Pair("X-c", ":")));
    EXPECT_EQ(set_text(options, 95, "X-:v").code(), EINVAL); // the size of an int
}

struct filter_case {
    std::string_view text;
    bool with_ipv4;
    bool with_ipv6;
};

constexpr std::string_view text_after_nul("10.0.0.0/8\0zz", 13);

constexpr filter_case filter_cases[] = {
    {"10.0.0.0/8x", true, true},    {"10.0.0.0/08", true, true},
    {" 10.0.0.0/8", false, false},  {"10.0.0.0/ 8", true, true},
    {"10.0.0.0/+8", true, true},    {"::1", false, true},
    {"::1/64", false, true},        {"[::1]/64", false, true},
    {"[::1]", false, true},         {"*", false, false},
    {"10.0.0.0/0", true, true},     {"10.1/8", true, true},
    {"10.0.0.0:8", false, false},   {"10.0.0.0/32", true, true},
    {"10.0.0.0/33", false, true},   {"10.0.0.0/8/8", false, false},
    {"10.0.0.0/0x8", false, false}, {"10.0.0.0/00032", true, true},
    {"10.0.0.0/00", false, false},  {"10.0.0.0/", false, false},
    {"::/128", false, true},        {"::/129", false, false},
    {"[::1/64", false, false},      {"fe80::1%lo/64", false, true},
    {"lo/8", false, false},         {"0x7f.1/8", true, true},
    {"10.0.0.0/-1", false, false},  {"10.0.0.0/4294967304", false, false},
    {text_after_nul, true, true},   {"/", false, false},
    {"localhost/8", false, false},
};

TEST(option_table, accept_filters_are_numeric_networks) {
    for (const auto &[text, with_ipv4, with_ipv6] : filter_cases) {
        SCOPED_TRACE(text);
        socket_options options;
        EXPECT_EQ(set_text(options, 38, text).code(), with_ipv4 ? 0 : EINVAL);
        EXPECT_EQ(options.tcp_accept_filters.size(), with_ipv4 ? 1U : 0U);
        options = {};
        options.ipv6 = true;
        EXPECT_EQ(set_text(options, 38, text).code(), with_ipv6 ? 0 : EINVAL);
    }
    socket_options options;
    ASSERT_TRUE(set_text(options, 38, "10.0.0.0/8").ok() && set_text(options, 38, text_after_nul).ok());
    EXPECT_THAT(options.tcp_accept_filters, ElementsAre("10.0.0.0/8", "10.0.0.0/8"));
    ASSERT_TRUE(set_option(options, 38, {}).ok());
    EXPECT_TRUE(options.tcp_accept_filters.empty());
}

TEST(option_table, ipc_filters_are_sets_of_ids) {
    socket_options options;
    ASSERT_TRUE(set_int(options, 58, 10).ok() && set_int(options, 58, 11).ok() &&
                set_int(options, 58, 10).ok());
    ASSERT_TRUE(set_int(options, 59, -1).ok() && set_int(options, 60, 0).ok());
    EXPECT_THAT(options.ipc_filter_pids, ElementsAre(10, 11));
    EXPECT_THAT(options.ipc_filter_uids, ElementsAre(0xffffffffU));
    EXPECT_THAT(options.ipc_filter_gids, ElementsAre(0U));
    ASSERT_TRUE(set_option(options, 58, {}).ok());
    EXPECT_TRUE(options.ipc_filter_pids.empty());
    EXPECT_FALSE(options.ipc_filter_uids.empty());
}

} // namespace
} // namespace zlink::core
