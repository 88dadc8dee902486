// SPDX-License-Identifier: MPL-2.0
// Every row of the table of socket types against the pattern that it names.
#include "patterns/pattern.hpp"

#include "rig.hpp"

namespace zlink::test {
namespace {

TEST(pattern, refuses_the_directions_that_its_type_does_not_have) {
    for (std::size_t number = 0; number < socket_type_count; ++number) {
        const socket_traits &row = traits_of(static_cast<socket_type>(number));
        rig socket(row.type);
        ASSERT_NE(socket.tested, nullptr) << row.name;
        const int sent = core::send_frame(socket, *socket.tested, as_frame("text", false), {});
        incoming_frame frame;
        const int received = socket.take_frame(frame);
        EXPECT_EQ(sent != ENOTSUP, row.sends()) << row.name << ": " << sent;
        EXPECT_EQ(received != ENOTSUP, row.receives()) << row.name << ": " << received;
    }
}

TEST(pattern, is_not_made_for_a_number_that_is_no_type) {
    for (const std::size_t number : {socket_type_count, std::size_t{32}, std::size_t{255}})
        EXPECT_EQ(rig(static_cast<socket_type>(number)).tested, nullptr) << number;
}

} // namespace
} // namespace zlink::test
