// SPDX-License-Identifier: MPL-2.0
// Inproc connections to names that nobody binds. Unused memory is freed with the socket. Sent messages wait
// for the socket that binds the name later.
#include <malloc.h>

#include "rig.hpp"

namespace zlink::conformance {

namespace {

class unbound_names : public testing::Test {
  protected:
    static std::size_t bytes_in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }
    // Connects and lets go, again and again. Returns how much memory is in use behind that.
    template <class LetGo> std::size_t memory_of(int times, LetGo &&let_go) {
        for (int i = 0; i < times; ++i) {
            socket push(owner_, ZMQ_PUSH);
            EXPECT_EQ(push.connect("inproc://nobody"), 0);
            let_go(push);
        }
        return bytes_in_use();
    }
    template <class LetGo> void expect_no_growth(LetGo &&let_go) {
        constexpr int times = 2000;
        constexpr std::size_t most_each = 512; // bytes; a pipe has several thousand
        const std::size_t before = memory_of(100, let_go);
        EXPECT_LT(memory_of(times, let_go), before + times * most_each);
    }

    context owner_;
};

} // namespace

TEST_F(unbound_names, a_closed_socket_leaves_nothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers have their own heap";
#endif
    expect_no_growth([](socket &push) { push.close(); });
}

TEST_F(unbound_names, a_disconnected_one_neither) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers have their own heap";
#endif
    expect_no_growth([](socket &push) { EXPECT_EQ(push.disconnect("inproc://nobody"), 0); });
}

TEST_F(unbound_names, what_was_sent_stays) {
    socket push(owner_, ZMQ_PUSH);
    ASSERT_EQ(push.connect("inproc://later"), 0);
    ASSERT_EQ(push.send("sent"), 0);
    socket unused(owner_, ZMQ_PUSH);
    ASSERT_EQ(unused.connect("inproc://later"), 0);
    unused.close();
    push.close();
    socket pull(owner_, ZMQ_PULL);
    ASSERT_EQ(pull.bind("inproc://later"), 0);
    EXPECT_EQ(pull.receive(), "sent");
    EXPECT_TRUE(pull.quiet());
}

} // namespace zlink::conformance
