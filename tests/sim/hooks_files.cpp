// SPDX-License-Identifier: MPL-2.0
// The C library's descriptors and sockets, as the simulation has them. Low descriptors are the host's.
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/host.hpp"
#include "sim/world.hpp"

using namespace sim;

namespace {

bool is_pretend(int descriptor) noexcept {
    return run != nullptr && descriptor >= kernel::first_descriptor;
}

template <class Number> Number answer(Number negative) noexcept {
    if (negative >= 0)
        return negative;
    errno = static_cast<int>(-negative);
    return -1;
}

std::shared_ptr<stream_socket> stream_of(int descriptor) {
    return pretend->find_as<stream_socket>(descriptor);
}

address address_of(const sockaddr *from, socklen_t size) noexcept {
    address made;
    made.size = std::min<socklen_t>(size, sizeof made.bytes);
    std::memcpy(&made.bytes, from, made.size);
    return made;
}

ssize_t transfer(const char *name, int descriptor, void *bytes, std::size_t size, bool reads) {
    run->point(name, descriptor, static_cast<std::int64_t>(size));
    const auto of = pretend->find(descriptor);
    if (of == nullptr)
        return answer<ssize_t>(-EBADF);
    const ssize_t done = reads ? of->read(bytes, size) : of->write(bytes, size);
    run->note("=", done);
    return answer(done);
}

// Several places as one transfer: what was taken is what one call would have taken.
ssize_t transfer_all(const char *name, int descriptor, const iovec *places, std::size_t count, bool reads) {
    std::size_t size = 0;
    for (std::size_t index = 0; index < count; ++index)
        size += places[index].iov_len;
    std::string all(size, '\0');
    char *at = all.data();
    for (std::size_t index = 0; !reads && index < count; at += places[index++].iov_len)
        std::memcpy(at, places[index].iov_base, places[index].iov_len);
    const ssize_t done = transfer(name, descriptor, all.data(), size, reads);
    std::size_t left = reads && done > 0 ? static_cast<std::size_t>(done) : 0;
    at = all.data();
    for (std::size_t index = 0; left != 0; ++index) {
        const std::size_t part = std::min(left, places[index].iov_len);
        std::memcpy(places[index].iov_base, at, part);
        at += part;
        left -= part;
    }
    return done;
}

int add_descriptor(const char *name, std::shared_ptr<object> made, bool blocks) {
    made->blocks = blocks;
    const int descriptor = pretend->add(std::move(made));
    run->point(name, descriptor);
    return answer(descriptor);
}

time_ns until_after(int milliseconds) noexcept {
    return milliseconds < 0 ? never : run->now() + milliseconds * ms;
}

time_ns as_ns(const timespec &time) noexcept {
    return time.tv_sec * one_s + time.tv_nsec;
}

std::string unix_key(const char *path) {
    return "unix:" + std::string(path, std::strlen(path) + 1);
}

int integer_option(const stream_socket &of, int level, int option) noexcept {
    if (level != SOL_SOCKET)
        return 0;
    switch (option) {
    case SO_DOMAIN:
        return of.family();
    case SO_TYPE:
        return SOCK_STREAM;
    default:
        return 0;
    }
}

} // namespace

