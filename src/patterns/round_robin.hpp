// SPDX-License-Identifier: MPL-2.0
// round_robin: whole messages to all ends in turn, passing over those that have no room.
//
// Threads: its owner's. Ownership: none. An end without room is passed over until its writable event. A
// message whose end is lost vanishes with it.
#pragma once

#include "patterns/end_ring.hpp"
#include "patterns/message_writer.hpp"

namespace zlink::patterns {

class round_robin {
  public:
    // Throws std::bad_alloc.
    void add(pipe_end &end) { ends_.add(end); }
    // Nothing more is written to this end.
    void remove(pipe_end &end) noexcept {
        writer_.lose(end);
        ends_.remove(end);
    }
    void wake(pipe_end &end) noexcept {
        if (ends_.contains(end))
            ends_.activate(end);
    }

    // Before the first frame of a message: is there an end with room?
    [[nodiscard]] bool writable() noexcept {
        while (!ends_.none_active()) {
            if (has_room(ends_.current())) [[likely]]
                return true;
            ends_.deactivate(ends_.current());
        }
        return false;
    }
    // The end that the next message goes to. Only when writable().
    [[nodiscard]] pipe_end &next() noexcept { return ends_.current(); }

    [[nodiscard]] int write(const outgoing_frame &frame) noexcept {
        if (!writer_.open()) {
            if (!writable()) [[unlikely]]
                return EAGAIN;
            writer_.aim(&ends_.current());
            ends_.advance();
        }
        return writer_.write(frame);
    }
    void give_up() noexcept { writer_.give_up(); }
    // Between the frames of a message.
    [[nodiscard]] bool in_message() const noexcept { return writer_.open(); }

  private:
    end_ring<&pipe_end::write_slot> ends_;
    message_writer writer_;
};

} // namespace zlink::patterns
