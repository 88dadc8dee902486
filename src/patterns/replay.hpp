// SPDX-License-Identifier: MPL-2.0
// replay: gives a new subscriber the last message of each topic that it wants (ZLINK_LAST_VALUE).
//
// Threads: as patterns. Ownership: owns the messages; ends are known from give() until leave(). Invariants: a
// message in the middle of which a subscription comes is given before the subscriber's next one. So nothing
// is written to a queue between two frames. A queue holds at most as many messages beyond its mark as there
// are topics. A peer that subscribes again and again and reads nothing gets no more than that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/last_values.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

class replay {
  public:
    replay(const pattern_host &host, const last_values::bounds &most) : host_(host), values_(most) {}

    void set_bounds(const last_values::bounds &most) noexcept { values_.set_bounds(most); }

    // ---- a message is sent, to whomever; see pattern
    void begin(const outgoing_frame &first) noexcept;
    void add(const outgoing_frame &frame) noexcept { values_.add(frame); }
    void message_sent() noexcept;
    void message_failed() noexcept;

    // The end has subscribed to a topic. `has_current`: it is a target of the message that is being sent.
    // Returns how many messages it was given or should have been. Without memory it misses some.
    std::uint64_t give(pipe_end &end, std::string_view topic, bool has_current) noexcept;
    // Nothing more is sent to the end.
    void leave(const pipe_end &end) noexcept;

  private:
    // A subscription that came in the middle of a message.
    struct late {
        pipe_end *end;
        std::string topic;
        bool has_current;
    };

    std::uint64_t give_kept(pipe_end &end, std::string_view topic, std::uint64_t but) noexcept;
    void give_late(std::uint64_t current) noexcept;
    [[nodiscard]] bool has_place(pipe_end &end) const noexcept;
    [[nodiscard]] static bool write(pipe_end &end, const last_values::message &one) noexcept;

    const pattern_host &host_;
    last_values values_;
    std::vector<late> late_;
    std::vector<const last_values::message *> found_; // its memory is used again
};

} // namespace zlink::patterns
