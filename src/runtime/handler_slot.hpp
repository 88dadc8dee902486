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

template <std::size_t Bytes> class slot_of {
  public:
    slot_of() = default;
    slot_of(const slot_of &) = delete;
    slot_of &operator=(const slot_of &) = delete;

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
    alignas(std::max_align_t) std::byte memory_[Bytes];
    std::atomic<bool> taken_{false};
};

// For a wait on a descriptor, whose handler holds its owner; and for a handler of three words that is posted.
// A larger handler gets memory of its own.
using handler_slot = slot_of<160>;
using post_slot = slot_of<80>;
// For a read from a descriptor.
using read_place = slot_of<192>;

template <class T, class Slot> class slot_allocator {
  public:
    using value_type = T;
    template <class U> struct rebind { using other = slot_allocator<U, Slot>; };
    explicit slot_allocator(Slot &slot) noexcept : slot_(&slot) {}
    template <class U> slot_allocator(const slot_allocator<U, Slot> &other) noexcept : slot_(other.slot_) {}
    T *allocate(std::size_t count) {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        return static_cast<T *>(slot_->take(count * sizeof(T)));
    }
    void deallocate(T *memory, std::size_t) noexcept { slot_->give(memory); }
    template <class U> bool operator==(const slot_allocator<U, Slot> &other) const noexcept {
        return slot_ == other.slot_;
    }

  private:
    template <class U, class Other> friend class slot_allocator;
    Slot *slot_;
};

// A handler whose operation lives in a slot.
template <class Slot, class Handler> class slotted {
  public:
    slotted(Slot &slot, Handler handler) : slot_(&slot), handler_(std::move(handler)) {}
    using allocator_type = slot_allocator<std::byte, Slot>;
    [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type(*slot_); }
    template <class... Arguments> void operator()(Arguments &&...arguments) {
        handler_(std::forward<Arguments>(arguments)...);
    }

  private:
    Slot *slot_;
    Handler handler_;
};

} // namespace zlink::runtime
