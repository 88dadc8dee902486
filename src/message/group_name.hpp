// SPDX-License-Identifier: MPL-2.0
// group_name: the name of a group (RADIO, DISH) that is too long to lie in a message; shared by its copies.
//
// Threads: constant once made; retain() and release() from any thread. Ownership: intrusive count; make()
// returns one reference. Units: bytes, at most longest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink {

class group_name {
  public:
    static constexpr std::size_t longest = 255;

    // Null: no memory.
    static const group_name *make(std::string_view text) noexcept;
    group_name(const group_name &) = delete;
    group_name &operator=(const group_name &) = delete;

    // Ends with a NUL.
    [[nodiscard]] std::string_view text() const noexcept { return {text_, size_}; }
    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            destroy(this);
    }

  private:
    explicit group_name(std::string_view text) noexcept;
    static void destroy(const group_name *last) noexcept { delete last; }
    ~group_name() = default;

    mutable std::atomic<std::uint32_t> references_{1};
    std::uint8_t size_;
    char text_[longest + 1];
};

} // namespace zlink
