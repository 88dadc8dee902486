// SPDX-License-Identifier: MPL-2.0
// RFC 6455, sections 5 and 7, over a socket: what a client sends, and how the listener answers. The unit
// tests of the decoder split the same bytes at every byte, for both sides.
#include "bare_ws_client.hpp"

namespace zlink::conformance {
namespace {

const std::string masked = "\0\0\0\0"s; // a mask that changes nothing

// The first byte, the size in the shortest form, the mask and the payload.
std::string frame(int first, const std::string &payload) {
    std::string made(1, static_cast<char>(first));
    if (payload.size() <= 125) {
        made += static_cast<char>(0x80U | payload.size());
    } else {
        made += '\xfe';
        made += static_cast<char>(payload.size() >> 8U);
        made += static_cast<char>(payload.size());
    }
    return made + masked + payload;
}

std::string close_of(int code, const std::string &reason = "") {
    return std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + reason;
}

// `came`: the messages that the listener gets. `answers`: its frames, each a first byte and a payload; a
// Close is the last one, and the end of the connection follows. Without a Close the connection stays.
struct row {
    const char *section;
    const char *name;
    std::string sent;
    std::vector<std::string> came;
    std::vector<std::string> answers;
};
void PrintTo(const row &one, std::ostream *to) {
    *to << one.section << ' ' << one.name;
}

const std::string protocol_error = "\x88" + close_of(1002);
const std::string no_text = "\x88" + close_of(1003);
const std::string no_utf8 = "\x88" + close_of(1007);
const std::string normal = "\x88" + close_of(1000);

std::vector<row> framing() {
    return {
        {"5.1", "a frame without a mask", "\x82\4\0one"s, {}, {protocol_error}},
        {"5.1", "a control frame without a mask", "\x89\0"s, {}, {protocol_error}},
        {"5.2", "a mask that changes every byte", "\x82\x84\x37\xfa\x21\x3d\x37\x95\x4f\x58"s, {"one"}, {}},
        {"5.2", "reserved bit 1", frame(0xC2, "\0x"s), {}, {protocol_error}},
        {"5.2", "reserved bit 2", frame(0xA2, "\0x"s), {}, {protocol_error}},
        {"5.2", "reserved bit 3", frame(0x92, "\0x"s), {}, {protocol_error}},
        {"5.2", "a reserved bit in a control frame", frame(0xC9, ""), {}, {protocol_error}},
        {"5.2", "reserved code 3", frame(0x83, "\0x"s), {}, {protocol_error}},
        {"5.2", "reserved code 7", frame(0x87, "\0x"s), {}, {protocol_error}},
        {"5.2", "reserved code 11", frame(0x8B, ""), {}, {protocol_error}},
        {"5.2", "reserved code 15", frame(0x8F, ""), {}, {protocol_error}},
        {"5.2", "a size of 125", frame(0x82, "\0"s + std::string(124, 'x')), {std::string(124, 'x')}, {}},
        {"5.2", "a size of 126", frame(0x82, "\0"s + std::string(125, 'x')), {std::string(125, 'x')}, {}},
        {"5.2",
         "a size of 65535",
         frame(0x82, "\0"s + std::string(65534, 'x')),
         {std::string(65534, 'x')},
         {}},
        {"5.2",
         "a size of 65536",
         "\x82\xff\0\0\0\0\0\1\0\0"s + masked + "\0"s + std::string(65535, 'x'),
         {std::string(65535, 'x')},
         {}},
        {"5.2", "125 in 2 bytes", "\x82\xfe\0\x7d"s + masked, {}, {protocol_error}},
        {"5.2", "65535 in 8 bytes", "\x82\xff\0\0\0\0\0\0\xff\xff"s + masked, {}, {protocol_error}},
        {"5.2", "2^63", "\x82\xff\x80\0\0\0\0\0\0\0"s + masked, {}, {protocol_error}},
        {"5.2", "2^64 - 1", "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff"s + masked, {}, {protocol_error}},
    };
}

std::vector<row> fragments_and_control() {
    const std::string one = frame(0x82, "\0one"s);
    const std::string long_body(300, 'l');
    return {
        {"5.4", "a message in two", frame(0x02, "\0he"s) + frame(0x80, "llo"), {"hello"}, {}},
        {"5.4",
         "in four, two of them empty",
         frame(0x02, "") + frame(0x00, "\0a"s) + frame(0x00, "") + frame(0x80, long_body),
         {"a" + long_body},
         {}},
        {"5.4",
         "a ping amid fragments",
         frame(0x02, "\0a"s) + frame(0x89, "?") + frame(0x80, "b"),
         {"ab"},
         {"\x8a?"}},
        {"5.4",
         "a pong amid fragments",
         frame(0x02, "\0a"s) + frame(0x8A, "?") + frame(0x80, "b"),
         {"ab"},
         {}},
        {"5.4", "a message amid another", frame(0x02, "\0a"s) + one, {}, {protocol_error}},
        {"5.4", "a beginning amid another", frame(0x02, "\0a"s) + frame(0x02, "b"), {}, {protocol_error}},
        {"5.4", "a continuation of nothing", frame(0x80, "\0x"s), {}, {protocol_error}},
        {"5.4", "likewise, and not the last", frame(0x00, "\0x"s), {}, {protocol_error}},
        {"5.4", "a continuation of a whole message", one + frame(0x80, "x"), {"one"}, {protocol_error}},
        {"5.5", "a ping in fragments", frame(0x09, "x"), {}, {protocol_error}},
        {"5.5", "a pong in fragments", frame(0x0A, "x"), {}, {protocol_error}},
        {"5.5", "a close in fragments", frame(0x08, close_of(1000)), {}, {protocol_error}},
        {"5.5", "a ping of 126 bytes", frame(0x89, std::string(126, 'x')), {}, {protocol_error}},
        {"5.5", "a pong of 126 bytes", frame(0x8A, std::string(126, 'x')), {}, {protocol_error}},
        {"5.5",
         "a close of 126 bytes",
         frame(0x88, close_of(1000, std::string(124, 'x'))),
         {},
         {protocol_error}},
        {"5.5.1", "nothing is read behind a close", frame(0x88, "") + one, {}, {normal}},
        {"5.5.2", "an empty ping", frame(0x89, ""), {}, {"\x8a"}},
        {"5.5.2",
         "a ping of 125 bytes",
         frame(0x89, std::string(125, 'x')),
         {},
         {"\x8a" + std::string(125, 'x')}},
        {"5.5.3", "a pong that nobody asked for", frame(0x8A, "x") + one, {"one"}, {}},
        {"5.6", "text", frame(0x81, "text"), {}, {no_text}},
        {"5.6", "text in fragments", frame(0x01, "te") + frame(0x80, "xt"), {}, {no_text}},
        {"5.6", "text amid a message", frame(0x02, "\0a"s) + frame(0x81, "x"), {}, {no_text}},
        {"5.6", "an empty binary message has no flags", frame(0x82, ""), {}, {protocol_error}},
    };
}

std::vector<row> closing() {
    std::vector<row> rows{
        {"7.1.5", "a close without a code", frame(0x88, ""), {}, {normal}},
        {"7.1.5", "half a code", frame(0x88, "\x03"), {}, {protocol_error}},
        {"7.1.6", "a reason", frame(0x88, close_of(1000, "good bye \xe2\x82\xac")), {}, {normal}},
        {"7.1.6", "the longest reason", frame(0x88, close_of(1000, std::string(123, 'x'))), {}, {normal}},
        {"7.1.6", "a reason of half a letter", frame(0x88, close_of(1000, "\xe2\x82")), {}, {no_utf8}},
        {"7.1.6",
         "a reason with a byte that UTF-8 has not",
         frame(0x88, close_of(1000, "\xff")),
         {},
         {no_utf8}},
        {"7.1.6",
         "a reason in more bytes than needed",
         frame(0x88, close_of(1000, "\xc0\x80"s)),
         {},
         {no_utf8}},
        {"7.1.6", "half of a pair", frame(0x88, close_of(1000, "\xed\xa0\x80")), {}, {no_utf8}},
        {"7.1.6",
         "a letter above the last one",
         frame(0x88, close_of(1000, "\xf4\x90\x80\x80")),
         {},
         {no_utf8}},
        {"7.1.1", "a close amid fragments", frame(0x02, "\0a"s) + frame(0x88, ""), {}, {normal}},
        {"7.1.1",
         "messages before a close arrive",
         frame(0x82, "\0a"s) + frame(0x82, "\0b"s) + frame(0x88, ""),
         {"a", "b"},
         {normal}},
        {"7.1.1",
         "two closes",
         frame(0x88, close_of(1001)) + frame(0x88, close_of(1000)),
         {},
         {"\x88" + close_of(1001)}},
    };
    for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999})
        rows.push_back(
            {"7.4.1", "a code that may be sent", frame(0x88, close_of(code)), {}, {"\x88" + close_of(code)}});
    for (const int code : {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
        rows.push_back(
            {"7.4.2", "a code that may not be sent", frame(0x88, close_of(code)), {}, {protocol_error}});
    return rows;
}

class rfc6455 : public ::testing::Test {
  protected:
    void try_all(const std::vector<row> &rows) {
        for (const row &one : rows) {
            SCOPED_TRACE(::testing::PrintToString(one));
            try_one(one);
        }
    }

    void try_one(const row &one) {
        socket pull(owner, ZMQ_PULL);
        ASSERT_EQ(pull.bind("ws://127.0.0.1:*"), 0);
        bare_client client(pull.last_endpoint());
        client.begin();
        client.peer.write(one.sent);
        for (const std::string &answer : one.answers)
            EXPECT_EQ(client.read_frame(), answer);
        const bool ends = !one.answers.empty() && one.answers.back()[0] == '\x88';
        if (ends) {
            EXPECT_EQ(client.peer.read_to_end(), "");
        } else { // it goes on
            client.write_frame(0x82, "\0last"s);
        }
        for (const std::string &message : one.came)
            EXPECT_EQ(pull.receive(), message);
        if (ends) {
            EXPECT_FALSE(pull.ready(ZMQ_POLLIN, 0));
        } else {
            EXPECT_EQ(pull.receive(), "last");
        }
    }

    context owner;
};

TEST_F(rfc6455, frames_of_section_5) {
    try_all(framing());
    try_all(fragments_and_control());
}

TEST_F(rfc6455, closes_of_section_7) {
    try_all(closing());
}

// Sections 7.2.1 and 7.1.7: without a Close, and in the middle of a frame, the connection just ends.
TEST_F(rfc6455, a_connection_that_is_cut_gives_no_message) {
    const std::string whole = frame(0x82, "\0hello"s);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        socket pull(owner, ZMQ_PULL);
        ASSERT_EQ(pull.bind("ws://127.0.0.1:*"), 0);
        {
            bare_client client(pull.last_endpoint());
            client.begin();
            client.peer.write(whole.substr(0, size));
        }
        bare_client next(pull.last_endpoint());
        next.begin();
        next.write_frame(0x82, "\0next"s);
        EXPECT_EQ(pull.receive(), "next") << size;
    }
}

} // namespace
} // namespace zlink::conformance
