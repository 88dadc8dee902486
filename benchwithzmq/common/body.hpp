// SPDX-License-Identifier: MPL-2.0
// A body is the buffer that a message is sent from or received into.
//
// The first byte is the kind. From 8 bytes on, the first 8 bytes are one word, (sequence << 8) | kind, so
// that the receiver sees a lost, doubled or reordered message at once with one comparison. Shorter messages
// carry the kind only. Threads: one owner at a time.
#pragma once

#include "common/block.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bench {

struct settings;

enum class kind : std::uint8_t {
    data,  // of the warm-up, or counted
    hello, // the first message: asks if the other end is there
    start, // ends the warm-up
    end,   // the last message; a stream counts it
};

class body {
  public:
    // Begins with a page unless told otherwise: a store that spans two pages costs some nanoseconds.
    explicit body(std::size_t size_bytes, page_offset offset = 0) : bytes_(size_bytes, offset) {}

    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::byte *data() { return bytes_.data(); }
    [[nodiscard]] const std::byte *data() const { return bytes_.data(); }

    void stamp(kind what, std::uint64_t sequence) {
        if (has_sequence()) {
            const std::uint64_t word = sequence << 8 | static_cast<std::uint64_t>(what);
            std::memcpy(bytes_.data(), &word, sizeof word);
        } else {
            *bytes_.data() = static_cast<std::byte>(what);
        }
    }

    // True for the data message with this number; for short messages, for any data message.
    [[nodiscard]] bool is_data(std::uint64_t sequence) const {
        return has_sequence() ? word() == sequence << 8 : what() == kind::data;
    }

    [[nodiscard]] kind what() const { return static_cast<kind>(*bytes_.data()); }
    [[nodiscard]] bool has_sequence() const { return bytes_.size() >= sizeof(std::uint64_t); }
    [[nodiscard]] std::uint64_t sequence() const { return word() >> 8; }

  private:
    [[nodiscard]] std::uint64_t word() const {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes_.data(), sizeof word);
        return word;
    }

    block bytes_;
};

// Returns a body of the size and at the page offset that the settings ask for.
[[nodiscard]] body make_body(const settings &wanted);

} // namespace bench
