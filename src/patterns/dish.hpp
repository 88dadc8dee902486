// SPDX-License-Identifier: MPL-2.0
// DISH: messages of the groups it has joined, from all radios in turn. zmq_socket(3), "Radio-dish pattern";
// RFC 48.
//
// Threads, ownership: see pattern.hpp; the socket lets one thread in at a time. A message travels as two
// frames: the group, the body. A message of another form, or of another group, is dropped. Every radio is
// told all groups: when it comes, when its connection is replaced, and when they change. The high-water mark
// does not hold that back.
#pragma once

#include <set>
#include <string>

#include "patterns/active_list.hpp"
#include "patterns/fair_queue.hpp"
#include "patterns/group_request.hpp"
#include "patterns/untold_changes.hpp"

namespace zlink::patterns {

class dish final : public pattern {
  public:
    dish(pattern_host &host, const socket_options &options) : pattern(host, options), incoming_(host) {
        group_.reserve(group_request::longest_group);
    }
    bool attach(pipe_end &end) override;
    void detach(pipe_end &end) noexcept override;
    void on_events(pipe_end &end, std::uint32_t events) override;
    int choose_target(const outgoing_frame &first, const message_address &address, route &chosen) override;
    source choose_source(asking why, incoming_frame &made) override;
    verdict inspect_incoming(pipe_end &end, incoming_frame &frame) override;
    void address_from(const pipe_end &end, message_address &address) const noexcept override;
    bool can_send() override { return false; }
    result<void> join_group(std::string_view group) override;
    result<void> leave_group(std::string_view group) override;

  private:
    void introduce(pipe_end &end);
    void tell(pipe_end &end, const group_request &request);
    void tell_all(const group_request &request);
    void tell_change(pipe_end &end, const group_request &request);
    void tell_untold(pipe_end &end);
    [[nodiscard]] bool take_group(const incoming_frame &frame);

    std::set<std::string, std::less<>> groups_;
    std::uint64_t all_bytes_ = 0; // of the commands that tell all groups
    untold_changes untold_;
    fair_queue incoming_;
    active_list<&pattern_notes::write_place> ends_;
    bool knows_group_ = false; // of the message that is being read
    std::string group_;        // has its memory already: to keep a name must not fail
    std::string command_;      // the last one that was sent
};

} // namespace zlink::patterns
