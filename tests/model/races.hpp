// SPDX-License-Identifier: MPL-2.0
// races: finds two accesses to a byte of which one writes, one is not atomic, and none happens before the
// other. It also finds accesses to memory that was released.
//
// The program's objects lie in an arena: each thread has a part, so that an object has the same address in
// each execution. Nothing is used again within an execution. Threads: the checker runs one at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/memory.hpp"

namespace zlink::model {

struct access {
    std::size_t thread;
    const void *site; // the instruction
    bool writes;
    bool atomic;
};

class arena {
  public:
    static constexpr std::size_t all_bytes = most_threads * std::size_t{256} * 1024;
    void begin() noexcept; // of an execution: all is free
    void *allocate(std::size_t thread, std::size_t bytes) noexcept;
    // Returns how many bytes the memory had that allocate() gave.
    [[nodiscard]] static std::size_t size_of(const void *memory) noexcept;
    [[nodiscard]] static std::size_t offset_of(const void *address) noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory_);
    }
    [[nodiscard]] static bool contains(const void *address) noexcept {
        return offset_of(address) < all_bytes;
    }

  private:
    static unsigned char memory_[all_bytes];
    std::size_t used_[most_threads]{};
};

class races {
  public:
    void begin() noexcept; // of an execution
    // Returns null, or what is wrong.
    const char *note(const access &what, const void *address, std::size_t size,
                     const knowledge &known) noexcept;
    const char *release(const access &what, void *memory, std::size_t size, const knowledge &known) noexcept;
    // The instruction of the earlier access of what note() found.
    [[nodiscard]] const void *other_site() const noexcept { return other_site_; }

  private:
    struct byte;
    byte &at(const void *address) noexcept;
    bool meets(const byte &here, const access &what, const knowledge &known) noexcept;

    std::uint32_t execution_ = 0;
    const void *other_site_ = nullptr;
};

} // namespace zlink::model
