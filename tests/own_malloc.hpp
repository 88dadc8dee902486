// SPDX-License-Identifier: MPL-2.0
// own_malloc: malloc and its relatives of a test program, which ask the test whether an allocation may
// succeed.
//
// Threads: any. To be included by one source of the program, after `bool zlink::tests::allows_allocation()
// noexcept` was declared, which is called with every allocation. operator new comes here too. Not for
// programs under sanitizers, which bring their own malloc.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the C library's own functions, under its names.
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
// NOLINTEND(readability-identifier-naming)

#define ZLINK_EXPORTED __attribute__((visibility("default")))
ZLINK_EXPORTED void *malloc(std::size_t size) noexcept {
    return zlink::tests::allows_allocation() ? __libc_malloc(size) : nullptr;
}
ZLINK_EXPORTED void *calloc(std::size_t count, std::size_t size) noexcept {
    (void)
        zlink::tests::allows_allocation(); // glibc ends the process if a thread's destructors find no memory
    return __libc_calloc(count, size);
}
ZLINK_EXPORTED void *realloc(void *old, std::size_t size) noexcept {
    return zlink::tests::allows_allocation() ? __libc_realloc(old, size) : nullptr;
}
ZLINK_EXPORTED void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return zlink::tests::allows_allocation() ? __libc_memalign(alignment, size) : nullptr;
}
ZLINK_EXPORTED int posix_memalign(void **made, std::size_t alignment, std::size_t size) noexcept {
    *made = zlink::tests::allows_allocation() ? __libc_memalign(alignment, size) : nullptr;
    return *made != nullptr ? 0 : ENOMEM;
}
#undef ZLINK_EXPORTED
}
