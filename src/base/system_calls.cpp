// SPDX-License-Identifier: MPL-2.0
#include "base/system_calls.hpp"

#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/cancellation.hpp"

namespace zlink::system_calls {
namespace {

bool of_the_c_library([[maybe_unused]] void *function) noexcept {
#ifdef __GLIBC__
    Dl_info found{};
    Dl_info library{};
    return dladdr(function, &found) != 0 &&
           dladdr(reinterpret_cast<void *>(&gnu_get_libc_version), &library) != 0 &&
           found.dli_fbase == library.dli_fbase;
#else
    return false;
#endif
}

// False also before it is known: then the function is called.
template <auto Function> const bool plain = of_the_c_library(reinterpret_cast<void *>(Function));

// The system's call of that number, whose arguments are the function's and zeros; or the function.
template <auto Function, class... Arguments> auto call(long number, Arguments... arguments) noexcept {
    using answer = decltype(Function(arguments...));
    if (plain<Function>) [[likely]]
        return static_cast<answer>(::syscall(number, arguments..., 0L, 0L));
    const uncancelled meanwhile;
    return Function(arguments...);
}

} // namespace

ssize_t receive(int descriptor, void *to, std::size_t size, int flags) noexcept {
    return call<&::recv>(SYS_recvfrom, descriptor, to, size, flags);
}
ssize_t receive(int descriptor, msghdr &message, int flags) noexcept {
    return call<&::recvmsg>(SYS_recvmsg, descriptor, &message, flags);
}
ssize_t send(int descriptor, const void *bytes, std::size_t size, int flags) noexcept {
    return call<&::send>(SYS_sendto, descriptor, bytes, size, flags);
}
ssize_t send(int descriptor, const msghdr &message, int flags) noexcept {
    return call<&::sendmsg>(SYS_sendmsg, descriptor, &message, flags);
}
ssize_t read(int descriptor, void *to, std::size_t size) noexcept {
    return call<&::read>(SYS_read, descriptor, to, size);
}
ssize_t write(int descriptor, const void *bytes, std::size_t size) noexcept {
    return call<&::write>(SYS_write, descriptor, bytes, size);
}
int look_at_epoll(int epoll, epoll_event *found, int room) noexcept {
    return call<&::epoll_wait>(SYS_epoll_pwait, epoll, found, room, 0);
}

} // namespace zlink::system_calls
