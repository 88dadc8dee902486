// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

TEST(scatter_pattern, shares_messages_out_and_never_receives) {
    rig scatter{socket_type::scatter};
    EXPECT_EQ(scatter.send("m"), EAGAIN);
    far_side &a = scatter.connect();
    far_side &b = scatter.connect({}, 1);
    a.write("against the rules");
    for (const char *text : {"1", "2", "3", "4"})
        EXPECT_EQ(scatter.send(text), 0);
    EXPECT_EQ(a.read_all(), "1 3 4");
    EXPECT_EQ(b.read_all(), "2");
    EXPECT_EQ(scatter.send("a|b"), EINVAL);
    EXPECT_EQ(scatter.receive(), "-");
    EXPECT_EQ(scatter.last_error, ENOTSUP);
}

TEST(scatter_pattern, is_done_with_a_gone_peer_whatever_it_left) {
    rig scatter{socket_type::scatter};
    far_side &a = scatter.connect();
    a.write("against the rules");
    a.close();
    scatter.process();
    EXPECT_EQ(scatter.of(a).finished, 1);
    EXPECT_FALSE(scatter.can_send());
}

} // namespace
} // namespace zlink::test
