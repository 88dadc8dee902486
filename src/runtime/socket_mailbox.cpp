// SPDX-License-Identifier: MPL-2.0
#include "runtime/socket_mailbox.hpp"

#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cancellation.hpp"
#include "base/system_calls.hpp"

namespace zlink::runtime {

socket_mailbox::~socket_mailbox() {
    if (has_descriptor())
        system_calls::close(number());
}

void socket_mailbox::wake() noexcept {
    if (parker *sleeper = sleeper_.load(std::memory_order_seq_cst))
        sleeper->unpark();
    ring();
}

int socket_mailbox::make() noexcept {
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd >= 0)
        descriptor_.store(fd, std::memory_order_relaxed);
    return fd;
}

int socket_mailbox::descriptor() noexcept {
    if (rings_.load(std::memory_order_relaxed) != ringing::always) {
        const int fd = loop_descriptor();
        if (fd < 0)
            return fd;
        rings_.store(ringing::always, std::memory_order_seq_cst);
        if (announced_ || !ready.empty())
            signal_descriptor();
    }
    return number();
}

void socket_mailbox::announce() noexcept {
    announced_ = true;
    if (has_descriptor())
        signal_descriptor();
}

void socket_mailbox::signal_descriptor() noexcept {
    if (signalled_.exchange(true, std::memory_order_seq_cst))
        return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = system_calls::write(number(), &one, sizeof one);
}

void socket_mailbox::clear_descriptor_at_end() noexcept {
    const bool rings = rings_after_call_;
    clear_descriptor();
    if (rings)
        ring();
}

void socket_mailbox::clear_descriptor() noexcept {
    rings_after_call_ = false;
    if (!has_descriptor() || !signalled_.load(std::memory_order_seq_cst))
        return;
    const int fd = number();
    const auto missing = [fd] {
        std::uint64_t count = 0;
        const ssize_t taken = system_calls::read(fd, &count, sizeof count);
        return taken == -EAGAIN || taken == -EINTR;
    };
    // A waker writes after its exchange: wait for the write, or the descriptor would stay readable for
    // nothing.
    while (missing()) {
        const uncancelled meanwhile;
        pollfd written{fd, POLLIN, 0};
        ::poll(&written, 1, -1);
    }
    signalled_.store(false, std::memory_order_seq_cst);
}

} // namespace zlink::runtime
