// SPDX-License-Identifier: MPL-2.0
#include "patterns/pattern.hpp"

#include <cerrno>

#include "patterns/channel.hpp"
#include "patterns/client.hpp"
#include "patterns/dealer.hpp"
#include "patterns/dgram.hpp"
#include "patterns/dish.hpp"
#include "patterns/gather.hpp"
#include "patterns/pair.hpp"
#include "patterns/pull.hpp"
#include "patterns/push.hpp"
#include "patterns/radio.hpp"
#include "patterns/rep.hpp"
#include "patterns/req.hpp"
#include "patterns/router.hpp"
#include "patterns/scatter.hpp"
#include "patterns/server.hpp"
#include "patterns/stream.hpp"
#include "patterns/xpub.hpp"
#include "patterns/xsub.hpp"

namespace zlink::patterns {

void drop_all(pipe_end &end) noexcept {
    incoming_frame frame;
    std::uint64_t dropped = 0;
    do
        while (end.read(frame)) {
            if (!frame.more() && !frame.command())
                end.in().note_filtered();
            frame.drop();
            if (++dropped == most_passed_over)
                return end.remind();
        }
    while (!end.prepare_wait_data());
}

namespace {

using factory = std::unique_ptr<pattern> (*)(pattern_host &, const socket_options &);

template <class Pattern> std::unique_ptr<pattern> make(pattern_host &host, const socket_options &options) {
    return std::make_unique<Pattern>(host, options);
}

struct row {
    pattern_class made;
    factory create;
};

constexpr row rows[] = {
    {pattern_class::pair, make<pair>},     {pattern_class::xpub, make<xpub>},
    {pattern_class::xsub, make<xsub>},     {pattern_class::req, make<req>},
    {pattern_class::rep, make<rep>},       {pattern_class::dealer, make<dealer>},
    {pattern_class::router, make<router>}, {pattern_class::pull, make<pull>},
    {pattern_class::push, make<push>},     {pattern_class::stream, make<stream>},
    {pattern_class::server, make<server>}, {pattern_class::client, make<client>},
    {pattern_class::radio, make<radio>},   {pattern_class::dish, make<dish>},
    {pattern_class::gather, make<gather>}, {pattern_class::scatter, make<scatter>},
    {pattern_class::dgram, make<dgram>},   {pattern_class::channel, make<channel>},
};

} // namespace

void pattern_host::lose(pipe_end &end) noexcept {
    close_route_out();
    route &target = sending.target;
    if (target.to == &end) {
        target.to = nullptr;
        lost_target = &end;
        end.out().rollback();
        if (target.has(route_flag::ends_with_peer))
            sending.open = false;
    }
    if (target.has(route_flag::to_many) && target.to_all->remove(end))
        end.out().rollback();
}

result<void> pattern::act(int, std::span<const std::byte>) {
    return error{EINVAL};
}

result<void> pattern::join_group(std::string_view) {
    return error{ENOTSUP};
}

result<void> pattern::leave_group(std::string_view) {
    return error{ENOTSUP};
}

result<pattern::peer_state> pattern::state_of(std::string_view) {
    return error{ENOTSUP};
}

std::unique_ptr<pattern> make_pattern(pattern_host &host, const socket_options &options) {
    for (const row &known : rows)
        if (known.made == traits_of(options.type).pattern)
            return known.create(host, options);
    return nullptr;
}

} // namespace zlink::patterns
