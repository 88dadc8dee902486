// SPDX-License-Identifier: MPL-2.0
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace zlink {
namespace {

TEST(error_text, knows_the_native_codes) {
    EXPECT_STREQ(error_text(156384763), "Operation cannot be accomplished in current state");
    EXPECT_STREQ(error_text(156384764), "The protocol is not compatible with the socket type");
    EXPECT_STREQ(error_text(156384765), "Context was terminated");
    EXPECT_STREQ(error_text(156384766), "No thread available");
}

TEST(error_text, has_its_own_word_for_one_code_of_the_system) {
    EXPECT_STREQ(error_text(EHOSTUNREACH), "Host unreachable");
    for (const int code : {-1, 0, EAGAIN, EINVAL, ENOTSOCK, ETIMEDOUT, 134, 1000, 156384713}) {
        EXPECT_EQ(std::string(error_text(code)), std::string(std::strerror(code))) << code;
    }
}

} // namespace
} // namespace zlink
