// SPDX-License-Identifier: MPL-2.0
#include "base/system_calls.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/cancellation.hpp"

namespace zlink::system_calls::detail {
namespace {

#ifdef __GLIBC__
bool of_the_c_library(void *function) noexcept {
    Dl_info found{};
    Dl_info library{};
    return dladdr(function, &found) != 0 &&
           dladdr(reinterpret_cast<void *>(&gnu_get_libc_version), &library) != 0 &&
           found.dli_fbase == library.dli_fbase;
}
#else
bool of_the_c_library(void *) noexcept {
    return false;
}
#endif

bool nothing_in_front() noexcept {
    const std::array functions{
        reinterpret_cast<void *>(&::recv),       reinterpret_cast<void *>(&::recvmsg),
        reinterpret_cast<void *>(&::send),       reinterpret_cast<void *>(&::sendmsg),
        reinterpret_cast<void *>(&::read),       reinterpret_cast<void *>(&::write),
        reinterpret_cast<void *>(&::epoll_wait),
    };
    return std::all_of(functions.begin(), functions.end(), of_the_c_library);
}

template <class Answer> Answer or_error(Answer answer) noexcept {
    return answer >= 0 ? answer : static_cast<Answer>(-errno);
}

} // namespace

const bool alone = nothing_in_front();

ssize_t receive(int descriptor, void *to, std::size_t size, int flags) noexcept {
    const uncancelled meanwhile;
    return or_error(::recv(descriptor, to, size, flags));
}
ssize_t receive(int descriptor, msghdr &message, int flags) noexcept {
    const uncancelled meanwhile;
    return or_error(::recvmsg(descriptor, &message, flags));
}
ssize_t send(int descriptor, const void *bytes, std::size_t size, int flags) noexcept {
    const uncancelled meanwhile;
    return or_error(::send(descriptor, bytes, size, flags));
}
ssize_t send(int descriptor, const msghdr &message, int flags) noexcept {
    const uncancelled meanwhile;
    return or_error(::sendmsg(descriptor, &message, flags));
}
ssize_t read(int descriptor, void *to, std::size_t size) noexcept {
    const uncancelled meanwhile;
    return or_error(::read(descriptor, to, size));
}
ssize_t write(int descriptor, const void *bytes, std::size_t size) noexcept {
    const uncancelled meanwhile;
    return or_error(::write(descriptor, bytes, size));
}
int look_at_epoll(int epoll, epoll_event *found, int room) noexcept {
    const uncancelled meanwhile;
    return or_error(::epoll_wait(epoll, found, room, 0));
}

} // namespace zlink::system_calls::detail

namespace zlink::system_calls {

void close(int descriptor) noexcept {
    const uncancelled meanwhile;
    ::close(descriptor);
}

bool is_writable(int descriptor) noexcept {
    const uncancelled meanwhile;
    pollfd asked{descriptor, POLLOUT, 0};
    return ::poll(&asked, 1, 0) != 0;
}

} // namespace zlink::system_calls
