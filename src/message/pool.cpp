// SPDX-License-Identifier: MPL-2.0
#include "message/pool.hpp"

#include <algorithm>
#include <array>
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
constexpr std::size_t thread_cache_bytes = 64 * 1024; // of one class, in one thread
constexpr std::size_t process_cache_bytes = 32 * 1024 * 1024;

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

struct free_block {
    free_block *next;
};

struct free_list {
    free_block *head = nullptr;
    std::size_t count = 0;

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

constexpr std::size_t limit_of(std::size_t index, std::size_t bytes) noexcept {
    return std::clamp<std::size_t>(bytes / class_size(index), 4, 1024);
}

// Divisions once, not at every release.
constexpr std::array<std::uint16_t, class_count> thread_limits = [] {
    std::array<std::uint16_t, class_count> limits{};
    for (std::size_t index = 0; index < class_count; ++index)
        limits[index] = static_cast<std::uint16_t>(limit_of(index, thread_cache_bytes));
    return limits;
}();

struct shared_class {
    std::mutex guard;
    free_list blocks; // guarded
};
constinit std::array<shared_class, class_count> process_classes{};

// Another thread may have held a lock: a child begins with empty lists, and forgets what they had.
class pool_witness final : fork_witness {
    void on_fork() noexcept override {
        for (shared_class &one : process_classes)
            ::new (&one) shared_class;
    }
};
const pool_witness witness;

[[gnu::noinline, gnu::cold]] void give_to_process(std::size_t index, free_list &from,
                                                  std::size_t keep) noexcept {
    shared_class &shared = process_classes[index];
    const std::size_t limit = limit_of(index, process_cache_bytes);
    free_list surplus;
    {
        std::lock_guard lock(shared.guard);
        while (from.count > keep)
            (shared.blocks.count < limit ? shared.blocks : surplus).push(from.pop());
    }
    while (void *memory = surplus.pop())
        std::free(memory);
}

void take_from_process(std::size_t index, free_list &to, std::size_t wanted) noexcept {
    shared_class &shared = process_classes[index];
    std::lock_guard lock(shared.guard);
    while (to.count < wanted) {
        void *memory = shared.blocks.pop();
        if (memory == nullptr)
            return;
        to.push(memory);
    }
}

struct thread_cache {
    std::array<free_list, class_count> classes;
    ~thread_cache() {
        for (std::size_t index = 0; index < class_count; ++index)
            give_to_process(index, classes[index], 0);
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
    const std::size_t batch = mine != nullptr ? thread_limits[index] / std::size_t{2} : 1;
    take_from_process(index, list, batch);
    if (void *memory = list.pop())
        return memory;
    return std::malloc(class_size(index));
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
    const std::size_t limit = mine != nullptr ? thread_limits[size_class] : 0;
    if (list.count > limit)
        give_to_process(size_class, list, limit / 2);
}

} // namespace zlink::pool
