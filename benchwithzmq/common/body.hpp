// SPDX-License-Identifier: MPL-2.0
// The buffer a message is sent from or received into, and what its first bytes say.
//
// The first byte is the kind. From 8 bytes on, the first 8 bytes are one word, (sequence << 8) | kind, so
// that the receiver sees a lost, doubled or reordered message at once with one comparison. Shorter messages
// carry the kind only. Threads: one owner at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace bench {

enum class kind : std::uint8_t {
    data,  // counted
    hello, // before anything counts: is the other end there yet?
    start, // the warm-up is over, the time runs from here
    end,   // nothing follows
};

// Begins with a page: how fast a body is copied does not depend on where the heap of a program happens to put
// it (a store that spans two pages costs some nanoseconds).
template <class T> struct page_allocator {
    using value_type = T;
    static constexpr std::align_val_t page{4096};
    static T *allocate(std::size_t count) {
        return static_cast<T *>(::operator new(count * sizeof(T), page));
    }
    static void deallocate(T *bytes, std::size_t) noexcept { ::operator delete(bytes, page); }
    friend bool operator==(page_allocator, page_allocator) noexcept { return true; }
};

class body {
  public:
    explicit body(std::size_t size_bytes) : bytes_(size_bytes, std::byte{0x5a}) {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::byte *data() { return bytes_.data(); }
    [[nodiscard]] const std::byte *data() const { return bytes_.data(); }

    void stamp(kind what, std::uint64_t sequence) {
        if (has_sequence()) {
            const std::uint64_t word = sequence << 8 | static_cast<std::uint64_t>(what);
            std::memcpy(bytes_.data(), &word, sizeof word);
        } else {
            bytes_[0] = static_cast<std::byte>(what);
        }
    }

    // True for the data message with this number; for short messages, for any data message.
    [[nodiscard]] bool is_data(std::uint64_t sequence) const {
        return has_sequence() ? word() == sequence << 8 : what() == kind::data;
    }

    [[nodiscard]] kind what() const { return static_cast<kind>(bytes_[0]); }
    [[nodiscard]] bool has_sequence() const { return bytes_.size() >= sizeof(std::uint64_t); }
    [[nodiscard]] std::uint64_t sequence() const { return word() >> 8; }

  private:
    [[nodiscard]] std::uint64_t word() const {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes_.data(), sizeof word);
        return word;
    }

    std::vector<std::byte, page_allocator<std::byte>> bytes_;
};

} // namespace bench
