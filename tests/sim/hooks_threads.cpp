// SPDX-License-Identifier: MPL-2.0
// The C library's threads, locks, and clocks, as the simulation has them. The names of this program come
// before those of the C library, for libstdc++ and others, too. Outside of a run they do as little as a
// program with one thread needs.
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <random>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/host.hpp"
#include "sim/world.hpp"

using namespace sim;

namespace {

constexpr int host_pid = 4711; // a process number in messages and names
constexpr time_ns uptime = 1000 * one_s;
constexpr time_ns since_1970 = 1'700'000'000 * one_s;

timespec as_timespec(time_ns time) noexcept {
    return {static_cast<time_t>(time / one_s), static_cast<long>(time % one_s)};
}
time_ns as_ns(const timespec &time) noexcept {
    return time.tv_sec * one_s + time.tv_nsec;
}
time_ns clock_base(clockid_t clock) noexcept {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? since_1970 : uptime;
}
// A moment of that clock as one of the simulation.
time_ns from_clock(clockid_t clock, const timespec &time) noexcept {
    return as_ns(time) - clock_base(clock);
}
int answer(int negative) noexcept {
    if (negative >= 0)
        return negative;
    errno = -negative;
    return -1;
}

int futex_wait(const void *word, std::uint32_t value, const timespec *limit) {
    run->point("futex_wait");
    if (__atomic_load_n(static_cast<const std::uint32_t *>(word), __ATOMIC_SEQ_CST) != value)
        return -EAGAIN;
    wait_for what;
    what.place = word;
    what.until = limit != nullptr ? run->now() + as_ns(*limit) : never;
    what.by_signal = limit != nullptr; // one without a limit begins again
    switch (run->wait(what)) {
    case wait_end::woken:
        return 0;
    case wait_end::interrupted:
        return -EINTR;
    default:
        return -ETIMEDOUT;
    }
}

int wait_condition(pthread_cond_t *condition, pthread_mutex_t *mutex, time_ns until) {
    mutex->__data.__lock = 0;
    run->wake(mutex, 1);
    wait_for what;
    what.place = condition;
    what.until = until;
    const wait_end end = run->wait(what);
    pthread_mutex_lock(mutex);
    return end == wait_end::timed_out ? ETIMEDOUT : 0;
}

// Which clock a condition variable was told to take, in memory of its own.
int &clock_of(pthread_cond_t *condition) noexcept {
    return *reinterpret_cast<int *>(condition);
}

} // namespace

extern "C" {

// ---- threads

int pthread_create(pthread_t *thread, const pthread_attr_t *, void *(*start)(void *),
                   void *argument) noexcept {
    if (run == nullptr)
        return EAGAIN;
    sim_thread *const made = run->start_thread(start, argument);
    if (made == nullptr)
        return EAGAIN;
    *thread = made->runs->thread();
    run->point("create", made->number);
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    sim_thread *const of = run->find(thread);
    if (of == nullptr)
        return ESRCH;
    run->point("join", of->number);
    while (!of->ended) {
        wait_for what;
        what.place = of;
        (void)run->wait(what);
    }
    if (result != nullptr)
        *result = of->result;
    run->forget(*of);
    return 0;
}

int pthread_detach(pthread_t) noexcept {
    return 0;
}
int pthread_setname_np(pthread_t, const char *) noexcept {
    return 0;
}
int pthread_setaffinity_np(pthread_t, size_t, const cpu_set_t *) noexcept {
    return 0;
}
int pthread_getschedparam(pthread_t, int *policy, sched_param *parameters) noexcept {
    *policy = SCHED_OTHER;
    *parameters = {};
    return 0;
}
int pthread_setschedparam(pthread_t, int, const sched_param *) noexcept {
    return 0;
}
int pthread_atfork(void (*)(), void (*)(), void (*)()) noexcept {
    return 0;
}
int sched_yield() noexcept {
    if (run != nullptr) {
        run->point("sched_yield");
        wait_for what;
        what.until = run->now();
        (void)run->wait(what);
    }
    return 0;
}
int sched_getaffinity(pid_t, size_t size, cpu_set_t *usable) noexcept {
    CPU_ZERO_S(size, usable);
    for (int processor = 0; processor < world_processors; ++processor)
        CPU_SET_S(static_cast<unsigned>(processor), size, usable);
    return 0;
}
pid_t gettid() noexcept {
    return host_pid + (run != nullptr ? run->self().number : 0);
}
pid_t getpid() noexcept {
    return host_pid;
}
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) noexcept {
    if (run == nullptr)
        return 0;
    sigset_t &mask = run->self().blocked;
    if (before != nullptr)
        *before = mask;
    if (set == nullptr)
        return 0;
    for (int signal = 1; signal < SIGRTMIN; ++signal) {
        const bool given = sigismember(set, signal) == 1;
        if (how == SIG_SETMASK ? given : (how == SIG_BLOCK && given))
            sigaddset(&mask, signal);
        else if (how == SIG_SETMASK || given)
            sigdelset(&mask, signal);
    }
    return 0;
}

