// SPDX-License-Identifier: MPL-2.0
#include "common/two_ends.hpp"

#include "common/fail.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace bench {
namespace {

pid_t start_process(const std::function<void()> &work) {
    std::fflush(stdout);
    std::fflush(stderr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        fail("fork: %s", std::strerror(errno));
    if (child > 0)
        return child;
    // A runner that kills the parent must not leave its ends behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        std::_Exit(1);
    work();
    std::fflush(stderr);
    std::_Exit(0);
}

void wait_for_both(const std::array<pid_t, 2> &children) {
    for (int ended = 0; ended < 2; ++ended) {
        int status = 0;
        const pid_t child = waitpid(-1, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        kill(child == children[0] ? children[1] : children[0], SIGKILL);
        fail("one of the two processes ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

} // namespace

void run_two_ends(bool as_processes, const std::function<void()> &one, const std::function<void()> &other) {
    if (as_processes) {
        const pid_t first = start_process(one);
        wait_for_both({first, start_process(other)});
        return;
    }
    std::thread first(one);
    std::thread second(other);
    first.join();
    second.join();
}

} // namespace bench
