// SPDX-License-Identifier: MPL-2.0
#include "security/zap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zlink::security::zap {
namespace {

using ::testing::ElementsAre;
using zmtp::handshake_failure;
using namespace std::string_literals;

using frames = std::vector<std::string>;

TEST(zap, a_request_has_its_frames_in_order) {
    const std::vector<std::string> credentials{"admin", "secret"};
    EXPECT_THAT(encode_request("7", {"global", "127.0.0.1", "id", "PLAIN", credentials}),
                ElementsAre("1.0", "7", "global", "127.0.0.1", "id", "PLAIN", "admin", "secret"));
    EXPECT_THAT(encode_request("1", {"", "", "", "NULL", {}}), ElementsAre("1.0", "1", "", "", "", "NULL"));
}

TEST(zap, an_acceptance_names_the_user_before_anything_else) {
    const auto found = decode_reply("1", frames{"1.0", "1", "200", "OK", "joe",
                                                "\x03"
                                                "foo\0\0\0\x03"
                                                "bar"s});
    EXPECT_EQ(found.failure, handshake_failure::none);
    EXPECT_EQ(found.status, 200);
    EXPECT_THAT(found.vouched, ElementsAre(zmtp::property{"User-Id", "joe"}, zmtp::property{"foo", "bar"}));
    EXPECT_THAT(decode_reply("1", frames{"1.0", "1", "200", "", "", ""}).vouched,
                ElementsAre(zmtp::property{"User-Id", ""}));
}

TEST(zap, a_refusal_keeps_its_status_and_nothing_else) {
    for (const int status : {300, 400, 500}) {
        const auto found = decode_reply("1", frames{"1.0", "1", std::to_string(status), "no", "joe",
                                                    "\x01"
                                                    "a\0\0\0\0"s});
        EXPECT_EQ(found.failure, handshake_failure::refused);
        EXPECT_EQ(found.status, status);
        EXPECT_TRUE(found.vouched.empty());
    }
}

TEST(zap, a_reply_that_breaks_a_rule_is_no_acceptance) {
    const struct {
        frames reply;
        handshake_failure expected;
    } cases[] = {
        {{}, handshake_failure::malformed_reply},
        {{"1.0"}, handshake_failure::malformed_reply},
        {{"1.0", "1", "200", "OK", "joe"}, handshake_failure::malformed_reply},
        {{"1.0", "1", "200", "OK", "joe", "", ""}, handshake_failure::malformed_reply},
        {{"2.0", "1", "200", "OK", "joe", ""}, handshake_failure::wrong_reply_version},
        {{"", "1", "200", "OK", "joe", ""}, handshake_failure::wrong_reply_version},
        {{"1.0", "2", "200", "OK", "joe", ""}, handshake_failure::wrong_reply_id},
        {{"1.0", "", "200", "OK", "joe", ""}, handshake_failure::wrong_reply_id},
        {{"1.0", "1", "", "OK", "joe", ""}, handshake_failure::wrong_reply_status},
        {{"1.0", "1", "2", "OK", "joe", ""}, handshake_failure::wrong_reply_status},
        {{"1.0", "1", "201", "OK", "joe", ""}, handshake_failure::wrong_reply_status},
        {{"1.0", "1", "2000", "OK", "joe", ""}, handshake_failure::wrong_reply_status},
        {{"1.0", "1", "200\0"s, "OK", "joe", ""}, handshake_failure::wrong_reply_status},
        {{"1.0", "1", "200", "OK", "joe", "\xff"}, handshake_failure::malformed_reply_facts},
        {{"1.0", "1", "200", "OK", "joe",
          "\x01"
          "a\0\0\0\x02"
          "b"s},
         handshake_failure::malformed_reply_facts},
        {{"1.0", "1", "400", "OK", "joe",
          "\x01"
          "a\xff\xff\xff\xff"s},
         handshake_failure::malformed_reply_facts},
    };
    for (const auto &one : cases) {
        const auto found = decode_reply("1", one.reply);
        EXPECT_EQ(found.failure, one.expected) << ::testing::PrintToString(one.reply);
        EXPECT_TRUE(found.vouched.empty());
    }
}

} // namespace
} // namespace zlink::security::zap
