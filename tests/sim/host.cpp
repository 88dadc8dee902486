// SPDX-License-Identifier: MPL-2.0
#include "sim/host.hpp"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace sim::host {
namespace {

// The function of the C library behind the one of this program.
template <class Function> Function behind(const char *name) noexcept {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

long raw(long number, long first, long second, long third, long fourth = 0) noexcept {
    long answer = number;
    register long r10 asm("r10") = fourth;
    register long r8 asm("r8") = 0;
    asm volatile("syscall"
                 : "+a"(answer)
                 : "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                 : "rcx", "r11", "memory");
    if (answer >= 0)
        return answer;
    errno = static_cast<int>(-answer);
    return -1;
}

long as_long(const void *pointer) noexcept {
    return reinterpret_cast<long>(pointer);
}

std::int64_t used_by(int whom) noexcept {
    rusage used{};
    getrusage(static_cast<__rusage_who>(whom), &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * std::int64_t{1'000'000'000} +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * std::int64_t{1000};
}

} // namespace

long call(long number, void *first, long second, long third) noexcept {
    return raw(number, as_long(first), second, third);
}
int create_thread(pthread_t *thread, void *(*start)(void *), void *argument) noexcept {
    static const auto create = behind<decltype(&::pthread_create)>("pthread_create");
    return create(thread, nullptr, start, argument);
}
void join_thread(pthread_t thread) noexcept {
    static const auto join = behind<decltype(&::pthread_join)>("pthread_join");
    join(thread, nullptr);
}
ssize_t read(int descriptor, void *to, std::size_t size) noexcept {
    return raw(SYS_read, descriptor, as_long(to), static_cast<long>(size));
}
ssize_t write(int descriptor, const void *from, std::size_t size) noexcept {
    return raw(SYS_write, descriptor, as_long(from), static_cast<long>(size));
}
int close(int descriptor) noexcept {
    return static_cast<int>(raw(SYS_close, descriptor, 0, 0));
}
int control(int descriptor, int command, long argument) noexcept {
    return static_cast<int>(raw(SYS_fcntl, descriptor, command, argument));
}
std::int64_t now_ns() noexcept {
    timespec now{};
    raw(SYS_clock_gettime, CLOCK_MONOTONIC, as_long(&now), 0);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}
std::int64_t processor_ns() noexcept {
    return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

} // namespace sim::host
