// SPDX-License-Identifier: MPL-2.0
#include "common/stop_signal.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/failure.hpp"

namespace cli::stop_signal {

namespace {

int event = -1;
std::atomic<int> first{0};

void handle(int signal) {
    const int kept_errno = errno;
    first = signal;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(event, &one, sizeof one);
    // The next one ends the process if the command does not.
    std::signal(signal, SIG_DFL);
    errno = kept_errno;
}

} // namespace

void install() {
    event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0)
        throw failure(std::string("cannot make an eventfd: ") + std::strerror(errno));
    struct sigaction action {};
    action.sa_handler = handle; // without SA_RESTART: waiting calls end with EINTR
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

void restore() {
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE})
        std::signal(signal, SIG_DFL);
}

int descriptor() {
    return event;
}

int number() {
    return first;
}

} // namespace cli::stop_signal
