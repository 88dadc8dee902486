// SPDX-License-Identifier: MPL-2.0
// With libzmq's header, what only zlink has is switched off.
#include <gtest/gtest.h>

#include "zlink/zlink.hpp"

TEST(cpp_with_libzmq, has_nothing_that_only_zlink_has) {
#if defined(ZLINK_HAS_ZLINK) || defined(ZLINK_HAS_DRAFTS)
    FAIL() << "a feature of zlink is switched on";
#endif
    EXPECT_LT(ZMQ_VERSION, ZMQ_MAKE_VERSION(4, 3, 5));
}
