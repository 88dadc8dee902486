// SPDX-License-Identifier: MPL-2.0
// A library to preload: counts every allocation of the process and passes it on to the C library's own
// functions.
//
// Threads: any. operator new ends in malloc, and memory mapped directly is not counted.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the C library's own functions, under its names.
void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t count, std::size_t size);
void *__libc_realloc(void *block, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(readability-identifier-naming)

} // extern "C"

namespace {

std::atomic<std::uint64_t> allocations{0};

void count() {
    allocations.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

extern "C" {

std::uint64_t bench_allocation_count(void) {
    return allocations.load(std::memory_order_relaxed);
}

void *malloc(std::size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(std::size_t number, std::size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, std::size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *memalign(std::size_t alignment, std::size_t size) {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **block, std::size_t alignment, std::size_t size) {
    void *made = aligned_alloc(alignment, size);
    if (made == nullptr)
        return ENOMEM;
    *block = made;
    return 0;
}

} // extern "C"
