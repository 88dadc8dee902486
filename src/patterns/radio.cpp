// SPDX-License-Identifier: MPL-2.0
#include "patterns/radio.hpp"

#include <algorithm>
#include <cerrno>

#include "patterns/has_room.hpp"

namespace zlink::patterns {

bool radio::attach(pipe_end &end) {
    ends_.add(end);
    targets_.reserve(ends_.active_count());
    if (end.traits.peer == pipe_peer::datagrams)
        unasked_.push_back(&end);
    listen(end);
    return true;
}

void radio::detach(pipe_end &end) noexcept {
    if (!ends_.contains(end))
        return;
    ends_.remove(end);
    std::erase(unasked_, &end);
    leave_all(end);
}

void radio::on_events(pipe_end &end, std::uint32_t events) {
    if (!ends_.contains(end))
        return;
    constexpr std::uint32_t something_to_read = pipe_event::readable | pipe_event::peer_closed;
    if ((events & something_to_read) == 0 || !listen(end) || !end.peer_closed())
        return;
    detach(end);
    host_.finished(end);
}

// Reads what is there. Returns false if the next call has to go on.
bool radio::listen(pipe_end &end) {
    std::uint64_t left = most_requests(end, ends_.active_count());
    incoming_frame frame;
    do
        while (end.read(frame)) {
            if (frame.command())
                if (const auto request = group_request::from_command(frame.data, frame.size))
                    apply(end, *request);
            frame.drop();
            if (--left == 0) {
                end.remind();
                return false;
            }
        }
    while (!end.peer_closed() && !end.prepare_wait_data());
    return true;
}

void radio::apply(pipe_end &end, const group_request &request) {
    auto group = groups_.find(request.group);
    if (!request.join) {
        if (group != groups_.end() && std::erase(group->second, &end) != 0 && group->second.empty())
            groups_.erase(group);
        return;
    }
    if (group == groups_.end())
        group = groups_.emplace(request.group, members{}).first;
    if (std::find(group->second.begin(), group->second.end(), &end) == group->second.end())
        group->second.push_back(&end);
}

void radio::leave_all(pipe_end &end) noexcept {
    for (auto group = groups_.begin(); group != groups_.end();) {
        std::erase(group->second, &end);
        group = group->second.empty() ? groups_.erase(group) : std::next(group);
    }
}

int radio::choose_target(const outgoing_frame &first, const message_address &address, route &chosen) {
    if (first.more())
        return EINVAL;
    if (!choose_targets(address.group))
        return EAGAIN;
    group_ = {reinterpret_cast<const std::uint8_t *>(address.group.data()), address.group.size(),
              frame_flag::more, nullptr};
    chosen.envelope = {&group_, 1};
    chosen.to_all = &targets_;
    chosen.flags = route_flag::to_many | route_flag::enveloped;
    return 0;
}

// Returns false if a member that must get the message has no room (ZMQ_XPUB_NODROP).
bool radio::choose_targets(std::string_view group) {
    targets_.clear();
    const bool room = unasked_.empty() || add_targets(unasked_);
    const auto found = groups_.find(group);
    if (unasked_.empty() && (found == groups_.end() || found->second.empty()))
        host_.count_drop(counters::drop_reason::no_subscriber);
    return (found == groups_.end() || add_targets(found->second)) && room;
}

bool radio::add_targets(const members &wanted) {
    bool room = true;
    for (pipe_end *end : wanted) {
        if (options_.send_policy == hwm_policy::block)
            room = has_room(*end) && room;
        else if (end->out().stays_full()) {
            host_.count_full(*end);
            continue;
        }
        targets_.add(*end);
    }
    return room;
}

source radio::choose_source(asking, incoming_frame &) {
    return source::none(ENOTSUP);
}

} // namespace zlink::patterns
