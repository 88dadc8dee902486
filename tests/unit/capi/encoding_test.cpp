// SPDX-License-Identifier: MPL-2.0
// Key pairs of CURVE as text.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "zmq.h"

namespace {

TEST(curve_keys, make_pairs_whose_public_key_follows_from_the_secret_one) {
    char public_key[41] = "";
    char secret_key[41] = "";
    char again[41] = "";
    ASSERT_EQ(zmq_curve_keypair(public_key, secret_key), 0);
    EXPECT_EQ(std::strlen(public_key), 40U);
    EXPECT_EQ(std::strlen(secret_key), 40U);
    EXPECT_STRNE(public_key, secret_key);
    ASSERT_EQ(zmq_curve_public(again, secret_key), 0);
    EXPECT_STREQ(again, public_key);
    ASSERT_EQ(zmq_curve_keypair(again, secret_key), 0);
    EXPECT_STRNE(again, public_key);
}

// The pair of an example that every manual page of CURVE has.
TEST(curve_keys, derive_the_known_public_key) {
    char public_key[41] = "";
    ASSERT_EQ(zmq_curve_public(public_key, "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"), 0);
    EXPECT_STREQ(public_key, "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID");
}

TEST(curve_keys, refuse_what_is_no_key) {
    char public_key[41] = "untouched";
    for (const char *text : {"", "short", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs ", "~~~~~"}) {
        errno = 0;
        EXPECT_EQ(zmq_curve_public(public_key, text), -1) << text;
        EXPECT_EQ(zmq_errno(), EINVAL);
    }
    EXPECT_STREQ(public_key, "untouched");
}

} // namespace
