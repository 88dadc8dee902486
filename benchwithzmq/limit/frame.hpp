// SPDX-License-Identifier: MPL-2.0
// The bytes a library has to move for one message: ZMTP's frame header and body, and what a pattern adds.
//
// REQ/REP adds an empty delimiter frame before the body. A routing id is not sent, but a ROUTER's caller
// hands it in or gets it with every message: here it is copied from and to the caller's buffer too. Threads:
// one at a time.
#pragma once

#include "common/body.hpp"

#include <array>
#include <cstddef>

namespace bench {

struct frame_shape {
    bool delimiter = false;
    bool sends_id = false;
    bool receives_id = false;
};

class framer {
  public:
    static constexpr std::size_t batch_bytes = 64 * 1024;

    framer(frame_shape shape, std::size_t body_bytes);

    // What precedes the body, the same for every message.
    [[nodiscard]] const std::byte *prefix() const { return prefix_.data(); }
    [[nodiscard]] std::size_t prefix_bytes() const { return prefix_bytes_; }
    [[nodiscard]] std::size_t frame_bytes() const { return prefix_bytes_ + body_bytes_; }
    // Too large to gain from a batch: goes as a whole.
    [[nodiscard]] bool is_large() const { return frame_bytes() > batch_bytes; }

    void write(std::byte *place, const body &message) {
        note_sent();
        std::memcpy(place, prefix_.data(), prefix_bytes_);
        std::memcpy(place + prefix_bytes_, message.data(), body_bytes_);
    }

    void read(const std::byte *place, body &message) {
        check_prefix(place);
        std::memcpy(message.data(), place + prefix_bytes_, body_bytes_);
        note_received();
    }

    void check_prefix(const std::byte *received) const {
        if (std::memcmp(received, prefix_.data(), prefix_bytes_) != 0)
            fail_prefix();
    }

    void note_sent() {
        if (shape_.sends_id)
            copy_id(peer_id_, caller_id_);
    }
    void note_received() {
        if (shape_.receives_id)
            copy_id(caller_id_, peer_id_);
    }

  private:
    using id = std::array<std::byte, 5>;
    static void copy_id(id &to, const id &from) {
        to = from;
        asm volatile("" : : "r"(&to) : "memory"); // the compiler must not drop a copy nobody looks at
    }
    [[noreturn]] static void fail_prefix();

    frame_shape shape_;
    std::size_t body_bytes_;
    std::size_t prefix_bytes_ = 0;
    std::array<std::byte, 11> prefix_{};
    id caller_id_{};
    id peer_id_{};
};

} // namespace bench
