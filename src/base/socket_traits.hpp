// SPDX-License-Identifier: MPL-2.0
// socket_traits is a row of the one table of socket types. The library asks this table whatever it has to
// know about a type. A new type is a number in socket_type.hpp and a row here; only new behaviour needs a new
// class.
//
// Threads: constants. Source: zmq_socket(3), zmq_setsockopt(3), and docs/api/draft_types.md for the types of
// many threads. The rules that no page has were observed at libzmq.
#pragma once

#include "base/enum_set.hpp"
#include "base/socket_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace zlink {

// The class of src/patterns that does the work of a type.
enum class pattern_class : std::uint8_t {
    none, // the number is no type
    pair,
    xpub,
    xsub,
    req,
    rep,
    dealer,
    router,
    pull,
    push,
    stream,
    server,
    client,
    radio,
    dish,
    gather,
    scatter,
    dgram,
    channel,
};

enum class direction : std::uint8_t { send, receive };
// The part in publishing.
enum class audience_role : std::uint8_t { none, publisher, subscriber };
// The name of a message that subscribers ask for. A topic is a beginning of its first frame. A group is a
// word beside it.
enum class subject : std::uint8_t { none, topic, group };
// Whether the application has to send and receive by turns.
enum class turn : std::uint8_t { none, asks, answers };
// The form in which the application sees which peer a message is from.
enum class peer_name : std::uint8_t { none, routing_id, number, address };
// The side in a conversation of clients with a service. The application hears when such a peer is lost.
enum class conversation_side : std::uint8_t { client, service };
// The bytes of a tcp or ipc connection: ZMTP, or the bare bodies of messages.
enum class wire_form : std::uint8_t { zmtp, bare_by_option, bare };
enum class carrier : std::uint8_t { stream, datagram, multicast };

// Groups of options that only some types have, and that do not follow from the rest of the row.
enum class option_group : std::uint8_t { router, probe_router, connect_routing_id };

// Rules that hold for a few types and do not follow from the rest of the row.
enum class socket_rule : std::uint8_t {
    tells_identity,    // READY carries Identity
    connects_once,     // zmq_connect(3): a second connection to the same endpoint is not made
    answers_zap,       // handlers of ZAP have such sockets
    carries_events,    // the socket of a monitor may be such a one
    counts_as_router,  // for the tuning ZMQ_ASIO_TCP_SYNC_WRITE
    body_first,        // the first frame received is the body, which may go to the caller's memory at once
    holds_nothing,     // a message is received from its pipe only, and never kept by the pattern
    looks_ahead,       // libzmq reads the next message's beginning, whichever events it is asked for
    keeps_message_arg, // zmq_msg_recv leaves its argument as it was when there is nothing to receive
};

struct socket_traits {
    socket_type type{};
    std::string_view name{};
    pattern_class pattern = pattern_class::none;
    socket_types peers{}; // none: it does not speak ZMTP
    enum_set<direction> ways{};
    enum_set<direction> conflates{}; // where ZMQ_CONFLATE has effect
    audience_role role = audience_role::none;
    subject by = subject::none;
    turn turns = turn::none;
    peer_name shows = peer_name::none;
    wire_form wire = wire_form::zmtp;
    bool thread_safe = false; // many threads may use it at once, and its messages have one frame
    enum_set<conversation_side> sides{};
    enum_set<carrier> carriers{carrier::stream};
    enum_set<option_group> options{};
    enum_set<socket_rule> rules{};

    // The library's questions.
    [[nodiscard]] constexpr bool sends() const noexcept { return ways.contains(direction::send); }
    [[nodiscard]] constexpr bool receives() const noexcept { return ways.contains(direction::receive); }
    [[nodiscard]] constexpr bool speaks_zmtp() const noexcept { return !peers.empty(); }
    [[nodiscard]] constexpr bool publishes() const noexcept { return role == audience_role::publisher; }
    [[nodiscard]] constexpr bool subscribes() const noexcept { return role == audience_role::subscriber; }
    [[nodiscard]] constexpr bool has_topics() const noexcept { return by == subject::topic; }
    [[nodiscard]] constexpr bool publishes_topics() const noexcept { return publishes() && has_topics(); }
    [[nodiscard]] constexpr bool subscribes_to_topics() const noexcept {
        return subscribes() && has_topics();
    }
    // Subscribes by messages (XSUB), where SUB has options for it.
    [[nodiscard]] constexpr bool sends_subscriptions() const noexcept {
        return subscribes_to_topics() && sends();
    }
    // Sends nothing but what it subscribes to.
    [[nodiscard]] constexpr bool only_subscribes() const noexcept { return subscribes() && !sends(); }
    [[nodiscard]] constexpr bool takes_turns() const noexcept { return turns != turn::none; }
    [[nodiscard]] constexpr bool asks() const noexcept { return turns == turn::asks; }
    [[nodiscard]] constexpr bool answers() const noexcept { return turns == turn::answers; }
    [[nodiscard]] constexpr bool numbers_peers() const noexcept { return shows == peer_name::number; }
    // The application chooses whom to connect to, and writes to that peer by its number (PEER).
    [[nodiscard]] constexpr bool numbers_its_connections() const noexcept {
        return numbers_peers() && sides.contains(conversation_side::client);
    }
};

