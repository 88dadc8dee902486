// SPDX-License-Identifier: MPL-2.0
#include "zmtp/handshake.hpp"

#include "message/frame_header.hpp"

#include "handshake_script.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace zlink::zmtp {
namespace {

using namespace std::string_literals;

TEST(handshake, greeting_goes_out_in_the_steps_that_old_peers_need) {
    handshake side(config_of(socket_type::pull, "abc"));
    EXPECT_EQ(drain(side),
              "\xff\0\0\0\0\0\0\0\x04\x7f"s); // for 1.0: a frame of 3 bytes, of which only the header
    side.feed(as_bytes(signature().substr(0, 9)));
    EXPECT_EQ(drain(side), "");
    side.feed(as_bytes(signature().substr(9)));
    EXPECT_EQ(drain(side), "\x03");
    side.feed(as_bytes("\x03"));
    const std::string rest = "\x01NULL"s + std::string(48, '\0');
    EXPECT_EQ(drain(side), rest + ready({{"Socket-Type", "PULL"}}));
    EXPECT_EQ(side.state(), handshake_state::greeting);
    side.feed(as_bytes(greeting().substr(11)));
    EXPECT_EQ(side.state(), handshake_state::securing);
    side.feed(as_bytes(ready({{"Socket-Type", "PUSH"}})));
    EXPECT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(drain(side), "");
}

TEST(handshake, consumes_nothing_behind_its_end) {
    handshake side(config_of(socket_type::pull));
    const std::string wire = greeting() + ready({{"Socket-Type", "PUSH"}});
    EXPECT_EQ(side.feed(as_bytes(wire + "traffic")), wire.size());
    EXPECT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(side.feed(as_bytes("more traffic")), 0U);
}

TEST(handshake, what_the_peer_told_is_kept) {
    handshake side(config_of(socket_type::router));
    const std::vector<property> told{
        {"x-first", "1"}, {"sockeT-type", "DEALER"}, {"IDENTITY", "me"}, {"X-Last", ""}};
    side.feed(as_bytes(greeting() + ready(told)));
    ASSERT_EQ(side.state(), handshake_state::done);
    const peer_info peer = side.take_peer();
    EXPECT_EQ(peer.socket_type, "DEALER");
    EXPECT_EQ(peer.routing_id, "me");
    EXPECT_EQ(peer.properties, told);
    EXPECT_EQ(peer.framing(), framing::v3);
}

TEST(handshake, own_metadata_names_identity_and_extras_as_the_type_asks) {
    handshake_config config = config_of(socket_type::dealer, "me");
    config.extra = {{"X-room", "1"}};
    handshake side(std::move(config));
    side.feed(as_bytes(greeting()));
    const std::string sent = drain(side);
    EXPECT_EQ(sent.substr(64), ready({{"Socket-Type", "DEALER"}, {"Identity", "me"}, {"X-room", "1"}}));
}

struct version_row {
    int major, minor;
    int seen_minor;
    bool by_command;
};
TEST(handshake, versions_from_3_on_are_spoken_to_as_they_know) {
    for (const version_row &row : {version_row{3, 0, 0, false},
                                   {3, 1, 1, true},
                                   {3, 7, 7, true},
                                   {4, 0, 1, true},
                                   {9, 7, 1, true},
                                   {255, 0, 1, true},
                                   {2, 1, 0, false}}) {
        handshake side(config_of(socket_type::pub));
        side.feed(as_bytes(greeting(row.minor, row.major) + ready({{"Socket-Type", "SUB"}})));
        ASSERT_EQ(side.state(), handshake_state::done) << row.major;
        EXPECT_EQ(side.peer().version_major, 3);
        EXPECT_EQ(side.peer().version_minor, row.seen_minor) << row.major;
        EXPECT_EQ(side.peer().subscribes_by_command(), row.by_command) << row.major;
        EXPECT_TRUE(side.peer().knows_commands());
    }
}

TEST(handshake, padding_filler_and_as_server_mean_nothing) {
    std::string wire = greeting();
    wire.replace(1, 8, "12345678");
    wire[32] = 1;
    wire.replace(33, 31, std::string(31, 'f'));
    handshake side(config_of(socket_type::pull));
    side.feed(as_bytes(wire + ready({{"Socket-Type", "PUSH"}})));
    EXPECT_EQ(side.state(), handshake_state::done);
}

struct old_peer_row {
    char version;
    std::string own_identity; // as it is sent
    std::string identity;     // the peer's
    framing expected;
};

TEST(handshake, peer_of_2_0_gets_type_and_identity_and_its_own_are_read) {
    for (const old_peer_row &row :
         {old_peer_row{'\1', "\0\3abc"s, "\0\2hi"s, framing::v2},
          old_peer_row{'\0', "\4\0abc"s, "\3\0hi"s, framing::v1},
          old_peer_row{'\0', "\4\0abc"s, "\xff\0\0\0\0\0\0\0\3\0hi"s, framing::v1}}) {
        handshake side(config_of(socket_type::router, "abc"));
        side.feed(as_bytes(signature() + row.version));
        EXPECT_EQ(drain(side), "\xff\0\0\0\0\0\0\0\x04\x7f\x03\x06"s);
        EXPECT_EQ(side.feed(as_bytes("\x05"s)), 1U);
        EXPECT_EQ(drain(side), row.own_identity);
        EXPECT_EQ(side.feed(as_bytes(row.identity + "!")), row.identity.size());
        ASSERT_EQ(side.state(), handshake_state::done);
        EXPECT_EQ(drain(side), "");
        EXPECT_EQ(side.peer().routing_id, "hi");
        EXPECT_EQ(side.peer().socket_type, "DEALER");
        EXPECT_EQ(side.peer().framing(), row.expected);
        EXPECT_FALSE(side.peer().subscribes_by_command());
        EXPECT_FALSE(side.peer().knows_commands());
    }
}

TEST(handshake, peer_of_2_0_may_be_of_any_type) {
    for (const auto &[type, name] : {std::pair{'\1', "PUB"}, std::pair{'\7', "PULL"}, std::pair{'c', ""}}) {
        handshake side(config_of(socket_type::pull));
        side.feed(as_bytes(signature() + "\x01" + type + "\0\0"s));
        ASSERT_EQ(side.state(), handshake_state::done) << name;
        EXPECT_EQ(side.peer().socket_type, name);
    }
}

TEST(handshake, identity_of_an_old_peer_may_have_64_KiB) {
    const std::string id(max_old_routing_id, 'i');
    for (const std::string &before :
         {signature() + "\x01\x08\x02\0\0\0\0\0\1\0\0"s, "\xff\0\0\0\0\0\1\0\1\0"s}) {
        handshake side(config_of(socket_type::pull));
        side.feed(as_bytes(before + id));
        ASSERT_EQ(side.state(), handshake_state::done);
        EXPECT_EQ(side.peer().routing_id, id);
    }
}

TEST(handshake, identity_of_a_2_0_peer_may_come_in_the_long_form) {
    handshake side(config_of(socket_type::pull));
    side.feed(as_bytes(signature() + "\x01\x08\x02\0\0\0\0\0\0\0\x03"s + "abc"));
    ASSERT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(side.peer().routing_id, "abc");
}

TEST(handshake, peer_of_1_0_is_known_by_its_first_byte) {
    handshake side(config_of(socket_type::pull, "myid"));
    drain(side);
    EXPECT_EQ(side.feed(as_bytes("\x04\x7f"
                                 "abcX"s)),
              5U);
    ASSERT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(drain(side), "myid");
    EXPECT_EQ(side.peer().routing_id, "abc");
    EXPECT_EQ(side.peer().socket_type, "");
    EXPECT_EQ(side.peer().framing(), framing::v1);
}

TEST(handshake, peer_of_1_0_with_a_long_length_is_known_by_byte_9) {
    handshake side(config_of(socket_type::pull));
    EXPECT_EQ(side.feed(as_bytes("\xff\0\0\0\0\0\0\0\x04\x7e"
                                 "abcX"s)),
              13U);
    ASSERT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(side.peer().routing_id, "abc");
    EXPECT_EQ(side.peer().framing(), framing::v1);
}

TEST(handshake, empty_identity_of_a_1_0_peer_needs_no_byte_more) {
    handshake side(config_of(socket_type::pull));
    EXPECT_EQ(side.feed(as_bytes("\x01\0\x02\0x"s)), 2U);
    EXPECT_EQ(side.state(), handshake_state::done);
}

struct failure_row {
    const char *what;
    std::string wire;
    handshake_failure expected;
    std::string told = {}; // the reason of the ERROR that is sent
};
using enum handshake_failure;

std::vector<failure_row> failure_rows() {
    const std::string start = greeting();
    const std::string push = ready({{"Socket-Type", "PUSH"}});
    const std::string truncated = push.substr(2, push.size() - 3);
    std::string large(9, '\0');
    large[0] = 0x06;
    store_big_endian_64(reinterpret_cast<std::uint8_t *>(large.data()) + 1, max_handshake_frame + 1);
    return {
        {"other mechanism", greeting(1, 3, "PLAIN"), mechanism_mismatch},
        {"longer mechanism", greeting(1, 3, "NULLX"), mechanism_mismatch},
        {"bytes behind the mechanism", greeting(1, 3, "NULL\0x"s), mechanism_mismatch},
        {"1.0 frame of length 0", "\0"s + "x", bad_signature},
        {"long 1.0 frame of length 0", "\xff\0\0\0\0\0\0\0\0\0"s, bad_signature},
        {"1.0 identity of 65537", "\xff\0\0\0\0\0\1\0\2\0"s, bad_routing_id},
        {"version 0, identity of 65537", signature() + "\0\x08\xff\0\0\0\0\0\1\0\2\0"s, bad_routing_id},
        {"version 0, frame of length 0", signature() + "\0\x08\0\0"s, bad_signature},
        {"2.0, reserved bit", signature() + "\x01\x08\x80\x01", malformed_frame},
        {"2.0, command", signature() + "\x01\x08\x04\x01", malformed_frame},
        {"2.0, identity of 65537", signature() + "\x01\x08\x02\0\0\0\0\0\1\0\1"s, bad_routing_id},
        {"message", start + "\0\1a"s, unexpected_command},
        {"reserved bit", start + "\x0c\x01", malformed_frame},
        {"COMMAND with MORE", start + "\x05\x01", malformed_frame},
        {"size of 64 bits", start + "\x06\x80\0\0\0\0\0\0\0"s, malformed_frame},
        {"too large", start + large, handshake_failure::oversize},
        {"empty command", start + "\x04\0"s, malformed_command},
        {"name longer than the command", start + "\x04\x02\x05R", malformed_command},
        {"unknown command", start + command_frame("FOO", ""), unexpected_command},
        {"PING", start + command_frame("PING", "\0\0"s), unexpected_command},
        {"SUBSCRIBE", start + command_frame("SUBSCRIBE", ""), unexpected_command},
        {"name in lower case", start + command_frame("ready", push.substr(8)), unexpected_command},
        {"property cut short", start + command_frame("READY", truncated.substr(6)), malformed_command},
        {"type that does not fit", start + ready({{"Socket-Type", "SUB"}}), socket_type_mismatch,
         "the socket types do not go together"},
        {"second type that does not fit", start + ready({{"Socket-Type", "PUSH"}, {"Socket-Type", "SUB"}}),
         socket_type_mismatch, "the socket types do not go together"},
        {"type in lower case", start + ready({{"Socket-Type", "push"}}), socket_type_mismatch,
         "the socket types do not go together"},
        {"no type", start + ready({{"Identity", "x"}}), missing_socket_type, "the socket type is missing"},
        {"no property", start + ready({}), missing_socket_type, "the socket type is missing"},
        {"identity of 256", start + ready({{"Socket-Type", "PUSH"}, {"Identity", std::string(256, 'i')}}),
         bad_routing_id},
        {"ERROR", start + command_frame("ERROR", "\x03no!"), error_from_peer},
        {"ERROR with a wrong length", start + command_frame("ERROR", "\x04no!"), malformed_command},
    };
}

// Whatever comes in whichever pieces: the last byte of each script, and none before, ends the handshake.
TEST(handshake, fails_at_the_byte_that_shows_it_however_the_bytes_are_split) {
    for (const failure_row &row : failure_rows()) {
        for (std::size_t cut = 0; cut <= row.wire.size(); ++cut) {
            handshake side(config_of(socket_type::pull));
            feed_pieces(side, row.wire, {cut, row.wire.size()});
            ASSERT_EQ(side.state(), handshake_state::failed) << row.what << " cut at " << cut;
            ASSERT_EQ(to_string(side.failure()), to_string(row.expected)) << row.what << " cut at " << cut;
            ASSERT_EQ(side.feed(as_bytes("x")), 0U);
            byte_buffer error;
            if (!row.told.empty()) {
                append_error(error, row.told);
            }
            const std::string sent = drain(side);
            ASSERT_TRUE(sent.ends_with(as_string(error))) << row.what;
            ASSERT_EQ(sent.find("ERROR") == std::string::npos, row.told.empty()) << row.what;
        }
    }
}

TEST(handshake, reason_of_the_peer_is_kept) {
    handshake side(config_of(socket_type::pull));
    side.feed(as_bytes(greeting() + command_frame("ERROR", "\x03no!")));
    EXPECT_EQ(side.peer().error_reason, "no!");
}

TEST(handshake, largest_command_passes) {
    const std::string value(max_handshake_frame - ready({{"Socket-Type", "PUSH"}, {"X-a", ""}}).size() + 2,
                            'v');
    const std::string wire = ready({{"Socket-Type", "PUSH"}, {"X-a", value}});
    ASSERT_EQ(wire.size(), max_handshake_frame + large_header_size);
    handshake side(config_of(socket_type::pull));
    EXPECT_EQ(side.feed(as_bytes(greeting() + wire)), 64 + wire.size());
    EXPECT_EQ(side.state(), handshake_state::done);
    EXPECT_EQ(side.peer().properties[1].value, value);
}

TEST(handshake, states_and_failures_have_names_of_their_own) {
    EXPECT_EQ(to_string(handshake_state::greeting), "greeting");
    EXPECT_EQ(to_string(handshake_state::failed), "failed");
    EXPECT_EQ(to_string(none), "none");
    EXPECT_EQ(to_string(missing_socket_type), "missing socket type");
    EXPECT_EQ(to_string(error_from_peer), "error from peer");
}

} // namespace
} // namespace zlink::zmtp
