// SPDX-License-Identifier: MPL-2.0
#include "base/fork.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace zlink {
namespace {

// Forks, and returns what the child says by its status.
int status_of_child() {
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(7);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

struct forks {
    int status = status_of_child();
};
// The handler is known, and the object that it belongs to is still being made.
struct half_made final : fork_handler, forks {
    void on_fork() noexcept override {}
};

TEST(fork_handler, of_an_object_that_is_being_made_is_passed_over) {
    const half_made made;
    ASSERT_TRUE(WIFEXITED(made.status));
    EXPECT_EQ(WEXITSTATUS(made.status), 7);
}

} // namespace
} // namespace zlink
