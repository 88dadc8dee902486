// SPDX-License-Identifier: MPL-2.0
#include "common/two_ends.hpp"

#include "common/fail.hpp"

#include <algorithm>
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

void end_all(const std::vector<pid_t> &children) {
    for (const pid_t child : children)
        kill(child, SIGKILL);
}

bool is_of(const std::vector<pid_t> &children, pid_t child) {
    return std::find(children.begin(), children.end(), child) != children.end();
}

} // namespace

void run_two_ends(bool as_processes, const std::function<void()> &one, const std::function<void()> &other) {
    if (as_processes) {
        run_processes({}, {one, other});
        return;
    }
    std::thread first(one);
    std::thread second(other);
    first.join();
    second.join();
}

void run_processes(const std::vector<std::function<void()>> &servers,
                   const std::vector<std::function<void()>> &ends) {
    std::vector<pid_t> serving;
    std::vector<pid_t> measuring;
    for (const auto &work : servers)
        serving.push_back(start_process(work));
    for (const auto &work : ends)
        measuring.push_back(start_process(work));
    for (std::size_t ended = 0; ended < measuring.size(); ++ended) {
        int status = 0;
        const pid_t child = waitpid(-1, &status, 0);
        if (is_of(measuring, child) && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        end_all(measuring);
        end_all(serving);
        fail("one of the processes ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    end_all(serving);
    for (const pid_t child : serving)
        waitpid(child, nullptr, 0);
}

} // namespace bench
