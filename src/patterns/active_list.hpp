// SPDX-License-Identifier: MPL-2.0
// active_list: the ends of a pattern in turns. Those in front are active, one of which is the current one.
//
// Threads: its owner's. Ownership: none. An end is in the ring from add() to remove(). Invariants: active
// ends come first. Slot is an end's place counted from one, and 0 when it is not in the ring. With an active
// end there is a current one. It stays current until advance(), or until it is taken from the active ones. If
// it is the last active end, the removal of another one may change it, too.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "pipe/pipe.hpp"

namespace zlink::patterns {

template <std::uint32_t pattern_notes::*Slot> class active_list {
  public:
    [[nodiscard]] static bool contains(const pipe_end &end) noexcept { return end.notes.*Slot != 0; }
    [[nodiscard]] bool none_active() const noexcept { return active_ == 0; }
    [[nodiscard]] bool is_active(const pipe_end &end) const noexcept { return place(end) < active_; }
    [[nodiscard]] std::size_t active_count() const noexcept { return active_; }
    // Only when one is active.
    [[nodiscard]] pipe_end &current() noexcept { return *ends_[current_]; }
    // The current one where it is the only one that is active; else null.
    [[nodiscard]] pipe_end *only() const noexcept { return active_ == 1 ? ends_[current_] : nullptr; }
    void advance() noexcept {
        if (++current_ >= active_)
            current_ = 0;
    }

    // Only when one is active.
    [[nodiscard]] bool at_last() const noexcept { return current_ + 1 == active_; }
    void begin_again() noexcept { current_ = 0; }
    // Turns went on from the last active end to the first one, and `fresh` has become active since: it is
    // next. Only when it is active.
    void continue_at(pipe_end &fresh, const pipe_end &left) noexcept {
        if (current_ == 0 && contains(left) && place(left) + 1 == place(fresh) && &left != &fresh)
            current_ = place(fresh);
    }

    // Turns go on behind this end. Only when it is active.
    void turn_behind(const pipe_end &end) noexcept { turn_at(place(end) + 1); }
    // Removes an end. Turns go on with the one that takes its place.
    void remove_with_turn(pipe_end &end) noexcept {
        const std::size_t at = place(end);
        remove(end);
        turn_at(at);
    }

    // Active, and the last in turn. Throws std::bad_alloc.
    void add(pipe_end &end) {
        assert(!contains(end));
        ends_.push_back(&end);
        end.notes.*Slot = static_cast<std::uint32_t>(ends_.size());
        activate(end);
    }
    // Turns begin again if the current end was the last one, as libzmq has it, unless it is to stay current.
    void remove(pipe_end &end, bool stays = false) noexcept {
        if (!contains(end))
            return;
        const bool begins_again = !stays && current_ + 1 == active_ && place(end) < active_;
        deactivate(end);
        if (begins_again)
            current_ = 0;
        exchange(place(end), ends_.size() - 1);
        ends_.pop_back();
        end.notes.*Slot = 0;
    }
    void activate(pipe_end &end) noexcept {
        if (place(end) < active_)
            return;
        exchange(place(end), active_);
        ++active_;
    }
    void deactivate(pipe_end &end) noexcept {
        const std::size_t at = place(end);
        if (at >= active_)
            return;
        --active_;
        exchange(at, active_);
        if (current_ == active_) // the current one took the place of this one, unless it is this one
            current_ = at < active_ ? at : 0;
    }

    template <class Test> [[nodiscard]] bool any_active(Test &&test) {
        return std::any_of(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(active_),
                           [&](pipe_end *end) { return test(*end); });
    }
    template <class Visit> void for_each(Visit &&visit) {
        for (pipe_end *end : ends_)
            visit(*end);
    }

  private:
    void turn_at(std::size_t at) noexcept { current_ = at < active_ ? at : 0; }
    [[nodiscard]] static std::size_t place(const pipe_end &end) noexcept { return end.notes.*Slot - 1; }
    void exchange(std::size_t left, std::size_t right) noexcept {
        std::swap(ends_[left], ends_[right]);
        ends_[left]->notes.*Slot = static_cast<std::uint32_t>(left + 1);
        ends_[right]->notes.*Slot = static_cast<std::uint32_t>(right + 1);
    }

    std::vector<pipe_end *> ends_;
    std::size_t active_ = 0;
    std::size_t current_ = 0;
};

} // namespace zlink::patterns
