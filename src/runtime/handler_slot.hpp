// SPDX-License-Identifier: MPL-2.0
// handler_slot: the memory of one Asio operation that is started over and over, kept by whoever starts it.
// Asio's own recycling works inside its handlers only; operations are also started from a mailbox and from
// other threads.
//
// Threads: any; one operation at a time uses the slot, a second one gets memory of its own. Ownership: the
// slot must outlive its operation: the handler holds its owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace zlink::runtime {

class handler_slot {
  public:
    handler_slot() = default;
    handler_slot(const handler_slot &) = delete;
    handler_slot &operator=(const handler_slot &) = delete;

    void *take(std::size_t size) {
        if (size <= sizeof memory_ && !taken_.exchange(true, std::memory_order_acquire))
            return memory_;
        return ::operator new(size);
    }
    void give(void *memory) noexcept {
        if (memory == memory_)
            taken_.store(false, std::memory_order_release);
        else
            ::operator delete(memory);
    }

  private:
    alignas(std::max_align_t) std::byte memory_[192];
    std::atomic<bool> taken_{false};
};

template <class T> class slot_allocator {
  public:
    using value_type = T;
    explicit slot_allocator(handler_slot &slot) noexcept : slot_(&slot) {}
    template <class U> slot_allocator(const slot_allocator<U> &other) noexcept : slot_(other.slot_) {}
    T *allocate(std::size_t count) {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        return static_cast<T *>(slot_->take(count * sizeof(T)));
    }
    void deallocate(T *memory, std::size_t) noexcept { slot_->give(memory); }
    template <class U> bool operator==(const slot_allocator<U> &other) const noexcept {
        return slot_ == other.slot_;
    }

  private:
    template <class U> friend class slot_allocator;
    handler_slot *slot_;
};

// A handler whose operation lives in a slot.
template <class Handler> class slotted {
  public:
    slotted(handler_slot &slot, Handler handler) : slot_(&slot), handler_(std::move(handler)) {}
    using allocator_type = slot_allocator<std::byte>;
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type(*slot_); }
    template <class... Arguments> void operator()(Arguments &&...arguments) {
        handler_(std::forward<Arguments>(arguments)...);
    }

  private:
    handler_slot *slot_;
    Handler handler_;
};

} // namespace zlink::runtime
