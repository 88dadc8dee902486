// SPDX-License-Identifier: MPL-2.0
#include "core/context_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <string>

namespace zlink::core {
namespace {

// The answers of libzmq 4.3.4: the default, the least value it takes, and how a large one is read back.
struct expectation {
    int id;
    std::optional<int> initial; // none: cannot be read
    std::optional<int> least;   // none: cannot be set
    bool read_back;             // else reading gives something else, or nothing
    bool truth;                 // reads 0 or 1
};

constexpr expectation expectations[] = {
    {1, 1, 0, true, false},   {2, 1023, 1, true, false},    {3, 65535, 0, false, false},
    {4, -1, 0, true, false},  {5, INT_MAX, 0, true, false}, {6, 64, {}, false, false},
    {7, {}, 0, false, false}, {9, 0, INT_MIN, true, false}, {10, 1, 0, true, true},
    {42, 0, 0, true, true},   {70, 1, 0, true, true},
};

TEST(context_options, answer_as_the_packaged_library) {
    for (const auto &row : expectations) {
        SCOPED_TRACE(row.id);
        context_options options;
        const auto initial = get_context_option(options, row.id);
        EXPECT_EQ(initial.ok(), row.initial.has_value());
        EXPECT_EQ(initial.ok() ? *initial : 0, row.initial.value_or(0));
        for (const int value : {INT_MIN, -2, -1, 0, 1, 2, 1024, 65536, INT_MAX}) {
            context_options changed;
            const bool taken = row.least && value >= *row.least;
            EXPECT_EQ(set_context_option(changed, row.id, value).code(), taken ? 0 : EINVAL) << value;
            if (taken && row.read_back) {
                EXPECT_EQ(*get_context_option(changed, row.id), row.truth ? int{value != 0} : value);
            } else if (row.initial) {
                EXPECT_EQ(*get_context_option(changed, row.id), *row.initial);
            }
        }
    }
}

TEST(context_options, refuse_unknown_numbers) {
    context_options options;
    for (const int id : {-1, 0, 11, 12, 19, 41, 43, 69, 71, 99}) {
        EXPECT_EQ(set_context_option(options, id, 1).code(), EINVAL) << id;
        EXPECT_EQ(get_context_option(options, id).code(), EINVAL) << id;
    }
}

TEST(context_options, affinity_is_a_set_of_processors) {
    context_options options;
    EXPECT_EQ(set_context_option(options, 8, 1).code(), EINVAL);
    EXPECT_TRUE(set_context_option(options, 7, 1).ok());
    EXPECT_TRUE(set_context_option(options, 8, 1).ok());
    EXPECT_EQ(set_context_option(options, 8, 1).code(), EINVAL);
    EXPECT_EQ(set_context_option(options, 7, -1).code(), EINVAL);
    EXPECT_EQ(get_context_option(options, 7).code(), EINVAL);
}

TEST(context_options, three_is_the_priority_when_set) {
    context_options options;
    ASSERT_TRUE(set_context_option(options, 3, 7).ok());
    EXPECT_EQ(options.thread_priority, 7);
    EXPECT_EQ(*get_context_option(options, 3), 65535);
}

TEST(context_options, extended_form_takes_ints_and_the_prefix_as_text) {
    context_options options;
    const int threads = 3;
    ASSERT_TRUE(set_context_option(options, 1, std::as_bytes(std::span(&threads, 1))).ok());
    int read = 0;
    EXPECT_EQ(*get_context_option(options, 1, std::as_writable_bytes(std::span(&read, 1))), sizeof read);
    EXPECT_EQ(read, 3);

    const std::string prefix = "workers";
    ASSERT_TRUE(set_context_option(options, 9, std::as_bytes(std::span(prefix))).ok());
    EXPECT_EQ(options.thread_name_prefix, prefix);
    std::array<char, 8> text{};
    EXPECT_EQ(*get_context_option(options, 9, std::as_writable_bytes(std::span(text))), 8U);
    EXPECT_STREQ(text.data(), "workers");
    EXPECT_EQ(get_context_option(options, 9, std::as_writable_bytes(std::span(text).first(7))).code(),
              EINVAL);
}

TEST(context_options, extended_form_refuses_wrong_sizes_and_null) {
    context_options options;
    const std::string longest(16, 'a');
    const std::string longer(17, 'a');
    EXPECT_TRUE(set_context_option(options, 9, std::as_bytes(std::span(longest))).ok());
    EXPECT_EQ(set_context_option(options, 9, std::as_bytes(std::span(longer))).code(), EINVAL);
    EXPECT_EQ(set_context_option(options, 1, std::as_bytes(std::span(longest))).code(), EINVAL);
    const std::span<const std::byte> nothing;
    EXPECT_EQ(set_context_option(options, 1, nothing).code(), EINVAL);
    EXPECT_EQ(get_context_option(options, 1, std::span<std::byte>()).code(), EINVAL);
    EXPECT_EQ(options.thread_name_prefix, longest);
}

TEST(context_options, are_what_new_sockets_start_with) {
    context_options context;
    EXPECT_EQ(new_socket_options(context, socket_type::pair).linger_ms, -1);
    EXPECT_EQ(new_socket_options(context, socket_type::sub).linger_ms, 0);
    EXPECT_EQ(new_socket_options(context, socket_type::xsub).linger_ms, 0);
    EXPECT_EQ(new_socket_options(context, socket_type::xpub).linger_ms, -1);
    ASSERT_TRUE(set_context_option(context, 70, 0).ok() && set_context_option(context, 42, 1).ok());
    const socket_options options = new_socket_options(context, socket_type::dealer);
    EXPECT_EQ(options.linger_ms, 0);
    EXPECT_TRUE(options.ipv6);
    EXPECT_EQ(options.type, socket_type::dealer);
}

} // namespace
} // namespace zlink::core
