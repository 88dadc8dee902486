// SPDX-License-Identifier: MPL-2.0
#include "core/option_calls.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "core/option_table.hpp"

namespace zlink::core {
namespace {

result<std::size_t> get_closed_count(const socket_inbox &inbox, int option, std::span<std::byte> out) {
    const auto index = static_cast<std::size_t>(option - option_id::closed_first);
    if (option < option_id::closed_first || index >= connections::closed_reasons)
        return error{EINVAL};
    return put_option_count(inbox.counted(static_cast<connections::closed_reason>(index)), out);
}

result<std::size_t> get_stats(peer_list &peers, bool only_peers, std::span<std::byte> out) {
    const auto taken = take_stats(peers);
    if (!taken)
        return error{taken.code()};
    return put_option_text(
        only_peers ? counters::peers_to_json(*taken) : counters::to_json(std::span(&*taken, 1)), out);
}

result<std::size_t> get_live(peer_list &peers, waiting_transfer &transfers, int option,
                             std::span<std::byte> out) {
    if (const auto allowed = check_live_get(peers.options(), option, out.size()); !allowed)
        return error{allowed.code()};
    switch (option) {
    case option_id::receive_more:
        return put_option_value(transfers.more_follows() ? 1 : 0, out);
    case option_id::fd: {
        const int descriptor = peers.watch();
        return descriptor >= 0 ? put_option_value(descriptor, out) : result<std::size_t>(error{errno});
    }
    case option_id::events: {
        const auto ready = transfers.events(poll_in | poll_out, false);
        return ready ? put_option_value(*ready, out) : result<std::size_t>(error{ready.code()});
    }
    case option_id::loop_fd: {
        const auto descriptor = transfers.begin_loop_wait();
        return descriptor ? put_option_value(*descriptor, out)
                          : result<std::size_t>(error{descriptor.code()});
    }
    case option_id::loop_events: {
        const auto ready = transfers.loop_events();
        return ready ? put_option_value(*ready, out) : result<std::size_t>(error{ready.code()});
    }
    case option_id::topics_count:
        if (const int ended = peers.check_alive(); ended != 0)
            return error{ended};
        return put_option_value(static_cast<int>(peers.chooser().topics()), out);
    case option_id::stats:
        return get_stats(peers, false, out);
    case option_id::peers:
        return get_stats(peers, true, out);
    default:
        return get_closed_count(*peers.inbox(), option, out);
    }
}

} // namespace

result<void> set_socket_option(peer_list &peers, int option, std::span<const std::byte> value) {
    if (const int ended = peers.check_options_allowed(); ended != 0 && !peers.forked())
        return error{ended};
    peers.close_routes();
    if (auto done = set_option(peers.options(), option, value); !done)
        return done;
    const auto home = find_option(option);
    if (!home)
        return error{home.code()};
    switch (*home) {
    case option_home::stored:
        break;
    case option_home::live: {
        if (peers.forked())
            return error{EINTR};
        const auto acted = peers.chooser().act(option, value);
        peers.count_subscriptions();
        return acted;
    }
    case option_home::applied:
        if (peers.forked()) // to tell of it takes locks, and lost threads may have held them
            break;
        peers.apply_high_water_marks();
        peers.chooser().options_changed();
        break;
    }
    return {};
}

result<std::size_t> get_socket_option(peer_list &peers, waiting_transfer &transfers, int option,
                                      std::span<std::byte> out) {
    if (peers.terminated())
        return error{errc::terminated};
    const auto home = find_option(option);
    if (home && *home == option_home::live)
        return get_live(peers, transfers, option, out);
    return get_option(peers.options(), option, out);
}

// Peers that have gone are not among them: events are handled first. Whether the context has ended is of no
// interest.
result<counters::snapshot> take_stats(peer_list &peers) {
    (void)peers.check_alive();
    auto taken = counters::take_snapshot(peers.counts->memory()->bytes());
    if (!taken)
        return taken;
    counters::keep_socket(*taken, peers.counts->record().id.get());
    if (taken->subjects.empty())
        return error{ENODATA};
    return taken;
}

} // namespace zlink::core
