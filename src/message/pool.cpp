// SPDX-License-Identifier: MPL-2.0
#include "message/pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "base/fork.hpp"

namespace zlink::pool {
namespace {

constexpr std::size_t smallest = 64;
constexpr std::size_t steps_per_doubling = 4;
constexpr std::size_t doublings = 16; // 64 B ... 4 MiB
constexpr std::size_t class_count = doublings * steps_per_doubling + 1;
constexpr std::uint8_t unpooled = 255;
// Most that a thread keeps: of all classes, of one class of small blocks, of one class of large ones.
constexpr std::size_t thread_bytes = 1024 * 1024;
constexpr std::size_t thread_class_bytes = 64 * 1024;
constexpr std::size_t thread_large_class_bytes = 768 * 1024;
constexpr std::size_t process_bytes = 32 * 1024 * 1024; // of all classes

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooling = false; // let the sanitizer see every end of life
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool pooling = false;
#else
constexpr bool pooling = true;
#endif
#else
constexpr bool pooling = true;
#endif

constexpr std::size_t class_size(std::size_t index) noexcept {
    const std::size_t base = smallest << (index / steps_per_doubling);
    return base + base / steps_per_doubling * (index % steps_per_doubling);
}

constexpr std::size_t class_of(std::size_t bytes) noexcept {
    if (bytes <= smallest)
        return 0;
    const std::size_t doubling = static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest)) - 1;
    const std::size_t beyond = bytes - 1 - (smallest << doubling);
    return doubling * steps_per_doubling + (beyond >> doubling) / (smallest / steps_per_doubling) + 1;
}
static_assert(class_size(class_of(65)) >= 65 && class_size(class_of(64)) == 64);
static_assert(class_size(class_of(65600)) >= 65600 && class_size(class_of(65600)) < 65600 * 5 / 4);

constexpr std::array<std::size_t, class_count> class_sizes = [] {
    std::array<std::size_t, class_count> sizes{};
    for (std::size_t index = 0; index < class_count; ++index)
        sizes[index] = class_size(index);
    return sizes;
}();

struct free_block {
    free_block *next;
};

struct free_list {
    free_block *head = nullptr;
    std::uint32_t count = 0;
    std::uint32_t limit = 0; // of a thread's list: places that it has of the thread's budget

    void push(void *memory) noexcept {
        head = ::new (memory) free_block{head};
        ++count;
    }
    void *pop() noexcept {
        free_block *first = head;
        if (first != nullptr) {
            head = first->next;
            --count;
        }
        return first;
    }
};

// Blocks of a class that a busy thread keeps.
constexpr std::uint32_t wanted_limit(std::size_t index) noexcept {
    const std::size_t size = class_size(index);
    const std::size_t few = std::min<std::size_t>(4, thread_large_class_bytes / size);
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(thread_class_bytes / size, few, 1024));
}

struct shared_class {
    std::mutex guard;
    free_list blocks;                    // guarded
    std::atomic<std::uint32_t> count{0}; // a copy of the list's: relaxed, a hint where there is nothing
};
constinit std::array<shared_class, class_count> process_classes{};
constinit std::atomic<std::size_t> process_kept{0}; // bytes in them; relaxed, changed under a class's lock
constinit std::atomic<int> users{0};                // a change is ordered for others by the locks, see ~use()

// Another thread may have held a lock: a child begins with empty lists, and forgets what they had.
class pool_fork_handler final : fork_handler {
    void on_fork() noexcept override {
        for (shared_class &one : process_classes)
            ::new (&one) shared_class;
        process_kept.store(0, std::memory_order_relaxed);
    }
};
const pool_fork_handler pool_handler;

void free_all(free_list &blocks) noexcept {
    while (void *memory = blocks.pop())
        std::free(memory);
}

// Moves blocks of up to `bytes` bytes, and one more, from the process's list. Returns their bytes.
std::size_t take_out(std::size_t index, std::size_t bytes, free_list &to) noexcept {
    shared_class &shared = process_classes[index];
    if (shared.count.load(std::memory_order_relaxed) == 0)
        return 0;
    std::lock_guard lock(shared.guard);
    std::size_t taken = 0;
    while (taken < bytes) {
        void *memory = shared.blocks.pop();
        if (memory == nullptr)
            break;
        to.push(memory);
        taken += class_sizes[index];
    }
    shared.count.store(shared.blocks.count, std::memory_order_relaxed);
    process_kept.fetch_sub(taken, std::memory_order_relaxed);
    return taken;
}

// Frees `bytes` bytes of other classes, the largest first: a class that is used no more makes way.
void evict(std::size_t index, std::size_t bytes) noexcept {
    free_list evicted;
    for (std::size_t other = class_count; other-- != 0 && bytes != 0;)
        if (other != index)
            bytes -= std::min(bytes, take_out(other, bytes, evicted));
    free_all(evicted);
}

