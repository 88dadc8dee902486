// SPDX-License-Identifier: MPL-2.0
#include "core/socket.hpp"

#include <cerrno>
#include <utility>

#include "base/probe.hpp"
#include "core/context.hpp"
#include "core/option_calls.hpp"
#include "core/option_table.hpp"
#include "core/socket_monitor.hpp"

namespace zlink::core {
namespace {

std::unique_ptr<shared_access> make_access(peer_list &peers, turn_lock &guard) {
    if (!peers.mark().shared())
        return nullptr;
    return std::make_unique<shared_access>(static_cast<runtime::shared_mailbox &>(peers.box()), guard);
}

} // namespace

// ---- life

std::unique_ptr<socket> socket::create(context &owner, socket_options options, int type,
                                       const std::shared_ptr<counters::context_counts> &counts) {
    options.type = static_cast<socket_type>(type);
    if (type < 0 || type > 255)
        return nullptr;
    std::unique_ptr<socket> made(new socket(owner, std::move(options), counts));
    return made->peers_.has_pattern() ? std::move(made) : nullptr;
}

socket::socket(context &owner, socket_options options,
               const std::shared_ptr<counters::context_counts> &counts)
    : peers_(owner.names(), std::move(options), records_, counts), access_(make_access(peers_, turn_)),
      endpoints_(owner, peers_, records_), transfers_(peers_, access_.get()), context_(owner) {
    ZLINK_PROBE(socket, this, peers_.counts->record().id.get(), static_cast<int>(peers_.options().type));
}

int socket::close(socket *open) {
    const bool in_turn = !open->exclusive();
    if (in_turn && (!open->shared() || !open->turn_.enter()))
        return ENOTSOCK;
    if (open->peers_.forked()) { // what the parent uses is left where it lies
        open->peers_.clear_mark();
        return 0;
    }
    if (in_turn && !open->end_sharing()) {
        open->turn_.leave();
        return ENOTSOCK;
    }
    const std::unique_ptr<socket> last(open);
    end_monitor(*last->inbox(), last->records_);
    last->peers_.close();
    last->context_.forget(*last);
    return 0;
}

// ---- use by many threads

// Memory is asked for first. Without an I/O thread nobody takes turns besides the application. Turns with
// every event are for publishers: subscriptions are all that they get.
void socket::share() {
    auto box = std::make_shared<runtime::shared_mailbox>();
    auto access = std::make_unique<shared_access>(*box, turn_);
    if (connections::worker_list *group = context_.choose_group(options().affinity)) {
        background_ = std::make_shared<runtime::background_turn>(group->thread(),
                                                                 [this] { return take_background_turn(); });
        box->set_turn(background_, peers_.traits().publishes());
    }
    access_ = std::move(access);
    transfers_.share(*access_);
    peers_.options().thread_safe = true;
    peers_.share(std::move(box));
}

bool socket::take_background_turn() {
    if (!turn_.try_enter())
        return false;
    const turn_end at_end{*this};
    peers_.handle_events_in_background();
    return true;
}

// Called in a turn. Returns when no other thread is in the socket. Returns false if another one closes it.
bool socket::end_sharing() {
    if (!access_->close())
        return false;
    if (background_ != nullptr) {
        static_cast<runtime::shared_mailbox &>(peers_.box()).set_turn(nullptr, false);
        background_->end();
    }
    return true;
}

// ---- monitor and options

result<void> socket::monitor_at(const std::string &endpoint, std::uint64_t events, int version, int type) {
    return start_monitor(context_, peers_, endpoint, events, version, type);
}

result<void> socket::stop_monitor() {
    return core::stop_monitor(peers_);
}

result<void> socket::report_pipes() {
    return core::report_pipes(peers_, records_);
}

result<void> socket::set(int option, std::span<const std::byte> value) {
    if (auto done = set_socket_option(peers_, option, value); !done || shared())
        return done;
    const bool demanded = std::exchange(peers_.options().thread_safe, false); // it is set by share()
    const bool keeps_values = option == option_id::last_value && options().last_values != 0;
    if (peers_.may_be_shared() && (demanded || keeps_values))
        share();
    else if (demanded)
        return error{EINVAL};
    return {};
}

result<std::size_t> socket::get(int option, std::span<std::byte> out) {
    return get_socket_option(peers_, transfers_, option, out);
}

// ---- a sleep on several sockets

std::shared_ptr<socket_inbox> socket::hold_inbox() {
    return in_turn([this] { return inbox(); }, [] { return std::shared_ptr<socket_inbox>(); });
}

result<int> socket::events_in_turn(int wanted, bool waits) {
    return in_turn([&] { return events(wanted, waits); }, []() -> result<int> { return error{ENOTSOCK}; });
}

// Another thread may have taken the events of a shared socket and left messages: it has to be asked itself.
bool socket::quiet(int wanted) {
    if (exclusive())
        return peers_.box().ready.empty();
    const auto ready = events_in_turn(wanted);
    return ready && *ready == 0;
}

} // namespace zlink::core
