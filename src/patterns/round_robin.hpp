// SPDX-License-Identifier: MPL-2.0
// round_robin: whole messages to all ends in turn, passing over those that have no room.
//
// Threads: its owner's. Ownership: none. An end without room is passed over until its writable event.
#pragma once

#include <cerrno>
#include <cstddef>
#include <utility>

#include "patterns/active_list.hpp"
#include "patterns/has_room.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

using write_ring = active_list<&pattern_notes::write_place>;

// Passes over ends without room. Returns false if none has room.
[[nodiscard, gnu::noinline]] inline bool pass_over_full(write_ring &ends) noexcept {
    while (!ends.none_active()) {
        if (has_room(ends.current()))
            return true;
        ends.deactivate(ends.current());
    }
    return false;
}
// Makes an end with room the current one. Returns false if there is none.
[[nodiscard, gnu::always_inline]] inline bool find_room(write_ring &ends) noexcept {
    return (!ends.none_active() && !ends.current().out().full()) || pass_over_full(ends);
}

class round_robin {
  public:
    explicit round_robin(const pattern_host &host) noexcept : host_(host) {}

    // Throws std::bad_alloc.
    void add(pipe_end &end) {
        ends_.add(end);
        follow(end);
    }
    // Nothing more is written to this end. The turn passes at the first frame of a message here, and at the
    // last one with libzmq. So in the middle of a message it is behind the target, or where the target was.
    void remove(pipe_end &end) noexcept {
        gone_ -= std::exchange(end.notes.turn_note, false) ? 1U : 0U;
        const bool was_active = ends_.contains(end) && ends_.is_active(end);
        if (was_active && host_.lost_target == &end && host_.in_message())
            return ends_.remove_with_turn(end);
        ends_.remove(end);
        if (const pipe_end *target = host_.sending_to();
            target != nullptr && was_active && ends_.contains(*target) && ends_.is_active(*target))
            ends_.turn_behind(*target);
    }
    // The peer is gone. With libzmq the end keeps its turn until the look for the next message finds that it
    // is empty. Returns false if the end was taken out: a socket that never looks keeps only a few.
    [[nodiscard]] bool keep_turn(pipe_end &end) noexcept {
        constexpr std::size_t most_kept = 16;
        if (!ends_.contains(end) || end.notes.turn_note)
            return true;
        if (gone_ == most_kept) {
            remove(end);
            return false;
        }
        end.notes.turn_note = true;
        ++gone_;
        return true;
    }
    void wake(pipe_end &end) noexcept {
        if (!ends_.contains(end) || ends_.is_active(end) || end.notes.turn_note)
            return;
        ends_.activate(end);
        follow(end);
    }

    // Is there an end with room?
    [[nodiscard]] bool writable() noexcept {
        if (gone_ != 0) [[unlikely]]
            pass_over_gone();
        return find_room(ends_);
    }
    // Returns the end that the next message goes to, and passes the turn on. Only when writable().
    [[nodiscard]] pipe_end &take() noexcept {
        pipe_end &taken = ends_.current();
        ends_.advance();
        return taken;
    }
    // Chooses that end. Returns EAGAIN if none has room.
    [[nodiscard, gnu::always_inline]] int choose(route &chosen) noexcept {
        if (!writable()) [[unlikely]]
            return EAGAIN;
        chosen.to = &take();
        chosen.set(route_flag::stays, ends_.only() != nullptr);
        return 0;
    }

  private:
    [[gnu::noinline]] void pass_over_gone() noexcept {
        while (find_room(ends_) && ends_.current().notes.turn_note)
            ends_.deactivate(ends_.current());
    }
    // An end that comes in the middle of a message is next if the message goes to the one before it.
    void follow(pipe_end &fresh) noexcept {
        if (const pipe_end *target = host_.sending_to())
            ends_.continue_at(fresh, *target);
    }

    const pattern_host &host_;
    write_ring ends_;
    std::size_t gone_ = 0; // how many ends keep their turns
};

} // namespace zlink::patterns