[[gnu::noinline, gnu::cold]] void give_to_process(std::size_t index, free_list &from,
                                                  std::size_t keep) noexcept {
    if (from.count <= keep)
        return;
    const std::size_t size = class_sizes[index];
    const std::size_t after = process_kept.load(std::memory_order_relaxed) + (from.count - keep) * size;
    if (after > process_bytes)
        evict(index, after - process_bytes);
    shared_class &shared = process_classes[index];
    free_list surplus;
    {
        std::lock_guard lock(shared.guard);
        const bool used = users.load(std::memory_order_relaxed) != 0;
        while (from.count > keep) {
            const bool stays = used && process_kept.load(std::memory_order_relaxed) + size <= process_bytes;
            (stays ? shared.blocks : surplus).push(from.pop());
            if (stays)
                process_kept.fetch_add(size, std::memory_order_relaxed);
        }
        shared.count.store(shared.blocks.count, std::memory_order_relaxed);
    }
    free_all(surplus);
}

struct thread_cache {
    std::array<free_list, class_count> classes;
    std::size_t reserved = 0; // bytes: the limits of all classes

    ~thread_cache() { give_all(); }
    void give_all() noexcept {
        for (std::size_t index = 0; index < class_count; ++index) {
            give_to_process(index, classes[index], 0);
            classes[index].limit = 0;
        }
        reserved = 0;
    }
    // Gives a class that is in use a share of the budget. If nothing is left, all classes begin anew.
    void reserve(std::size_t index) noexcept {
        const std::size_t size = class_sizes[index];
        const std::uint32_t wanted = wanted_limit(index);
        if (wanted != 0 && reserved + size > thread_bytes)
            give_all();
        classes[index].limit = std::min(wanted, static_cast<std::uint32_t>((thread_bytes - reserved) / size));
        reserved += classes[index].limit * size;
    }
};

thread_local bool ended = false; // trivial: readable after the cache has been destroyed
// Read at every call: the initial-exec model spares the call of __tls_get_addr that a shared library would
// make. All that is thread-local in the library takes of the static room then, of which the C library keeps
// about a kilobyte for libraries that are loaded later. So the cache itself lies elsewhere.
[[gnu::tls_model("initial-exec")]] thread_local thread_cache *cache = nullptr;

struct end_of_thread {
    end_of_thread() noexcept = default;
    ~end_of_thread() {
        ended = true;
        delete std::exchange(cache, nullptr);
    }
};

// Returns null if there is no memory for a cache now, and after the destructors of the thread.
thread_cache *open_cache() noexcept {
    if (ended)
        return nullptr;
    cache = new (std::nothrow) thread_cache;
    if (cache != nullptr)
        static thread_local const end_of_thread at_end;
    return cache;
}

inline thread_cache *current_cache() noexcept {
    return cache != nullptr ? cache : open_cache();
}

[[gnu::noinline, gnu::cold]] void *allocate_slow(std::size_t index, thread_cache *mine) noexcept {
    free_list outside;
    free_list &list = mine != nullptr ? mine->classes[index] : outside;
    take_out(index, std::max(list.limit / 2, 1U) * class_sizes[index], list);
    if (void *memory = list.pop())
        return memory;
    return std::malloc(class_sizes[index]);
}

// The list has more blocks than its limit.
[[gnu::noinline, gnu::cold]] void release_slow(std::size_t index, thread_cache &mine) noexcept {
    free_list &list = mine.classes[index];
    if (list.limit == 0)
        mine.reserve(index);
    if (list.count > list.limit)
        give_to_process(index, list, list.limit / 2);
}

} // namespace

block allocate(std::size_t bytes) noexcept {
    if (!pooling || bytes > class_size(class_count - 1))
        return {std::malloc(bytes), bytes, unpooled};
    const std::size_t index = class_of(bytes);
    thread_cache *mine = current_cache();
    void *memory = mine != nullptr ? mine->classes[index].pop() : nullptr;
    if (memory == nullptr)
        memory = allocate_slow(index, mine);
    return {memory, class_size(index), static_cast<std::uint8_t>(index)};
}

void release(void *memory, std::uint8_t size_class) noexcept {
    if (size_class == unpooled)
        return std::free(memory);
    thread_cache *mine = current_cache();
    free_list outside;
    free_list &list = mine != nullptr ? mine->classes[size_class] : outside;
    list.push(memory);
    if (mine == nullptr) [[unlikely]]
        give_to_process(size_class, outside, 0);
    else if (list.count > list.limit) [[unlikely]]
        release_slow(size_class, *mine);
}

use::use() noexcept {
    users.fetch_add(1, std::memory_order_relaxed);
}

// A thread that gives blocks back asks under the class's lock whether there are users. Where it has found
// one, its blocks are in the list before this thread takes the lock; a later thread sees that there is none.
use::~use() {
    if (users.fetch_sub(1, std::memory_order_relaxed) != 1)
        return;
    if (cache != nullptr)
        cache->give_all();
    free_list rest;
    for (shared_class &one : process_classes) {
        std::lock_guard lock(one.guard);
        if (users.load(std::memory_order_relaxed) != 0)
            break; // another context came meanwhile
        process_kept.fetch_sub(one.blocks.count *
                                   class_sizes[static_cast<std::size_t>(&one - process_classes.data())],
                               std::memory_order_relaxed);
        while (void *memory = one.blocks.pop())
            rest.push(memory);
        one.count.store(0, std::memory_order_relaxed);
    }
    free_all(rest);
}

} // namespace zlink::pool
