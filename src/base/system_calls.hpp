// SPDX-License-Identifier: MPL-2.0
// The calls that go with a message, as in their man pages, but no points of cancellation: see
// cancellation.hpp. They are made without the C library, unless something was loaded in front of it that
// answers them (a network stack of its own, a sanitizer), which then does.
//
// Threads: any. Errors: -1 with errno.
#pragma once

#include <cstddef>
#include <sys/types.h>

struct msghdr;
struct epoll_event;

namespace zlink::system_calls {

ssize_t receive(int descriptor, void *to, std::size_t size, int flags) noexcept;
ssize_t receive(int descriptor, msghdr &message, int flags) noexcept;
ssize_t send(int descriptor, const void *bytes, std::size_t size, int flags) noexcept;
ssize_t send(int descriptor, const msghdr &message, int flags) noexcept;
ssize_t read(int descriptor, void *to, std::size_t size) noexcept;
ssize_t write(int descriptor, const void *bytes, std::size_t size) noexcept;
// Without waiting.
int look_at_epoll(int epoll, epoll_event *found, int room) noexcept;

} // namespace zlink::system_calls
