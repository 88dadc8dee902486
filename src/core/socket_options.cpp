// SPDX-License-Identifier: MPL-2.0
// zmq_setsockopt and zmq_getsockopt. Most options are values of the table; others act on the socket.
#include <cerrno>

#include "base/error.hpp"
#include "core/option_table.hpp"
#include "core/socket.hpp"

namespace zlink::core {

result<void> socket::set(int option, std::span<const std::byte> value) {
    if (const int ended = check_options_allowed(); ended != 0 && !forked_)
        return error{ended};
    close_routes();
    if (auto done = set_option(options_, option, value); !done)
        return done;
    const auto home = find_option(option);
    if (!home)
        return error{home.code()};
    switch (*home) {
    case option_home::stored:
        break;
    case option_home::live:
        if (forked_)
            return error{EINTR};
        return pattern_->act(option, value);
    case option_home::applied:
        if (forked_) // to tell of it takes locks, and lost threads may have held them
            break;
        pipes_.set_high_water_marks(options_.send_hwm, options_.receive_hwm);
        if (shared_access_)
            shared_access_->tell();
        break;
    }
    return {};
}

result<std::size_t> socket::get(int option, std::span<std::byte> out) {
    if (ended_ && !forked_)
        return error{errc::terminated};
    const auto home = find_option(option);
    if (home && *home == option_home::live)
        return get_live(option, out);
    return get_option(options_, option, out);
}

result<std::size_t> socket::get_live(int option, std::span<std::byte> out) {
    if (const auto allowed = check_live_get(options_, option, out.size()); !allowed)
        return error{allowed.code()};
    switch (option) {
    case option_id::receive_more:
        return put_option_value(receiving.more_follows ? 1 : 0, out);
    case option_id::fd:
        return get_descriptor(out);
    case option_id::events: {
        const auto ready = events(poll_in | poll_out);
        return ready ? put_option_value(*ready, out) : result<std::size_t>(error{ready.code()});
    }
    case option_id::topics_count:
        if (const int ended = check_alive(); ended != 0)
            return error{ended};
        return put_option_value(static_cast<int>(pattern_->topics()), out);
    default:
        return get_closed_count(option, out);
    }
}

// With peers the descriptor begins readable: some of them may not have been asked to tell of their next
// message.
result<std::size_t> socket::get_descriptor(std::span<std::byte> out) {
    pipes_.streams().disable();
    const int descriptor = box_.descriptor();
    if (descriptor < 0)
        return error{errno};
    if (!std::exchange(watched_, true) && !pipes_.empty())
        box_.announce();
    close_routes();
    return put_option_value(descriptor, out);
}

result<std::size_t> socket::get_closed_count(int option, std::span<std::byte> out) {
    const auto index = static_cast<std::size_t>(option - option_id::closed_first);
    if (option < option_id::closed_first || index >= connections::closed_reasons)
        return error{EINVAL};
    return put_option_count(inbox_->counted(static_cast<connections::closed_reason>(index)), out);
}

std::shared_ptr<const socket_options> socket::snapshot() {
    return std::make_shared<const socket_options>(options_);
}

} // namespace zlink::core
