// SPDX-License-Identifier: MPL-2.0
// lasting: an object of the process that the first call makes and that is never destroyed. Contexts and
// threads of the library may end after the statics of the program.
//
// Threads: any. No lock makes the object: a child of fork(2) could inherit the lock taken, and wait for ever.
// If two threads come at once, the object of one of them is destroyed again.
#pragma once

#include <atomic>
#include <memory>

namespace zlink {

// Throws std::bad_alloc, and what the constructor throws.
template <class T> [[nodiscard]] T &lasting() {
    static constinit std::atomic<T *> made{nullptr}; // stored once, with all of the object
    if (T *const there = made.load(std::memory_order_acquire))
        return *there;
    auto fresh = std::make_unique<T>();
    T *there = nullptr;
    if (made.compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel,
                                     std::memory_order_acquire))
        return *fresh.release();
    return *there;
}

} // namespace zlink