namespace socket_table {

using enum socket_type;
using enum direction;
using rule = socket_rule;
using side = conversation_side;

// In the order of the numbers. The last row stands for every number that is no type.
inline constexpr auto rows = std::to_array<socket_traits>({
    {.type = pair,
     .name = "PAIR",
     .pattern = pattern_class::pair,
     .peers = {pair},
     .ways = {send, receive},
     .rules = {rule::carries_events, rule::body_first, rule::holds_nothing}},
    {.type = pub,
     .name = "PUB",
     .pattern = pattern_class::xpub,
     .peers = {sub, xsub},
     .ways = {send},
     .conflates = {send},
     .role = audience_role::publisher,
     .by = subject::topic,
     .carriers = {carrier::stream, carrier::multicast},
     .rules = {rule::connects_once, rule::carries_events}},
    {.type = sub,
     .name = "SUB",
     .pattern = pattern_class::xsub,
     .peers = {pub, xpub},
     .ways = {receive},
     .conflates = {receive},
     .role = audience_role::subscriber,
     .by = subject::topic,
     .carriers = {carrier::stream, carrier::multicast},
     .rules = {rule::connects_once, rule::body_first, rule::looks_ahead}},
    {.type = req,
     .name = "REQ",
     .pattern = pattern_class::req,
     .peers = {rep, router},
     .ways = {send, receive},
     .turns = turn::asks,
     .options = {option_group::probe_router},
     .rules = {rule::tells_identity, rule::connects_once, rule::holds_nothing, rule::looks_ahead}},
    {.type = rep,
     .name = "REP",
     .pattern = pattern_class::rep,
     .peers = {req, dealer},
     .ways = {send, receive},
     .turns = turn::answers,
     .options = {option_group::router, option_group::probe_router, option_group::connect_routing_id},
     .rules = {rule::answers_zap, rule::holds_nothing, rule::looks_ahead}},
    {.type = dealer,
     .name = "DEALER",
     .pattern = pattern_class::dealer,
     .peers = {rep, dealer, router},
     .ways = {send, receive},
     .conflates = {send, receive},
     .sides = {side::client},
     .options = {option_group::probe_router},
     .rules = {rule::tells_identity, rule::connects_once, rule::counts_as_router, rule::body_first,
               rule::holds_nothing}},
    {.type = router,
     .name = "ROUTER",
     .pattern = pattern_class::router,
     .peers = {req, dealer, router},
     .ways = {send, receive},
     .shows = peer_name::routing_id,
     .wire = wire_form::bare_by_option,
     .sides = {side::service},
     .options = {option_group::router, option_group::probe_router, option_group::connect_routing_id},
     .rules = {rule::tells_identity, rule::answers_zap, rule::counts_as_router, rule::holds_nothing,
               rule::looks_ahead}},
    {.type = pull,
     .name = "PULL",
     .pattern = pattern_class::pull,
     .peers = {push},
     .ways = {receive},
     .conflates = {receive},
     .rules = {rule::body_first, rule::holds_nothing}},
    {.type = push,
     .name = "PUSH",
     .pattern = pattern_class::push,
     .peers = {pull},
     .ways = {send},
     .conflates = {send},
     .rules = {rule::carries_events}},
    {.type = xpub,
     .name = "XPUB",
     .pattern = pattern_class::xpub,
     .peers = {sub, xsub},
     .ways = {send, receive},
     .role = audience_role::publisher,
     .by = subject::topic,
     .carriers = {carrier::stream, carrier::multicast},
     .rules = {rule::keeps_message_arg}},
    {.type = xsub,
     .name = "XSUB",
     .pattern = pattern_class::xsub,
     .peers = {pub, xpub},
     .ways = {send, receive},
     .role = audience_role::subscriber,
     .by = subject::topic,
     .carriers = {carrier::stream, carrier::multicast},
     .rules = {rule::looks_ahead}},
    {.type = stream,
     .name = "STREAM",
     .pattern = pattern_class::stream,
     .ways = {send, receive},
     .shows = peer_name::routing_id,
     .wire = wire_form::bare,
     .options = {option_group::connect_routing_id},
     .rules = {rule::keeps_message_arg}},
    {.type = server,
     .name = "SERVER",
     .pattern = pattern_class::server,
     .peers = {client},
     .ways = {send, receive},
     .shows = peer_name::number,
     .thread_safe = true,
     .sides = {side::service},
     .rules = {rule::answers_zap}},
    {.type = client,
     .name = "CLIENT",
     .pattern = pattern_class::client,
     .peers = {server},
     .ways = {send, receive},
     .thread_safe = true,
     .sides = {side::client}},
    {.type = radio,
     .name = "RADIO",
     .pattern = pattern_class::radio,
     .peers = {dish},
     .ways = {send},
     .role = audience_role::publisher,
     .by = subject::group,
     .thread_safe = true,
     .carriers = {carrier::stream, carrier::datagram}},
    {.type = dish,
     .name = "DISH",
     .pattern = pattern_class::dish,
     .peers = {radio},
     .ways = {receive},
     .role = audience_role::subscriber,
     .by = subject::group,
     .thread_safe = true,
     .carriers = {carrier::stream, carrier::datagram}},
    {.type = gather,
     .name = "GATHER",
     .pattern = pattern_class::gather,
     .peers = {scatter},
     .ways = {receive},
     .thread_safe = true},
    {.type = scatter,
     .name = "SCATTER",
     .pattern = pattern_class::scatter,
     .peers = {gather},
     .ways = {send},
     .thread_safe = true},
    {.type = dgram,
     .name = "DGRAM",
     .pattern = pattern_class::dgram,
     .ways = {send, receive},
     .shows = peer_name::address,
     .carriers = {carrier::datagram}},
    {.type = peer,
     .name = "PEER",
     .pattern = pattern_class::server,
     .peers = {peer},
     .ways = {send, receive},
     .shows = peer_name::number,
     .thread_safe = true,
     .sides = {side::client, side::service}},
    {.type = channel,
     .name = "CHANNEL",
     .pattern = pattern_class::channel,
     .peers = {channel},
     .ways = {send, receive},
     .thread_safe = true},
    {.type = socket_type{255}, .carriers = {}},
});

constexpr bool in_order() noexcept {
    for (std::size_t number = 0; number + 1 < rows.size(); ++number) {
        if (static_cast<std::size_t>(rows[number].type) != number) {
            return false;
        }
    }
    return true;
}
static_assert(in_order());

} // namespace socket_table

