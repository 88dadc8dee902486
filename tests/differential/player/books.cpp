// SPDX-License-Identifier: MPL-2.0
#include "books.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace {

struct account {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t waiting = 0;
    std::uint64_t dropped = 0;

    [[nodiscard]] bool balances() const { return sent == received + waiting + dropped; }
};

// The reasons for which a message is dropped that was counted as sent.
constexpr const char *drops[] = {"dropped.replaced", "dropped.linger_expired", "dropped.connection_lost",
                                 "dropped.policy",   "dropped.unread",         "dropped.filtered",
                                 "dropped.conflated"};

std::uint64_t value(const api_table &api, const zlink_stats *stats, int subject, const char *name) {
    std::uint64_t found = 0;
    api.zlink_stats_value(stats, subject, name, &found);
    return found;
}

// A pipe is a peer of both its sockets as long as they are there. Each message that waits in it counts once.
std::uint64_t waiting_in(const api_table &api, const zlink_stats *stats) {
    std::map<std::uint64_t, int> sides;
    for (int at = 0; at < api.zlink_stats_count(stats); at++)
        if (api.zlink_stats_kind(stats, at) == ZLINK_STATS_PEER)
            sides[value(api, stats, at, "id")]++;
    std::uint64_t sum = 0;
    for (int at = 0; at < api.zlink_stats_count(stats); at++) {
        if (api.zlink_stats_kind(stats, at) != ZLINK_STATS_PEER)
            continue;
        sum += value(api, stats, at, "queued.out");
        if (sides[value(api, stats, at, "id")] == 1)
            sum += value(api, stats, at, "queued.in");
    }
    return sum;
}

account account_of(const api_table &api, void *context) {
    account all;
    zlink_stats *const stats = api.zlink_stats_of_context(context);
    for (int at = 0; stats && at < api.zlink_stats_count(stats); at++) {
        if (api.zlink_stats_kind(stats, at) != ZLINK_STATS_CONTEXT)
            continue;
        all.sent += value(api, stats, at, "sent.messages");
        all.received += value(api, stats, at, "received.messages");
        for (const char *reason : drops)
            all.dropped += value(api, stats, at, reason);
    }
    if (stats) {
        all.waiting = waiting_in(api, stats);
        api.zlink_stats_free(stats);
    }
    return all;
}

} // namespace

// Threads of helpers may be in the middle of a message: so there are several looks.
std::string state_of_books(const world &w) {
    std::string text;
    if (!w.api.zlink_stats_of_context)
        return "balance";
    for (const auto &[name, context] : w.contexts) {
        account found = account_of(w.api, context);
        for (int looks = 0; !found.balances() && looks < 20; looks++) {
            pause_ms(5);
            found = account_of(w.api, context);
        }
        if (!found.balances())
            text += name + " sent " + std::to_string(found.sent) + " received " +
                    std::to_string(found.received) + " waiting " + std::to_string(found.waiting) +
                    " dropped " + std::to_string(found.dropped) + " ";
    }
    return text.empty() ? "balance" : text;
}
