// SPDX-License-Identifier: MPL-2.0
#include "patterns/dish.hpp"

#include <cerrno>

#include "pipe/command_backlog.hpp"

namespace zlink::patterns {

bool dish::attach(pipe_end &end) {
    incoming_.add(end);
    ends_.add(end);
    introduce(end);
    return true;
}

void dish::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    ends_.remove(end);
    untold_.forget(end);
}

void dish::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::restarted) != 0 && ends_.contains(end))
        introduce(end);
    if ((events & pipe_event::writable) != 0)
        tell_untold(end);
    if ((events & pipe_event::peer_closed) != 0) {
        ends_.remove(end);
        untold_.forget(end);
    }
    incoming_.on_events(end, events);
}

// Tells a radio all groups.
void dish::introduce(pipe_end &end) {
    untold_.forget(end);
    for (const std::string &group : groups_)
        tell(end, {true, group});
}

// The radio has read on.
void dish::tell_untold(pipe_end &end) {
    untold_.tell(end, [&](std::string_view group) { tell(end, {groups_.contains(group), group}); });
}

// A radio that does not read is told the difference when it has read, or everything if it is away.
void dish::tell_change(pipe_end &end, const group_request &request) {
    if (is_behind(end, all_bytes_) && withdraw_commands(end))
        introduce(end);
    else if (!untold_.keep(end, {request.group, !request.join, request.join}, all_bytes_))
        tell(end, request);
}

void dish::tell(pipe_end &end, const group_request &request) {
    command_.clear();
    request.append_command(command_);
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(command_.data()), command_.size(),
                         frame_flag::command, nullptr}))
        end.writer().commit();
}

void dish::tell_all(const group_request &request) {
    const std::uint64_t bytes = request.group.size() + group_request::longest_name;
    all_bytes_ += request.join ? bytes : -bytes;
    ends_.for_each([&](pipe_end &end) { tell_change(end, request); });
}

result<void> dish::join_group(std::string_view group) {
    if (group.size() > group_request::longest_group || !groups_.emplace(group).second)
        return error{EINVAL};
    tell_all({true, group});
    return {};
}

result<void> dish::leave_group(std::string_view group) {
    const auto found = groups_.find(group);
    if (found == groups_.end())
        return error{EINVAL};
    groups_.erase(found);
    tell_all({false, group});
    return {};
}

// Keeps the name of the group. Returns false if the socket has not joined the group.
bool dish::take_group(const incoming_frame &frame) {
    const std::string_view name(reinterpret_cast<const char *>(frame.data), frame.size);
    if (!groups_.contains(name))
        return false;
    group_ = name;
    return true;
}

int dish::choose_target(const outgoing_frame &, const message_address &, route &) {
    return ENOTSUP;
}

source dish::choose_source(asking, incoming_frame &) {
    knows_group_ = false;
    return incoming_.choose().treated(source_flag::inspects | source_flag::held);
}

verdict dish::inspect_incoming(pipe_end &, incoming_frame &frame) {
    if (knows_group_)
        return frame.more() ? verdict::reject : verdict::deliver;
    knows_group_ = frame.more() && take_group(frame);
    return knows_group_ ? verdict::pass_over : verdict::reject;
}

void dish::address_from(const pipe_end &, message_address &address) const noexcept {
    address.group = group_;
}

} // namespace zlink::patterns