extern "C" {

// ---- any descriptor

ssize_t read(int descriptor, void *to, size_t size) {
    return is_pretend(descriptor) ? transfer("read", descriptor, to, size, true)
                                  : host::read(descriptor, to, size);
}
ssize_t write(int descriptor, const void *from, size_t size) {
    return is_pretend(descriptor) ? transfer("write", descriptor, const_cast<void *>(from), size, false)
                                  : host::write(descriptor, from, size);
}
int close(int descriptor) {
    if (!is_pretend(descriptor))
        return host::close(descriptor);
    run->point("close", descriptor);
    return pretend->close(descriptor);
}
int fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    if (!is_pretend(descriptor))
        return host::control(descriptor, command, argument);
    const auto of = pretend->find(descriptor);
    if (of == nullptr)
        return answer(-EBADF);
    if (command == F_GETFL)
        return O_RDWR | (of->blocks ? 0 : O_NONBLOCK);
    if (command == F_SETFL)
        of->blocks = (argument & O_NONBLOCK) == 0;
    return command == F_DUPFD_CLOEXEC ? answer(-EMFILE) : 0;
}
int ioctl(int descriptor, unsigned long request, ...) noexcept {
    va_list rest;
    va_start(rest, request);
    int *const value = va_arg(rest, int *);
    va_end(rest);
    const auto of = is_pretend(descriptor) ? pretend->find(descriptor) : nullptr;
    if (of == nullptr)
        return answer(-EBADF);
    if (request == FIONBIO) {
        of->blocks = *value == 0;
        return 0;
    }
    const auto stream = std::dynamic_pointer_cast<stream_socket>(of);
    if (stream == nullptr || (request != SIOCOUTQ && request != SIOCOUTQNSD))
        return answer(-EINVAL);
    run->point("outq", descriptor);
    *value = static_cast<int>(stream->in_flight());
    return 0;
}

// ---- readiness

int eventfd(unsigned count, int flags) noexcept {
    return add_descriptor("eventfd", std::make_shared<event_object>(count), (flags & EFD_NONBLOCK) == 0);
}
int timerfd_create(clockid_t, int) noexcept {
    return add_descriptor("timerfd", std::make_shared<timer_object>(), false);
}
int timerfd_settime(int descriptor, int flags, const itimerspec *set, itimerspec *) noexcept {
    constexpr time_ns uptime = 1000 * one_s;
    const auto of = pretend->find_as<timer_object>(descriptor);
    if (of == nullptr)
        return answer(-EBADF);
    const time_ns given = as_ns(set->it_value);
    const time_ns at = (flags & TFD_TIMER_ABSTIME) != 0 ? given - uptime : run->now() + given;
    of->set(given == 0 ? 0 : std::max<time_ns>(at, 1));
    run->point("settime", given);
    return 0;
}
int epoll_create1(int) noexcept {
    return add_descriptor("epoll_create", std::make_shared<epoll_object>(), true);
}
int epoll_create(int) noexcept {
    return epoll_create1(0);
}
int epoll_ctl(int epoll, int operation, int descriptor, epoll_event *wanted) noexcept {
    run->point("epoll_ctl", operation, descriptor);
    const auto in = pretend->find_as<epoll_object>(epoll);
    const auto of = pretend->find(descriptor);
    if (in == nullptr || of == nullptr)
        return answer(-EBADF);
    return answer(in->control(operation, descriptor, of, wanted));
}
int epoll_wait(int epoll, epoll_event *found, int room, int timeout) {
    run->point("epoll_wait", epoll, timeout);
    const auto in = pretend->find_as<epoll_object>(epoll);
    if (in == nullptr)
        return answer(-EBADF);
    const int count = pretend->epoll_wait(*in, found, room, until_after(timeout));
    run->note("=", count);
    return answer(count);
}
int poll(pollfd *asked, nfds_t count, int timeout) {
    run->point("poll", static_cast<std::int64_t>(count), timeout);
    return answer(pretend->poll(asked, count, until_after(timeout), nullptr));
}
int ppoll(pollfd *asked, nfds_t count, const timespec *timeout, const sigset_t *mask) {
    run->point("ppoll", static_cast<std::int64_t>(count));
    const time_ns until = timeout != nullptr ? run->now() + as_ns(*timeout) : never;
    return answer(pretend->poll(asked, count, until, mask));
}

// Asio's way out when it gets no eventfd: refused, too.
int pipe(int *) noexcept {
    run->point("pipe");
    return answer(-EMFILE);
}

// ---- sockets

