// SPDX-License-Identifier: MPL-2.0
// route: a pattern's answer to the question who gets a message. core/transfer writes the message.
//
// Threads: the application thread in a call on the socket. Ownership: the route borrows the ends, the list of
// them, and the frames of the envelope until the message ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipe/pipe.hpp"

namespace zlink::patterns {

// How the frames of a message are treated. Bits.
namespace route_flag {
constexpr std::uint16_t stays = 1;     // the next messages go there, too, until an event
constexpr std::uint16_t to_many = 2;   // the targets are those of `to_all`; one without room misses messages
constexpr std::uint16_t enveloped = 4; // the frames of `envelope` come before the message
constexpr std::uint16_t delimited = 8; // an empty frame comes before the message (REQ, REP)
constexpr std::uint16_t takes_first = 16;     // the first frame was for the pattern, and is not written
constexpr std::uint16_t asks_again = 32;      // with it: the pattern chooses for the next frame, too
constexpr std::uint16_t raw = 64;             // the next frame is the whole message, whatever its flags say
constexpr std::uint16_t inspects = 128;       // pattern::inspect() sees each frame after the first one
constexpr std::uint16_t reports_end = 256;    // pattern::message_sent() is called after the last frame
constexpr std::uint16_t ends_with_peer = 512; // the next frame begins a message if the target is lost
constexpr std::uint16_t drops_replies = 1024; // what the target has sent before is dropped first (REQ)
} // namespace route_flag

// The targets of one message. Their memory is used again. It may move when an end is attached, also in the
// middle of a message: so a route points to the list.
class target_list {
  public:
    // For so many ends. Throws std::bad_alloc; add() does not.
    void reserve(std::size_t ends) {
        if (ends > places_.size())
            places_.resize(ends);
    }
    void clear() noexcept { count_ = 0; }
    void add(pipe_end &end) noexcept { places_[count_++] = &end; }
    // Returns false if it is not there.
    bool remove(const pipe_end &end) noexcept {
        const auto last = places_.begin() + static_cast<std::ptrdiff_t>(count_);
        const auto found = std::find(places_.begin(), last, &end);
        if (found == last)
            return false;
        *found = places_[--count_];
        return true;
    }
    // Valid until the next call on the list.
    [[nodiscard]] std::span<pipe_end *const> all() const noexcept { return {places_.data(), count_}; }

  private:
    std::vector<pipe_end *> places_;
    std::size_t count_ = 0;
};

struct route {
    pipe_end *to = nullptr;                     // the only target; null: nobody
    std::uint16_t flags = 0;                    // of route_flag
    target_list *to_all = nullptr;              // the pattern's; only with to_many
    std::span<const outgoing_frame> envelope{}; // only with enveloped

    [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return (flags & flag) != 0; }
    void set(std::uint16_t flag, bool on = true) noexcept {
        flags = static_cast<std::uint16_t>(on ? flags | flag : flags & ~flag);
    }
    // Nobody, and no flags.
    void clear() noexcept {
        to = nullptr;
        flags = 0;
    }
};

} // namespace zlink::patterns
