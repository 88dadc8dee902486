// SPDX-License-Identifier: MPL-2.0
#include "core/socket_monitor.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "core/context.hpp"
#include "core/monitor.hpp"
#include "transport/transports.hpp"

namespace zlink::core {
namespace {

// As libzmq has it: a connection of ours has its remote endpoint only, one of the peer's has both, also after
// its end.
connections::socket_event statistics_of(pipe_end &end, const endpoint_table &endpoints) {
    connections::socket_event event{connections::event_kind::pipes_stats, 0};
    event.value = static_cast<std::uint32_t>(std::min<std::uint64_t>(end.out().depth(), UINT32_MAX));
    event.second_value = end.in().depth();
    for (const auto &[text, record] : endpoints.all())
        if (record.end == &end)
            event.remote = text;
    event.outgoing = end.traits.local;
    if (const peer_metadata *peer = end.peer(); peer != nullptr && !end.traits.local) {
        event.local = peer->endpoints().local;
        event.remote = peer->endpoints().remote;
    }
    return event;
}

// The listener itself says it later, when the monitor is gone, and the log hears it then.
void tell_of_end(socket_inbox &inbox, int listener, const std::string &endpoint) noexcept {
    try {
        inbox.tell_monitor({connections::event_kind::closed, static_cast<std::uint32_t>(listener), endpoint});
    } catch (const std::bad_alloc &) {
        return; // an event less
    }
}

} // namespace

result<void> start_monitor(context &owner, peer_list &peers, const std::string &endpoint,
                           std::uint64_t events, int version, int type) {
    if (const int ended = peers.check_alive(); ended != 0)
        return error{ended};
    const auto settings = monitor::check(events, version, type);
    if (!settings)
        return error{settings.code()};
    const auto where = transport::parse_endpoint(endpoint, peers.options().type);
    if (!where)
        return error{where.code()};
    if (where->kind() != transport::transport_kind::in_process)
        return error{EPROTONOSUPPORT};
    peers.inbox()->replace_monitor(nullptr);
    auto started = monitor::start(owner, endpoint, *settings);
    if (!started)
        return error{started.code()};
    peers.inbox()->replace_monitor(std::move(*started));
    return {};
}

result<void> stop_monitor(peer_list &peers) {
    if (const int ended = peers.check_alive(); ended != 0)
        return error{ended};
    peers.inbox()->replace_monitor(nullptr);
    return {};
}

result<void> report_pipes(peer_list &peers, const endpoint_table &endpoints) {
    if (const int ended = peers.check_alive(); ended != 0)
        return error{ended};
    if (!peers.inbox()->wanted(connections::event_kind::pipes_stats))
        return error{EINVAL};
    if (peers.pipes().empty())
        return error{EAGAIN};
    for (const auto &[end, pipe] : peers.pipes().all())
        peers.inbox()->tell(statistics_of(*end, endpoints));
    return {};
}

void tell_of_bind(socket_inbox &inbox, connections::event_kind kind, int value,
                  const std::string &local) noexcept {
    if (!inbox.watched())
        return;
    try {
        inbox.tell({kind, static_cast<std::uint32_t>(value), local});
    } catch (const std::bad_alloc &) {
        return; // an event less
    }
}

void end_monitor(socket_inbox &inbox, const endpoint_table &endpoints) noexcept {
    if (!inbox.monitored())
        return;
    for (const auto &[text, record] : endpoints.all())
        if (record.descriptor >= 0)
            tell_of_end(inbox, record.descriptor, text);
    inbox.replace_monitor(nullptr);
}

} // namespace zlink::core