int socket(int family, int kind, int) noexcept {
    if ((kind & 15) != SOCK_STREAM || (family != AF_INET && family != AF_INET6 && family != AF_UNIX))
        return answer(-EPROTONOSUPPORT);
    return add_descriptor("socket", std::make_shared<stream_socket>(family), (kind & SOCK_NONBLOCK) == 0);
}
int bind(int descriptor, const sockaddr *to, socklen_t size) noexcept {
    run->point("bind", descriptor);
    return answer(stream_of(descriptor)->bind(address_of(to, size)));
}
int listen(int descriptor, int backlog) noexcept {
    run->point("listen", descriptor, backlog);
    return answer(stream_of(descriptor)->listen(backlog));
}
int connect(int descriptor, const sockaddr *to, socklen_t size) {
    run->point("connect", descriptor);
    const int done = stream_of(descriptor)->connect(address_of(to, size));
    run->note("=", done);
    return answer(done);
}
int accept4(int descriptor, sockaddr *from, socklen_t *size, int flags) {
    const auto listener = stream_of(descriptor);
    if (listener == nullptr)
        return answer(-EBADF);
    run->point("accept", descriptor);
    if (!listener->has_backlog())
        return answer(-EAGAIN);
    const int made = pretend->add(std::make_shared<event_object>(0)); // keeps the place
    if (made < 0)
        return answer(made);
    const auto accepted = listener->accept();
    accepted->blocks = (flags & SOCK_NONBLOCK) == 0;
    accepted->other.copy_to(from, size);
    pretend->replace(made, accepted);
    run->note("=", made);
    return made;
}
int accept(int descriptor, sockaddr *from, socklen_t *size) {
    return accept4(descriptor, from, size, 0);
}
int shutdown(int descriptor, int how) noexcept {
    run->point("shutdown", descriptor, how);
    return answer(stream_of(descriptor)->shut_down(how));
}
int getsockname(int descriptor, sockaddr *to, socklen_t *size) noexcept {
    const auto of = stream_of(descriptor);
    if (of == nullptr)
        return answer(-EBADF);
    of->own.copy_to(to, size);
    return 0;
}
int getpeername(int descriptor, sockaddr *to, socklen_t *size) noexcept {
    const auto of = stream_of(descriptor);
    if (of == nullptr)
        return answer(-EBADF);
    if (!of->is_connected())
        return answer(-ENOTCONN);
    of->other.copy_to(to, size);
    return 0;
}
int setsockopt(int, int, int, const void *, socklen_t) noexcept {
    return 0;
}
int getsockopt(int descriptor, int level, int option, void *value, socklen_t *size) noexcept {
    const auto of = stream_of(descriptor);
    if (of == nullptr)
        return answer(-EBADF);
    if (level == SOL_SOCKET && option == SO_PEERCRED) {
        const ucred peer{getpid(), 0, 0};
        std::memcpy(value, &peer, sizeof peer);
        return 0;
    }
    const bool error = level == SOL_SOCKET && option == SO_ERROR;
    const int found = error ? of->take_error() : integer_option(*of, level, option);
    std::memcpy(value, &found, std::min<std::size_t>(*size, sizeof found));
    return 0;
}
ssize_t recv(int descriptor, void *to, size_t size, int) {
    return transfer("recv", descriptor, to, size, true);
}
ssize_t send(int descriptor, const void *from, size_t size, int) {
    return transfer("send", descriptor, const_cast<void *>(from), size, false);
}
ssize_t recvmsg(int descriptor, msghdr *message, int) {
    return transfer_all("recvmsg", descriptor, message->msg_iov, message->msg_iovlen, true);
}
ssize_t sendmsg(int descriptor, const msghdr *message, int) {
    return transfer_all("sendmsg", descriptor, message->msg_iov, message->msg_iovlen, false);
}

// ---- names of unix sockets

int unlink(const char *path) noexcept {
    if (run == nullptr)
        return answer(-EPERM);
    run->point("unlink");
    return net->bound.erase(unix_key(path)) != 0 ? 0 : answer(-ENOENT);
}

} // extern "C"
