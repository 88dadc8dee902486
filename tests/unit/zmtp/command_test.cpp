// SPDX-License-Identifier: MPL-2.0
#include "zmtp/command.hpp"

#include "message/frame_header.hpp"

#include <gtest/gtest.h>

namespace zlink::zmtp {
namespace {

// The body of the one frame in `bytes`.
byte_view body_of(const byte_buffer &bytes) {
    const frame_header header = parse_frame_header(bytes.data(), bytes.size());
    EXPECT_EQ(header.status, header_status::ok);
    EXPECT_EQ(header.flags & frame_flag::command, frame_flag::command);
    EXPECT_EQ(header.header_size + header.body_size, bytes.size());
    return byte_view(bytes).subspan(header.header_size);
}

byte_buffer text(std::string_view wire) {
    const byte_view bytes = as_bytes(wire);
    return {bytes.begin(), bytes.end()};
}

TEST(command, built_frames_have_the_bytes_a_libzmq_peer_sends) {
    using namespace std::string_view_literals;
    byte_buffer out;
    append_ready(out, std::vector<property>{{"Socket-Type", "PULL"}});
    EXPECT_EQ(out, text("\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PULL"sv));
    out.clear();
    append_ping(out, 25, {});
    EXPECT_EQ(out, text("\x04\x07\x04PING\0\x19"sv));
    out.clear();
    append_pong(out, as_bytes("ctx"));
    EXPECT_EQ(out, text("\x04\x08\x04PONGctx"sv));
    out.clear();
    append_subscribe(out, as_bytes("ab"));
    append_cancel(out, as_bytes("ab"));
    EXPECT_EQ(out, text("\x04\x0c\x09SUBSCRIBEab\x04\x09\x06"
                        "CANCELab"sv));
    out.clear();
    append_error(out, "no");
    EXPECT_EQ(out, text("\x04\x09\x05"
                        "ERROR\x02no"sv));
}

TEST(command, body_is_split_and_named) {
    byte_buffer out;
    append_subscribe(out, as_bytes("topic"));
    const auto parsed = parse_command(body_of(out));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->kind, command_kind::subscribe);
    EXPECT_EQ(parsed->name, "SUBSCRIBE");
    EXPECT_EQ(as_text(parsed->data), "topic");
    EXPECT_EQ(to_string(parsed->kind), "SUBSCRIBE");
}

TEST(command, names_differ_by_case_and_strangers_are_unknown) {
    for (const std::string_view name : {"ready", "READYX", "READ", "HELLO"}) {
        byte_buffer out;
        append_command(out, name, as_bytes("d"));
        const auto parsed = parse_command(body_of(out));
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->kind, command_kind::unknown);
        EXPECT_EQ(parsed->name, name);
    }
}

TEST(command, bodies_without_a_whole_name_are_refused) {
    EXPECT_FALSE(parse_command({}));
    EXPECT_FALSE(parse_command(as_bytes(std::string_view("\0data", 5))));
    EXPECT_FALSE(parse_command(as_bytes("\x05READ")));
    EXPECT_TRUE(parse_command(as_bytes("\x05READY")));
}

TEST(command, long_topic_takes_the_long_header) {
    const std::string topic(1000, 't');
    byte_buffer out;
    append_subscribe(out, as_bytes(topic));
    EXPECT_EQ(out[0], frame_flag::command | frame_flag::large);
    EXPECT_EQ(as_text(parse_command(body_of(out))->data), topic);
}

TEST(command, properties_come_back_and_every_cut_is_noticed) {
    const std::vector<property> told{{"Socket-Type", "DEALER"},
                                     {"Identity", ""},
                                     {"X-a", std::string(300, 'v')},
                                     {std::string(255, 'n'), std::string("\0\xff", 2)}};
    byte_buffer data;
    std::vector<std::size_t> ends{0};
    for (const property &one : told) {
        append_property(data, one.name, one.value);
        ends.push_back(data.size());
    }
    EXPECT_EQ(parse_properties(data), told);
    for (std::size_t cut = 0; cut < data.size(); ++cut) {
        const bool whole = std::find(ends.begin(), ends.end(), cut) != ends.end();
        EXPECT_EQ(parse_properties(byte_view(data).first(cut)).has_value(), whole) << cut;
    }
}

TEST(command, property_lengths_that_lie_are_refused) {
    using namespace std::string_view_literals;
    EXPECT_FALSE(parse_properties(as_bytes("\x00\0\0\0\x01v"sv)));        // no name
    EXPECT_FALSE(parse_properties(as_bytes("\x01n\xff\xff\xff\xffv"sv))); // a value of 4 GiB
    EXPECT_FALSE(parse_properties(as_bytes("\x01n\x80\0\0\0v"sv)));       // and of 2
    EXPECT_FALSE(parse_properties(as_bytes("\xffn\0\0\0\x01v"sv)));       // a name longer than all
    EXPECT_TRUE(parse_properties(as_bytes("\x01n\0\0\0\x01v"sv)));
    EXPECT_TRUE(parse_properties({})->empty());
}

TEST(command, property_names_compare_without_case) {
    const std::vector<property> told{{"sOCKET-tYPE", "REP"}, {"Socket-Type", "REQ"}};
    ASSERT_NE(find_property(told, "Socket-Type"), nullptr);
    EXPECT_EQ(*find_property(told, "Socket-Type"), "REP");
    EXPECT_EQ(find_property(told, "Socket-Typ"), nullptr);
    EXPECT_EQ(find_property(told, "Socket-Type "), nullptr);
    EXPECT_FALSE(same_property_name("X-[", "x-{")); // differ by 0x20, and are no letters
}

TEST(command, ping_has_a_ttl_and_at_most_16_bytes_of_context) {
    for (std::size_t size = 0; size <= 20; ++size) {
        const byte_buffer data(size, 0x01);
        const auto parsed = parse_ping(data);
        ASSERT_EQ(parsed.has_value(), size >= 2 && size <= 18) << size;
        if (parsed) {
            EXPECT_EQ(parsed->ttl_deciseconds, 0x0101);
            EXPECT_EQ(parsed->context.size(), size - 2);
        }
    }
    EXPECT_TRUE(parse_pong(byte_buffer(16, 'c')));
    EXPECT_FALSE(parse_pong(byte_buffer(17, 'c')));
}

TEST(command, error_reason_fills_the_command_exactly) {
    EXPECT_EQ(parse_error(as_bytes("\x02no")), "no");
    EXPECT_EQ(parse_error(as_bytes(std::string_view("\0", 1))), "");
    EXPECT_FALSE(parse_error({}));
    EXPECT_FALSE(parse_error(as_bytes("\x03no")));
    EXPECT_FALSE(parse_error(as_bytes("\x01no")));
    byte_buffer out;
    append_error(out, std::string(300, 'r'));
    EXPECT_EQ(parse_error(parse_command(body_of(out))->data)->size(), max_error_reason);
}

} // namespace
} // namespace zlink::zmtp
