// SPDX-License-Identifier: MPL-2.0
// The calls that go with a message, as in their man pages, but no points of cancellation: see
// cancellation.hpp. They are made without the C library. A library that was loaded in front of it and answers
// these calls (a network stack, a sanitizer) gets them instead. In line, since every function that is to be
// returned from behind a call of the system costs: see docs/RATIONALE.md, "The depth of a call".
//
// Threads: any. Errors: the errno number, negative, as the system itself gives it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct epoll_event;

namespace zlink::system_calls {

namespace detail {

// Is nothing in front of the C library? False also before it is known.
extern const bool alone;

// These go through the C library. They return the negative errno number of an error.
ssize_t receive(int descriptor, void *to, std::size_t size, int flags) noexcept;
ssize_t receive(int descriptor, msghdr &message, int flags) noexcept;
ssize_t send(int descriptor, const void *bytes, std::size_t size, int flags) noexcept;
ssize_t send(int descriptor, const msghdr &message, int flags) noexcept;
ssize_t read(int descriptor, void *to, std::size_t size) noexcept;
ssize_t write(int descriptor, const void *bytes, std::size_t size) noexcept;
int look_at_epoll(int epoll, epoll_event *found, int room) noexcept;

// The one that the C library makes, as a program may have forbidden itself others (seccomp(2)).
#ifdef SYS_epoll_wait
inline constexpr long epoll_look = SYS_epoll_wait;
#else
inline constexpr long epoll_look = SYS_epoll_pwait;
#endif

inline long as_argument(long value) noexcept {
    return value;
}
inline long as_argument(const void *pointer) noexcept {
    return static_cast<long>(reinterpret_cast<std::intptr_t>(pointer));
}

// With two zeros behind the arguments, which some calls take.
template <class A, class B, class C>
[[gnu::always_inline]] inline long call(long number, int descriptor, A first, B second, C third) noexcept {
    const long a = as_argument(first);
    const long b = as_argument(second);
    const long c = as_argument(third);
#if defined(__x86_64__) && !defined(__ILP32__)
    long answer = number;
    register long fourth asm("r10") = c;
    register long fifth asm("r8") = 0;
    register long sixth asm("r9") = 0;
    asm volatile("syscall"
                 : "+a"(answer)
                 : "D"(static_cast<long>(descriptor)), "S"(a), "d"(b), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return answer;
#else
    const long answer = ::syscall(number, descriptor, a, b, c, 0L, 0L);
    return answer >= 0 ? answer : -errno;
#endif
}

} // namespace detail

[[gnu::always_inline]] inline ssize_t receive(int descriptor, void *to, std::size_t size,
                                              int flags) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::receive(descriptor, to, size, flags);
    return detail::call(SYS_recvfrom, descriptor, to, static_cast<long>(size), flags);
}
[[gnu::always_inline]] inline ssize_t receive(int descriptor, msghdr &message, int flags) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::receive(descriptor, message, flags);
    return detail::call(SYS_recvmsg, descriptor, &message, flags, 0L);
}
[[gnu::always_inline]] inline ssize_t send(int descriptor, const void *bytes, std::size_t size,
                                           int flags) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::send(descriptor, bytes, size, flags);
    return detail::call(SYS_sendto, descriptor, bytes, static_cast<long>(size), flags);
}
[[gnu::always_inline]] inline ssize_t send(int descriptor, const msghdr &message, int flags) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::send(descriptor, message, flags);
    return detail::call(SYS_sendmsg, descriptor, &message, flags, 0L);
}
inline ssize_t read(int descriptor, void *to, std::size_t size) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::read(descriptor, to, size);
    return detail::call(SYS_read, descriptor, to, static_cast<long>(size), 0L);
}
inline ssize_t write(int descriptor, const void *bytes, std::size_t size) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::write(descriptor, bytes, size);
    return detail::call(SYS_write, descriptor, bytes, static_cast<long>(size), 0L);
}
void close(int descriptor) noexcept;
// Asks poll(2) for POLLOUT without waiting. Returns true as well if the connection has an error.
[[nodiscard]] bool is_writable(int descriptor) noexcept;
// epoll_wait(2) without waiting.
inline int look_at_epoll(int epoll, epoll_event *found, int room) noexcept {
    if (!detail::alone) [[unlikely]]
        return detail::look_at_epoll(epoll, found, room);
    return static_cast<int>(detail::call(detail::epoll_look, epoll, found, room, 0L));
}

} // namespace zlink::system_calls
