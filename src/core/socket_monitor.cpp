// SPDX-License-Identifier: MPL-2.0
// The events that a socket tells its monitor, and the beginning and end of a monitor.
#include <algorithm>
#include <cerrno>
#include <new>

#include "core/monitor.hpp"
#include "core/socket.hpp"

namespace zlink::core {

result<void> socket::monitor_at(const std::string &endpoint, std::uint64_t events, int version, int type) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto settings = monitor::check(events, version, type);
    if (!settings)
        return error{settings.code()};
    const auto where = transport::parse_endpoint(endpoint, options_.type);
    if (!where)
        return error{where.code()};
    if (where->kind() != transport::transport_kind::in_process)
        return error{EPROTONOSUPPORT};
    inbox_->replace_monitor(nullptr);
    auto started = monitor::start(context_, endpoint, *settings);
    if (!started)
        return error{started.code()};
    inbox_->replace_monitor(std::move(*started));
    return {};
}

result<void> socket::stop_monitor() {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    inbox_->replace_monitor(nullptr);
    return {};
}

result<void> socket::report_pipes() {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    if (!inbox_->wanted(connections::event_kind::pipes_stats))
        return error{EINVAL};
    if (pipes_.empty())
        return error{EAGAIN};
    for (const auto &[end, pipe] : pipes_.all())
        inbox_->tell(statistics_of(*end));
    return {};
}

// As libzmq has it: a connection of ours has its remote endpoint only, one of the peer's has both, also after
// its end.
connections::socket_event socket::statistics_of(pipe_end &end) const {
    connections::socket_event event{connections::event_kind::pipes_stats, 0};
    event.value = static_cast<std::uint32_t>(std::min<std::uint64_t>(end.out().depth(), UINT32_MAX));
    event.second_value = end.in().depth();
    for (const auto &[text, record] : endpoints_.all())
        if (record.end == &end)
            event.remote = text;
    event.outgoing = end.traits.local;
    if (const peer_metadata *peer = end.peer(); peer != nullptr && !end.traits.local) {
        event.local = peer->endpoints().local;
        event.remote = peer->endpoints().remote;
    }
    return event;
}

void socket::tell_of_bind(connections::event_kind kind, int value, const std::string &local) noexcept {
    if (!inbox_->watched())
        return;
    try {
        inbox_->tell({kind, static_cast<std::uint32_t>(value), local});
    } catch (const std::bad_alloc &) {
        return; // an event less
    }
}

// The last that is heard of the socket: its listeners end later, when nobody listens to them.
void socket::end_monitor() noexcept {
    if (!inbox_->watched())
        return;
    for (const auto &[text, record] : endpoints_.all())
        if (record.descriptor >= 0)
            tell_of_bind(connections::event_kind::closed, record.descriptor, text);
    inbox_->replace_monitor(nullptr);
}

} // namespace zlink::core
