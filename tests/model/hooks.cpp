// SPDX-License-Identifier: MPL-2.0
// The compiler calls these functions for each access to memory (-fsanitize=thread), and the library calls the
// system's. While a program runs they go to the explorer. The compiler and the system have given the names.
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/explorer.hpp"

using zlink::model::in_program;
using zlink::model::order;
using zlink::model::the_explorer;

namespace {
// While the checker works on a step of the program.
class aside {
  public:
    aside() noexcept { in_program = false; }
    ~aside() { in_program = true; }
    aside(const aside &) = delete;
    aside &operator=(const aside &) = delete;
};
} // namespace

#define SITE (static_cast<const char *>(__builtin_return_address(0)) - 1)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

// ---- plain accesses

#define PLAIN(NAME, SIZE, WRITES)                                                                            \
    void NAME(void *address) {                                                                               \
        if (in_program) {                                                                                    \
            const aside now;                                                                                 \
            the_explorer.plain(address, SIZE, WRITES, SITE);                                                 \
        }                                                                                                    \
    }
PLAIN(__tsan_read1, 1, false)
PLAIN(__tsan_read2, 2, false)
PLAIN(__tsan_read4, 4, false)
PLAIN(__tsan_read8, 8, false)
PLAIN(__tsan_read16, 16, false)
PLAIN(__tsan_unaligned_read2, 2, false)
PLAIN(__tsan_unaligned_read4, 4, false)
PLAIN(__tsan_unaligned_read8, 8, false)
PLAIN(__tsan_unaligned_read16, 16, false)
PLAIN(__tsan_write1, 1, true)
PLAIN(__tsan_write2, 2, true)
PLAIN(__tsan_write4, 4, true)
PLAIN(__tsan_write8, 8, true)
PLAIN(__tsan_write16, 16, true)
PLAIN(__tsan_unaligned_write2, 2, true)
PLAIN(__tsan_unaligned_write4, 4, true)
PLAIN(__tsan_unaligned_write8, 8, true)
PLAIN(__tsan_unaligned_write16, 16, true)

#define RANGE(NAME, WRITES)                                                                                  \
    void NAME(void *address, unsigned long size) {                                                           \
        if (in_program) {                                                                                    \
            const aside now;                                                                                 \
            the_explorer.plain(address, size, WRITES, SITE);                                                 \
        }                                                                                                    \
    }
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)

// The linker sends the calls of these functions here (--wrap).
void *__real_memcpy(void *to, const void *from, std::size_t size);
void *__real_memmove(void *to, const void *from, std::size_t size);
void *__real_memset(void *to, int value, std::size_t size);

void *__wrap_memcpy(void *to, const void *from, std::size_t size) {
    if (in_program) {
        const aside now;
        the_explorer.plain(from, size, false, SITE);
        the_explorer.plain(to, size, true, SITE);
    }
    return __real_memcpy(to, from, size);
}
void *__wrap_memmove(void *to, const void *from, std::size_t size) {
    if (in_program) {
        const aside now;
        the_explorer.plain(from, size, false, SITE);
        the_explorer.plain(to, size, true, SITE);
    }
    return __real_memmove(to, from, size);
}
void *__wrap_memset(void *to, int value, std::size_t size) {
    if (in_program) {
        const aside now;
        the_explorer.plain(to, size, true, SITE);
    }
    return __real_memset(to, value, size);
}

// ---- atomic operations

#define MODIFY(NAME, BITS, TYPE, EXPRESSION)                                                                 \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *address, TYPE operand, int how) {                       \
        if (!in_program) {                                                                                   \
            const TYPE before = *address;                                                                    \
            *address = static_cast<TYPE>(EXPRESSION);                                                        \
            return before;                                                                                   \
        }                                                                                                    \
        const aside now;                                                                                     \
        return static_cast<TYPE>(the_explorer.modify(const_cast<TYPE *>(address), sizeof(TYPE),              \
                                                     static_cast<order>(how), SITE,                          \
                                                     [operand](std::uint64_t was) -> std::uint64_t {         \
                                                         const TYPE before = static_cast<TYPE>(was);         \
                                                         (void)before;                                       \
                                                         return static_cast<TYPE>(EXPRESSION);               \
                                                     }));                                                    \
    }

#define EXCHANGE(NAME, BITS, TYPE)                                                                           \
    int __tsan_atomic##BITS##_##NAME(volatile TYPE *address, TYPE *expected, TYPE desired, int success,      \
                                     int failure) {                                                          \
        if (!in_program) {                                                                                   \
            const bool same = *address == *expected;                                                         \
            *(same ? const_cast<TYPE *>(address) : expected) = same ? desired : *address;                    \
            return same;                                                                                     \
        }                                                                                                    \
        const aside now;                                                                                     \
        std::uint64_t wanted = *expected;                                                                    \
        const bool done =                                                                                    \
            the_explorer.compare_exchange(const_cast<TYPE *>(address), sizeof(TYPE), wanted, desired,        \
                                          static_cast<order>(success), static_cast<order>(failure), SITE);   \
        *expected = static_cast<TYPE>(wanted);                                                               \
        return done;                                                                                         \
    }