// ---- destructors of thread-local objects

[[gnu::visibility("default")]] int __cxa_thread_atexit(void (*function)(void *), void *object,
                                                       void *) noexcept {
    if (run != nullptr)
        run->self().at_end.emplace_back(function, object);
    return 0;
}

// ---- locks

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
    auto &data = mutex->__data;
    if (run == nullptr) {
        data.__lock = 1;
        return 0;
    }
    const int self = run->self().number + 1;
    const bool recursive = (data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE;
    if (recursive && data.__lock != 0 && data.__owner == self) {
        ++data.__count;
        return 0;
    }
    run->point("lock");
    while (data.__lock != 0) {
        wait_for what;
        what.place = mutex;
        (void)run->wait(what);
    }
    data.__lock = 1;
    data.__owner = self;
    data.__count = 1;
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
    if (run != nullptr)
        run->point("trylock");
    if (mutex->__data.__lock != 0)
        return EBUSY;
    mutex->__data.__lock = 1;
    mutex->__data.__owner = run != nullptr ? run->self().number + 1 : 0;
    mutex->__data.__count = 1;
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
    auto &data = mutex->__data;
    if ((data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE && data.__count > 1) {
        --data.__count;
        return 0;
    }
    data.__lock = 0;
    data.__owner = 0;
    if (run != nullptr) {
        run->wake(mutex, 1);
        run->point("unlock");
    }
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *) noexcept {
    return 0;
}
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) noexcept {
    clockid_t clock = CLOCK_REALTIME;
    if (attributes != nullptr)
        pthread_condattr_getclock(attributes, &clock);
    clock_of(condition) = clock;
    return 0;
}
int pthread_cond_destroy(pthread_cond_t *) noexcept {
    return 0;
}
int pthread_cond_signal(pthread_cond_t *condition) noexcept {
    run->wake(condition, 1);
    run->point("signal");
    return 0;
}
int pthread_cond_broadcast(pthread_cond_t *condition) noexcept {
    run->wake(condition, 1 << 20);
    run->point("broadcast");
    return 0;
}
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return wait_condition(condition, mutex, never);
}
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
    return wait_condition(condition, mutex, from_clock(clock_of(condition), *until));
}
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const timespec *until) {
    return wait_condition(condition, mutex, from_clock(clock, *until));
}

// ---- the clock

int clock_gettime(clockid_t clock, timespec *now) noexcept {
    if (run == nullptr) {
        *now = as_timespec(host::now_ns());
        return 0;
    }
    run->point("clock");
    *now = as_timespec(clock_base(clock) + run->now());
    return 0;
}
int nanosleep(const timespec *time, timespec *) {
    run->point("nanosleep", as_ns(*time));
    wait_for what;
    what.until = run->now() + as_ns(*time);
    (void)run->wait(what);
    return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *rest) {
    if ((flags & TIMER_ABSTIME) == 0)
        return nanosleep(time, rest);
    wait_for what;
    what.until = from_clock(clock, *time);
    (void)run->wait(what);
    return 0;
}

// ---- futexes and other calls without a function

long syscall(long number, ...) noexcept {
    va_list rest;
    va_start(rest, number);
    auto *const first = va_arg(rest, void *);
    const long second_argument = va_arg(rest, long);
    const long third = va_arg(rest, long);
    const auto *const limit = va_arg(rest, const timespec *);
    va_end(rest);
    if (number == SYS_futex && run != nullptr) {
        const long command = second_argument & FUTEX_CMD_MASK;
        if (command == FUTEX_WAIT)
            return answer(futex_wait(first, static_cast<std::uint32_t>(third), limit));
        const int woken = run->wake(first, static_cast<int>(third));
        run->point("futex_wake", woken);
        return woken;
    }
    if (number == SYS_membarrier) {
        if (run != nullptr)
            run->point("membarrier");
        return world_has_membarrier ? 0 : answer(-ENOSYS);
    }
    return host::call(number, first, second_argument, third);
}

ssize_t getrandom(void *to, size_t size, unsigned) {
    for (size_t index = 0; index < size; ++index)
        static_cast<unsigned char *>(to)[index] =
            run != nullptr ? static_cast<unsigned char>(run->dice.next() >> 32) : 1;
    return static_cast<ssize_t>(size);
}
int getentropy(void *to, size_t size) {
    (void)getrandom(to, size, 0);
    return 0;
}

} // extern "C"

// ---- libstdc++'s random numbers, which it takes from the processor

namespace std {
[[gnu::visibility("default")]] void random_device::_M_init(const string &) {}
[[gnu::visibility("default")]] void random_device::_M_fini() {}
[[gnu::visibility("default")]] random_device::result_type random_device::_M_getval() {
    return run != nullptr ? static_cast<result_type>(run->dice.next() >> 32) : 1;
}
} // namespace std
