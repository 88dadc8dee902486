// SPDX-License-Identifier: MPL-2.0
#include "tuning/watched_calls.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace zlink::tuning_test {

call_counts counted;
thread_local std::size_t own_writes = 0;

namespace {

void raise_to(std::atomic<std::size_t> &largest, std::size_t bytes) noexcept {
    std::size_t seen = largest;
    while (bytes > seen && !largest.compare_exchange_weak(seen, bytes)) {
    }
}

ssize_t read_done(ssize_t bytes) noexcept {
    if (bytes > 0)
        raise_to(counted.largest_read, static_cast<std::size_t>(bytes));
    return bytes;
}

// Counted before the call, because the peer may have the bytes before the call returns.
void count_write(std::size_t bytes) noexcept {
    ++counted.writes;
    ++own_writes;
    raise_to(counted.largest_write, bytes);
}

std::size_t size_of(const msghdr &message) noexcept {
    std::size_t bytes = 0;
    for (std::size_t piece = 0; piece < message.msg_iovlen; ++piece)
        bytes += message.msg_iov[piece].iov_len;
    return bytes;
}

} // namespace
} // namespace zlink::tuning_test

using namespace zlink::tuning_test;

extern "C" {

ssize_t recv(int descriptor, void *to, std::size_t size, int flags) {
    return read_done(::syscall(SYS_recvfrom, descriptor, to, size, flags, nullptr, nullptr));
}

ssize_t recvmsg(int descriptor, msghdr *message, int flags) {
    return read_done(::syscall(SYS_recvmsg, descriptor, message, flags));
}

ssize_t send(int descriptor, const void *bytes, std::size_t size, int flags) {
    count_write(size);
    return ::syscall(SYS_sendto, descriptor, bytes, size, flags, nullptr, 0);
}

ssize_t sendmsg(int descriptor, const msghdr *message, int flags) {
    count_write(size_of(*message));
    return ::syscall(SYS_sendmsg, descriptor, message, flags);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t size) noexcept {
    if (level == IPPROTO_TCP && name == TCP_QUICKACK)
        ++counted.confirmations;
    return static_cast<int>(::syscall(SYS_setsockopt, descriptor, level, name, value, size));
}

} // extern "C"
