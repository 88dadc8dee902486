// SPDX-License-Identifier: MPL-2.0
#include "core/socket.hpp"

#include "base/probe.hpp"
#include "core/option_calls.hpp"
#include "core/socket_monitor.hpp"

namespace zlink::core {
namespace {

std::unique_ptr<shared_access> make_access(peer_list &peers) {
    if (!peers.traits().thread_safe)
        return nullptr;
    return std::make_unique<shared_access>(static_cast<runtime::shared_mailbox &>(peers.box()));
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
    : peers_(owner.names(), std::move(options), records_, counts), endpoints_(owner, peers_, records_),
      access_(make_access(peers_)), transfers_(peers_, access_.get()), context_(owner) {
    ZLINK_PROBE(socket, this, peers_.counts->record().id.get(), static_cast<int>(peers_.options().type));
}

void socket::close(socket *open) {
    if (open->peers_.forked()) { // what the parent uses is left where it lies
        open->peers_.clear_mark();
        return;
    }
    if (open->shared())
        open->access_->wake_all();
    const std::unique_ptr<socket> last(open);
    end_monitor(*last->inbox(), last->records_);
    last->peers_.close();
    last->context_.forget(*last);
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
    return set_socket_option(peers_, option, value);
}

result<std::size_t> socket::get(int option, std::span<std::byte> out) {
    return get_socket_option(peers_, transfers_, option, out);
}

// ---- a sleep on several sockets

std::shared_ptr<runtime::shared_mailbox> socket::shared_box() const {
    return std::static_pointer_cast<runtime::shared_mailbox>(inbox()->shared_box());
}

void socket::announce_sleep(bool asleep) {
    shared() ? access_->announce_sleep(asleep) : peers_.box().sleeping(asleep);
}

// Another thread may have taken the events of a shared socket and left messages: it has to be asked itself.
bool socket::quiet(int wanted) {
    if (!shared())
        return peers_.box().ready.empty();
    return in_turn([&] {
        const auto ready = events(wanted);
        return ready && *ready == 0;
    });
}

} // namespace zlink::core