inline constexpr std::size_t socket_type_count = socket_table::rows.size() - 1;

// Returns the row of a type. A number that is no type has a row without properties.
[[nodiscard]] constexpr const socket_traits &traits_of(socket_type type) noexcept {
    const auto number = static_cast<std::size_t>(type);
    return socket_table::rows[number < socket_type_count ? number : socket_type_count];
}

// Returns the types that have a property: a predicate, or a member of socket_traits.
template <class Predicate> [[nodiscard]] constexpr socket_types types_where(Predicate has) noexcept {
    socket_types found;
    for (std::size_t number = 0; number < socket_type_count; ++number) {
        const socket_traits &row = socket_table::rows[number];
        if (std::invoke(has, row)) {
            found.insert(row.type);
        }
    }
    return found;
}
[[nodiscard]] constexpr socket_types types_with(socket_rule rule) noexcept {
    return types_where([rule](const socket_traits &row) { return row.rules.contains(rule); });
}
[[nodiscard]] constexpr socket_types types_with(option_group group) noexcept {
    return types_where([group](const socket_traits &row) { return row.options.contains(group); });
}
[[nodiscard]] constexpr socket_types types_over(carrier below) noexcept {
    return types_where([below](const socket_traits &row) { return row.carriers.contains(below); });
}

} // namespace zlink
