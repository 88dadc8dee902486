// SPDX-License-Identifier: MPL-2.0
// RADIO: each message to the members of its group. zmq_socket(3), "Radio-dish pattern"; RFC 48.
//
// Threads, ownership: see pattern.hpp; the socket lets one thread in at a time. Messages have one frame, and
// travel as two: the group, the body. Commands of members are read when their event comes. A member whose
// pipe is full misses the message; with ZMQ_XPUB_NODROP nobody gets it and the caller waits.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "patterns/active_list.hpp"
#include "patterns/group_request.hpp"
#include "patterns/pattern.hpp"

namespace zlink::patterns {

class radio final : public pattern {
  public:
    using pattern::pattern;
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    bool can_send() override { return true; }

  private:
    struct hash_of_name {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };
    using members = std::vector<pipe_end *>;

    bool listen(pipe_end &end);
    void apply(pipe_end &end, const group_request &request);
    void leave_all(pipe_end &end) noexcept;
    [[nodiscard]] bool choose_targets(std::string_view group);
    [[nodiscard]] bool add_targets(const members &wanted);

    active_list<&pattern_notes::write_place> ends_;
    std::unordered_map<std::string, members, hash_of_name, std::equal_to<>> groups_; // none is empty
    members unasked_; // who takes all, over udp
    target_list targets_;
    outgoing_frame group_{}; // of the message that is being sent
};

} // namespace zlink::patterns
