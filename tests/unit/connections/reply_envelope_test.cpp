// SPDX-License-Identifier: MPL-2.0
#include "connections/reply_envelope.hpp"

#include <gtest/gtest.h>

namespace zlink::connections {
namespace {

TEST(reply_envelope, takes_a_delimiter_and_a_body_of_any_number_of_frames) {
    reply_envelope envelope;
    for (int reply = 0; reply < 2; ++reply) {
        EXPECT_TRUE(envelope.accepts(0, true));
        EXPECT_TRUE(envelope.accepts(100, true));
        EXPECT_TRUE(envelope.accepts(0, true));
        EXPECT_TRUE(envelope.accepts(4, false));
    }
}

TEST(reply_envelope, takes_an_id_before_the_delimiter) {
    reply_envelope envelope;
    EXPECT_TRUE(envelope.accepts(4, true));
    EXPECT_TRUE(envelope.accepts(0, true));
    EXPECT_TRUE(envelope.accepts(0, false));
    EXPECT_TRUE(envelope.accepts(0, true)); // the next reply
}

TEST(reply_envelope, refuses_what_begins_otherwise) {
    EXPECT_FALSE(reply_envelope().accepts(0, false)); // the message of ZMQ_PROBE_ROUTER
    EXPECT_FALSE(reply_envelope().accepts(4, false));
    EXPECT_FALSE(reply_envelope().accepts(5, true));
    EXPECT_FALSE(reply_envelope().accepts(1, false));
    reply_envelope behind_an_id;
    EXPECT_TRUE(behind_an_id.accepts(4, true));
    EXPECT_FALSE(behind_an_id.accepts(1, true));
    reply_envelope without_a_body;
    EXPECT_TRUE(without_a_body.accepts(4, true));
    EXPECT_FALSE(without_a_body.accepts(0, false));
}

TEST(reply_envelope, begins_anew_with_a_connection) {
    reply_envelope envelope;
    EXPECT_TRUE(envelope.accepts(4, true));
    envelope.reset();
    EXPECT_FALSE(envelope.accepts(5, true));
}

} // namespace
} // namespace zlink::connections