#define ATOMIC(BITS, TYPE)                                                                                   \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *address, int how) {                                 \
        if (!in_program)                                                                                     \
            return *address;                                                                                 \
        const aside now;                                                                                     \
        return static_cast<TYPE>(the_explorer.load(const_cast<const TYPE *>(address), sizeof(TYPE),          \
                                                   static_cast<order>(how), SITE));                          \
    }                                                                                                        \
    void __tsan_atomic##BITS##_store(volatile TYPE *address, TYPE value, int how) {                          \
        if (!in_program) {                                                                                   \
            *address = value;                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        const aside now;                                                                                     \
        the_explorer.store(const_cast<TYPE *>(address), sizeof(TYPE), value, static_cast<order>(how), SITE); \
    }                                                                                                        \
    MODIFY(exchange, BITS, TYPE, operand)                                                                    \
    MODIFY(fetch_add, BITS, TYPE, before + operand)                                                          \
    MODIFY(fetch_sub, BITS, TYPE, before - operand)                                                          \
    MODIFY(fetch_and, BITS, TYPE, before &operand)                                                           \
    MODIFY(fetch_or, BITS, TYPE, before | operand)                                                           \
    MODIFY(fetch_xor, BITS, TYPE, before ^ operand)                                                          \
    EXCHANGE(compare_exchange_strong, BITS, TYPE)                                                            \
    EXCHANGE(compare_exchange_weak, BITS, TYPE)

ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int how) {
    if (in_program) {
        const aside now;
        the_explorer.fence(static_cast<order>(how), SITE);
    }
}
void __tsan_atomic_signal_fence(int how) {
    if (in_program) {
        const aside now;
        the_explorer.compiler_fence(static_cast<order>(how));
    }
}

// ---- the system

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
    if (in_program) {
        const aside now;
        the_explorer.lock(mutex, SITE);
    }
    return 0;
}
int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
    if (!in_program)
        return 0;
    const aside now;
    return the_explorer.try_lock(mutex, SITE) ? 0 : EBUSY;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
    if (in_program) {
        const aside now;
        the_explorer.unlock(mutex, SITE);
    }
    return 0;
}
int __wrap_sched_yield() {
    if (in_program) {
        const aside now;
        the_explorer.yield();
        zlink::model::let_time_pass();
    }
    return 0;
}
int __wrap_nanosleep(const timespec *, timespec *) {
    return __wrap_sched_yield();
}

// Futexes and membarrier(2), which the library uses. Anything else is refused.
long __wrap_syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    void *const first = va_arg(rest, void *);
    const long second = va_arg(rest, long);
    const long third = va_arg(rest, long);
    va_end(rest);
    if (!in_program)
        return 0;
    const aside now;
    if (number == SYS_membarrier) {
        if (static_cast<int>(reinterpret_cast<std::uintptr_t>(first)) == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
            the_explorer.fence_of_all(SITE);
        return 0;
    }
    if (number == SYS_futex && static_cast<int>(second) == FUTEX_WAIT_PRIVATE) {
        if (the_explorer.wait_on(first, static_cast<std::uint32_t>(third), SITE))
            return 0;
        errno = EAGAIN;
        return -1;
    }
    if (number == SYS_futex && static_cast<int>(second) == FUTEX_WAKE_PRIVATE) {
        the_explorer.wake_waiting(first, static_cast<std::size_t>(third), SITE);
        return 1;
    }
    errno = ENOSYS;
    return -1;
}

} // extern "C"

// ---- memory of the program

namespace {
void *take(std::size_t bytes) {
    if (!in_program)
        return std::malloc(bytes);
    const aside now;
    return the_explorer.allocate(bytes);
}
void give(void *memory, const void *site) {
    if (in_program) {
        const aside now;
        the_explorer.release(memory, site);
    } else if (!zlink::model::arena::contains(memory)) {
        std::free(memory);
    }
}
} // namespace

void *operator new(std::size_t bytes) {
    return take(bytes);
}
void *operator new(std::size_t bytes, std::align_val_t) {
    return take(bytes);
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
    return take(bytes);
}
void operator delete(void *memory) noexcept {
    give(memory, SITE);
}
void operator delete(void *memory, std::size_t) noexcept {
    give(memory, SITE);
}
void operator delete(void *memory, std::align_val_t) noexcept {
    give(memory, SITE);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
    give(memory, SITE);
}
