// SPDX-License-Identifier: MPL-2.0
// What the packaged libzmq cannot be compared in: it is built with CURVE.
#include <gtest/gtest.h>

#include <cerrno>

#include "zmq.h"

namespace {

TEST(curve_keys, are_not_supported) {
    char public_key[41] = "untouched";
    char secret_key[41] = "untouched";
    errno = 0;
    EXPECT_EQ(zmq_curve_keypair(public_key, secret_key), -1);
    EXPECT_EQ(zmq_errno(), ENOTSUP);
    errno = 0;
    EXPECT_EQ(zmq_curve_public(public_key, secret_key), -1);
    EXPECT_EQ(zmq_errno(), ENOTSUP);
    EXPECT_STREQ(public_key, "untouched");
}

} // namespace
