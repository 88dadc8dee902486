// SPDX-License-Identifier: MPL-2.0
#include "core/inproc_names.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "pipe/pipe_end_guard.hpp"

namespace zlink::core {
namespace {

// Whether it conflates is for the connecting side alone to say, as in libzmq. Both sides may drop the oldest.
keep_rule joined_rule(keep_rule of_connecting, keep_rule of_binder) noexcept {
    return of_connecting != keep_rule::all || of_binder == keep_rule::latest_frame ? of_connecting
                                                                                   : of_binder;
}

std::shared_ptr<pipe> make_pipe(const inproc_party &connecting, const inproc_party &binder,
                                pipe_traits of_connecting) {
    const auto counts_of = [](const inproc_party &party) {
        return party.inbox ? party.inbox->counts() : nullptr;
    };
    constexpr std::uint64_t flags = counters::pipe_flag::inproc | counters::pipe_flag::outgoing;
    auto counts = std::make_unique<counters::pipe_counts>(counts_of(connecting), counts_of(binder), flags);
    return pipe::create({joined_hwm(connecting.send_hwm, binder.receive_hwm),
                         joined_rule(connecting.sending, binder.receiving), true, of_connecting,
                         joined_byte_mark(connecting.send_byte_mark, binder.receive_byte_mark)},
                        {joined_hwm(binder.send_hwm, connecting.receive_hwm),
                         joined_rule(connecting.receiving, binder.sending),
                         true,
                         {.peer = pipe_peer::socket},
                         joined_byte_mark(binder.send_byte_mark, connecting.receive_byte_mark)},
                        std::move(counts));
}

metadata_ref metadata_of(const inproc_party &binder) {
    peer_metadata::properties known;
    if (!binder.disconnect_message.empty())
        known.emplace_back(disconnect_property, binder.disconnect_message);
    return metadata_ref(new peer_metadata(binder.routing_id, std::move(known)));
}

// The end belongs to nobody else yet.
void say_hello(pipe_end &end, const std::string &hello) noexcept {
    if (!hello.empty() &&
        end.out().write({reinterpret_cast<const std::uint8_t *>(hello.data()), hello.size(), 0, nullptr}))
        end.writer().commit_from_io();
}

// Tells both ends who is there, and gives the binder its end. Returns false if the binder is closed.
bool join(const std::shared_ptr<pipe> &made, const inproc_party &connecting, const inproc_party &binder) {
    made->second().introduce_to_peer(metadata_of(binder), false);
    made->first().introduce_to_peer(metadata_ref(new peer_metadata(connecting.routing_id, {})), false);
    made->second().notes.routing_id = connecting.routing_id;
    made->counts()->name_peer(counters::pipe_side::first, binder.routing_id);
    made->counts()->name_peer(counters::pipe_side::second, connecting.routing_id);
    made->counts()->set_flag(counters::pipe_flag::connected, true);
    say_hello(made->second(), binder.hello_message);
    new_pipe fresh;
    fresh.made = made;
    fresh.end = &made->second();
    made->first().joined.receive_bytes.store(connecting.receive_byte_mark, std::memory_order_relaxed);
    made->second().joined.receive_bytes.store(binder.receive_byte_mark, std::memory_order_relaxed);
    made->first().joined.receive_hwm.store(connecting.receive_hwm, std::memory_order_relaxed);
    made->second().joined.receive_hwm.store(binder.receive_hwm, std::memory_order_relaxed);
    return binder.inbox->post(std::move(fresh));
}

} // namespace

inproc_party inproc_party::of(const socket_options &options, std::shared_ptr<socket_inbox> inbox) {
    return {std::move(inbox),
            options.type,
            options.send_hwm,
            options.receive_hwm,
            options.send_byte_mark,
            options.receive_byte_mark,
            keeps(options, direction::send),
            keeps(options, direction::receive),
            options.routing_id,
            options.pattern.connect_routing_id,
            std::string(hello_of(options)),
            hears_disconnects(options) ? options.disconnect_message : std::string()};
}

// A pipe ends when both its ends are closed; nobody else has the binder's.
inproc_names::~inproc_names() {
    for (const auto &[name, entry] : waiting_)
        entry.made->second().close();
}

result<void> inproc_names::bind(const std::string &name, const inproc_party &binder) {
    std::lock_guard lock(guard_);
    const auto [place, fresh] = bound_.emplace(name, binder);
    if (!fresh)
        return error{EADDRINUSE};
    try {
        connect_waiting(name, binder);
    } catch (const std::bad_alloc &) { // who is connected stays so
        bound_.erase(place);
        throw;
    }
    return {};
}

void inproc_names::connect_waiting(const std::string &name, const inproc_party &binder) {
    const auto [first, last] = waiting_.equal_range(name);
    for (auto entry = first; entry != last; entry = waiting_.erase(entry)) {
        const auto &[connecting, made] = entry->second;
        made->first().out().link().set_high_water_mark(joined_hwm(connecting.send_hwm, binder.receive_hwm));
        made->second().out().link().set_high_water_mark(joined_hwm(binder.send_hwm, connecting.receive_hwm));
        made->first().out().link().set_byte_mark(
            joined_byte_mark(connecting.send_byte_mark, binder.receive_byte_mark));
        made->second().out().link().set_byte_mark(
            joined_byte_mark(binder.send_byte_mark, connecting.receive_byte_mark));
        made->second().notify_peer(pipe_event::writable); // the marks are joined now: there is more room
        made->counts()->join(binder.inbox->counts());
        if (!join(made, connecting, binder))
            made->second().close();
    }
}

bool inproc_names::unbind(const std::string &name, const socket_inbox &binder) {
    std::lock_guard lock(guard_);
    const auto found = bound_.find(name);
    if (found == bound_.end() || found->second.inbox.get() != &binder)
        return false;
    bound_.erase(found);
    return true;
}

void inproc_names::unbind_all(const socket_inbox &binder) {
    std::lock_guard lock(guard_);
    std::erase_if(bound_, [&](const auto &entry) { return entry.second.inbox.get() == &binder; });
}

new_pipe inproc_names::connect(const std::string &name, inproc_party connecting) {
    std::lock_guard lock(guard_);
    const auto found = bound_.find(name);
    const inproc_party nobody;
    const inproc_party &binder = found != bound_.end() ? found->second : nobody;
    new_pipe fresh;
    fresh.made = make_pipe(connecting, binder, {.peer = pipe_peer::socket, .local = true});
    pipe_end_guard own(fresh.made->first());
    pipe_end_guard binders(fresh.made->second());
    fresh.end = own.get();
    fresh.end->notes.routing_id =
        !connecting.given_routing_id.empty() ? connecting.given_routing_id : binder.routing_id;
    say_hello(*fresh.end, connecting.hello_message);
    if (found == bound_.end()) {
        // Until somebody binds, the queue takes what this side alone would send.
        fresh.end->out().link().set_high_water_mark(connecting.send_hwm);
        fresh.unbound_name = name;
        waiting_.emplace(name, waiting{std::move(connecting), fresh.made});
        binders.claim();
    } else if (join(fresh.made, connecting, binder)) {
        binders.claim();
    }
    fresh.made->counts()->describe("inproc://" + name, "");
    own.claim();
    return fresh;
}

void inproc_names::forget_unused(const new_pipe &connected) noexcept {
    if (connected.unbound_name.empty() || connected.end->out().depth() != 0)
        return;
    std::lock_guard lock(guard_);
    const auto [first, last] = waiting_.equal_range(connected.unbound_name);
    const auto found =
        std::find_if(first, last, [&](const auto &entry) { return entry.second.made == connected.made; });
    if (found == last)
        return;
    found->second.made->second().close();
    waiting_.erase(found);
}

bool inproc_names::is_bound(const std::string &name) {
    std::lock_guard lock(guard_);
    return bound_.contains(name);
}

std::shared_ptr<pipe> inproc_names::reach(const std::string &name, socket_types types) {
    std::lock_guard lock(guard_);
    const auto found = bound_.find(name);
    if (found == bound_.end() || !types.contains(found->second.type))
        return nullptr;
    const inproc_party nobody;
    auto made = make_pipe(nobody, found->second, {});
    pipe_end_guard own(made->first());
    pipe_end_guard binders(made->second());
    if (!join(made, nobody, found->second))
        return nullptr;
    binders.claim();
    own.claim();
    return made;
}

} // namespace zlink::core
