// SPDX-License-Identifier: MPL-2.0
// round_robin: whole messages to all ends in turn, passing over those that have no room.
//
// Threads: its owner's. Ownership: none. An end without room is passed over until its writable event. A
// message whose end is lost vanishes with it.
#pragma once

#include "patterns/active_list.hpp"
#include "patterns/message_writer.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

using write_ring = active_list<&pipe_end::write_place>;

// Makes an end with room the current one. Returns false if there is none.
[[nodiscard]] inline bool find_room(write_ring &ends) noexcept {
    while (!ends.none_active()) {
        if (has_room(ends.current())) [[likely]]
            return true;
        ends.deactivate(ends.current());
    }
    return false;
}

class round_robin {
  public:
    // Throws std::bad_alloc.
    void add(pipe_end &end) {
        ends_.add(end);
        follow(end);
    }
    // Nothing more is written to this end.
    void remove(pipe_end &end) noexcept {
        writer_.lose(end);
        ends_.remove(end);
    }
    void wake(pipe_end &end) noexcept {
        if (!ends_.contains(end) || ends_.is_active(end))
            return;
        ends_.activate(end);
        follow(end);
    }

    // Before the first frame of a message: is there an end with room?
    [[nodiscard]] bool writable() noexcept { return find_room(ends_); }
    // The end that the next message goes to. Only when writable().
    [[nodiscard]] pipe_end &next() noexcept { return ends_.current(); }

    [[nodiscard]] int write(const outgoing_frame &frame) noexcept {
        return begin() ? writer_.write(frame) : EAGAIN;
    }
    // Writes a frame, and sets `next` to the way of the following message if there is only one end.
    [[nodiscard]] int write(const outgoing_frame &frame, cached_route &next) noexcept {
        if (!begin()) [[unlikely]] {
            next = {};
            return EAGAIN;
        }
        next = cached_route::always(frame.more() ? nullptr : ends_.only());
        return writer_.write(frame);
    }
    // Writes a delimiter and then the frame.
    [[nodiscard]] int write_delimited(const outgoing_frame &frame) noexcept {
        return begin() ? writer_.write_delimited(frame) : EAGAIN;
    }
    // Some frames were sent and the last one was not.
    [[nodiscard]] bool in_message() const noexcept { return writer_.open(); }

  private:
    // The turn passes at the first frame of a message here, and at the last one with libzmq. An end that
    // comes in between is next if the message goes to the one before it.
    void follow(pipe_end &fresh) noexcept {
        if (writer_.open() && writer_.target() != nullptr)
            ends_.continue_at(fresh, *writer_.target());
    }
    // Returns false if there is no room for another message.
    [[nodiscard]] bool begin() noexcept {
        if (writer_.open()) [[unlikely]]
            return true;
        if (!writable()) [[unlikely]]
            return false;
        writer_.aim(&ends_.current());
        ends_.advance();
        return true;
    }

    write_ring ends_;
    message_writer writer_;
};

} // namespace zlink::patterns
