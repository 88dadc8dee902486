// SPDX-License-Identifier: MPL-2.0
// fingerprint: does memory of the caller still hold the message that was last received into it, but for its
// head, where a caller may have begun another one? Some words of the rest, the last among them, are kept and
// compared.
//
// Threads: its owner's. Ownership: none; the memory is looked at only when the caller has given it again.
// Units: bytes. Memory that was cleared never looks like the message: words that are all zero are no
// fingerprint.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace zlink {

class fingerprint {
  public:
    static constexpr std::size_t head = 64;

    // The message must be larger than its head by 8 bytes or more.
    void take(std::span<const std::uint8_t> message) noexcept {
        words_ = words_of(message);
        at_ = words_ == words{} ? nullptr : message.data();
        size_ = message.size();
    }
    [[nodiscard]] bool stands_in(std::span<const std::uint8_t> memory, std::size_t size) const noexcept {
        return at_ != nullptr && memory.data() == at_ && size == size_ && memory.size() >= size &&
               words_of(memory.first(size)) == words_;
    }

  private:
    using word = std::uint64_t;
    using words = std::array<word, 4>;

    static words words_of(std::span<const std::uint8_t> bytes) noexcept {
        words found{};
        const std::size_t last = bytes.size() - head - sizeof(word);
        for (std::size_t index = 0; index < found.size(); ++index)
            std::memcpy(&found[index], bytes.data() + head + last * index / (found.size() - 1), sizeof(word));
        return found;
    }

    const std::uint8_t *at_ = nullptr;
    std::size_t size_ = 0;
    words words_{};
};

} // namespace zlink
