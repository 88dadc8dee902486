// SPDX-License-Identifier: MPL-2.0
#include "core/endpoint_list.hpp"

#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "connections/connector.hpp"
#include "connections/datagram_worker.hpp"
#include "connections/listener.hpp"
#include "connections/name_watcher.hpp"
#include "core/socket_monitor.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "transport/descriptor_guard.hpp"

namespace zlink::core {
namespace {

result<void> prepare(const transport::transport_row &row, transport::connection_side side,
                     const std::string &address, socket_options &options) {
    return row.prepare != nullptr ? row.prepare(side, address, options) : result<void>();
}

// Takes back what was done when an exception passes.
template <class Undo> class unless_done {
  public:
    explicit unless_done(Undo undo) noexcept : undo_(std::move(undo)) {}
    unless_done(const unless_done &) = delete;
    unless_done &operator=(const unless_done &) = delete;
    ~unless_done() {
        if (!done_)
            undo_();
    }
    void done() noexcept { done_ = true; }

  private:
    Undo undo_;
    bool done_ = false;
};

} // namespace

bool can_connect_to_names() noexcept {
    return runtime::dns_available();
}

result<transport::endpoint> endpoint_list::endpoint_of(const std::string &text) {
    if (const int ended = peers_.check_alive(); ended != 0)
        return error{ended};
    return transport::parse_endpoint(text, peers_.options().type);
}

void endpoint_list::note_last(std::string &text) noexcept {
    peers_.inbox()->counts()->name_endpoint(text);
    peers_.options().last_endpoint.swap(text);
}

result<void> endpoint_list::bind(const std::string &text) {
    const auto where = endpoint_of(text);
    if (!where)
        return error{where.code()};
    peers_.note_endpoint();
    switch (where->kind()) {
    case transport::transport_kind::in_process:
        return bind_inproc(*where, text);
    case transport::transport_kind::datagrams:
        return open_datagrams(*where, endpoint_side::bound);
    case transport::transport_kind::byte_stream:
        return bind_stream(*where);
    case transport::transport_kind::name: // there is nothing to be bound to
        return error{EPROTONOSUPPORT};
    case transport::transport_kind::unknown: // parse_endpoint() refused it
        break;
    }
    return error{EPROTONOSUPPORT};
}

// RADIO sends and DISH receives; DGRAM does both, from where it is bound.
result<void> endpoint_list::open_datagrams(const transport::endpoint &where, endpoint_side side) {
    socket_options &options = peers_.options();
    const bool sends = peers_.traits().publishes();
    if (sends != (side == endpoint_side::connected))
        return error{errc::no_compatible};
    connections::worker_list *workers = context_.choose_group(options.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    auto opened = sends ? transport::open_udp_sender(where.address, options)
                        : transport::open_udp_receiver(where.address, options);
    if (!opened)
        return error{opened.code()};
    transport::descriptor_guard descriptor(opened->descriptor);
    std::string text = opened->endpoint;
    const auto record = records_.add(text, endpoint_record{nullptr, workers});
    unless_done forget([&] { records_.erase(record); });
    new_pipe fresh;
    fresh.made = connections::make_worker_pipe(
        options, {.peer = sends ? pipe_peer::datagrams : pipe_peer::connection, .local = true},
        peers_.inbox()->counts());
    pipe_end_guard workers_end(fresh.made->second());
    fresh.end = record->second.end = &fresh.made->first();
    unless_done leave([&, end = fresh.end] { peers_.abandon(*end, 0); });
    const auto form = peers_.traits().shows == peer_name::address ? connections::datagram_form::address
                                                                  : connections::datagram_form::group;
    const auto worker =
        std::make_shared<connections::datagram_worker>(*workers, *std::move(opened), form, fresh.made);
    (void)descriptor.release(); // the worker's from here on, as the end is
    workers_end.claim();
    peers_.attach(std::move(fresh));
    workers->begin(worker);
    record->second.worker = worker;
    leave.done();
    forget.done();
    note_last(text);
    return {};
}

result<void> endpoint_list::bind_inproc(const transport::endpoint &where, const std::string &text) {
    socket_options &options = peers_.options();
    std::string last = text;
    const auto record = records_.add(text, endpoint_record{});
    unless_done forget([&] { records_.erase(record); });
    if (auto bound = context_.names().bind(where.address, inproc_party::of(options, peers_.inbox())); !bound)
        return bound;
    forget.done();
    note_last(last);
    peers_.box().announce();
    // Sockets that had connected to the name are there now: what they are to hear at once is said in this
    // call.
    (void)peers_.check_alive();
    return {};
}

result<void> endpoint_list::bind_stream(const transport::endpoint &where) {
    socket_options &options = peers_.options();
    connections::worker_list *workers = context_.choose_group(options.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    if (auto ready = prepare(*where.transport, transport::connection_side::accepted, where.address, options);
        !ready)
        return ready;
    int tried = -1;
    auto listening = where.transport->listen(where.address, options, tried);
    if (!listening) {
        if (tried >= 0) // libzmq tells of this socket, too
            tell_of_bind(*peers_.inbox(), connections::event_kind::closed, tried,
                         where.transport->over_tcp ? std::string() : transport::text_of(where));
        tell_of_bind(*peers_.inbox(), connections::event_kind::bind_failed, listening.code(), where.address);
        return error{listening.code()};
    }
    const int descriptor = listening->descriptor;
    unless_done stop([&] { transport::stop_listening(*listening); });
    std::string text = listening->endpoint;
    const auto record = records_.add(text, endpoint_record{nullptr, workers, nullptr, descriptor});
    unless_done forget([&] { records_.erase(record); });
    tell_of_bind(*peers_.inbox(), connections::event_kind::listening, descriptor, text);
    const auto worker = std::make_shared<connections::listener>(
        *workers, context_.groups(options.affinity), peers_.inbox(),
        std::make_shared<const socket_options>(options), where, *listening);
    stop.done(); // the worker's from here on
    workers->begin(worker);
    record->second.worker = worker;
    forget.done();
    note_last(text);
    // Programs wait for ZMQ_FD right after bind or connect, and libzmq's is readable then.
    peers_.box().announce();
    return {};
}

result<void> endpoint_list::connect(const std::string &text) {
    socket_options &options = peers_.options();
    const auto where = endpoint_of(text);
    if (!where)
        return error{where.code()};
    peers_.note_endpoint();
    if (where->kind() != transport::transport_kind::in_process) {
        records_.forget_given_up(text);
        if (peers_.traits().rules.contains(socket_rule::connects_once) && records_.contains(text))
            return {};
    }
    std::string last = text;
    if (where->kind() == transport::transport_kind::datagrams)
        return open_datagrams(*where, endpoint_side::connected);
    auto connected = where->kind() == transport::transport_kind::in_process ? connect_inproc(*where, text)
                     : where->kind() == transport::transport_kind::name     ? connect_name(*where, text)
                                                                            : connect_stream(*where, text);
    if (connected) {
        note_last(last);
        options.pattern.connect_routing_id.clear(); // used up
    }
    return connected;
}

result<void> endpoint_list::connect_inproc(const transport::endpoint &where, const std::string &text) {
    socket_options &options = peers_.options();
    const auto record = records_.add(text, endpoint_record{});
    unless_done forget([&] { records_.erase(record); });
    new_pipe fresh = context_.names().connect(where.address, inproc_party::of(options, peers_.inbox()));
    record->second.end = fresh.end;
    forget.done(); // who releases the end forgets the record
    unless_done leave([&, end = fresh.end] {
        peers_.detach(*end);
        if (peers_.pipes().contains(end))
            return peers_.release(*end);
        records_.erase(record);
        end->close(0);
    });
    pipe_end *const end = fresh.end;
    const bool unbound = !fresh.unbound_name.empty();
    peers_.attach(std::move(fresh));
    leave.done();
    if (unbound && !peers_.pipes().contains(end))
        records_.add_refused(text);
    peers_.box().announce();
    return {};
}

result<void> endpoint_list::connect_stream(const transport::endpoint &where, const std::string &text) {
    socket_options &options = peers_.options();
    if (auto checked = where.transport->check_connect(where.address); !checked)
        return checked;
    if (auto ready = prepare(*where.transport, transport::connection_side::connected, where.address, options);
        !ready)
        return ready;
    connections::worker_list *workers = context_.choose_group(options.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    const auto record = records_.add(text, endpoint_record{nullptr, workers});
    unless_done forget([&] { records_.erase(record); });
    new_pipe fresh;
    fresh.made =
        options.immediate
            ? nullptr
            : connections::make_worker_pipe(options, {pipe_peer::connector, true, where.transport->over_tcp},
                                            peers_.inbox()->counts());
    unless_done leave_worker([made = fresh.made] {
        if (made)
            made->second().close();
    });
    unless_done leave([&, &end = record->second.end] {
        if (end != nullptr)
            peers_.abandon(*end, 0);
    });
    if (fresh.made) {
        fresh.end = record->second.end = &fresh.made->first();
        fresh.end->notes.routing_id = options.pattern.connect_routing_id;
        fresh.made->counts()->describe(text, "");
    }
    const auto worker = std::make_shared<connections::connector>(
        *workers, peers_.inbox(), std::make_shared<const socket_options>(options), where, fresh.made);
    leave_worker.done();
    if (fresh.end != nullptr)
        peers_.attach(std::move(fresh));
    workers->begin(worker);
    record->second.worker = worker;
    leave.done();
    forget.done();
    peers_.box().announce();
    return {};
}

result<void> endpoint_list::connect_name(const transport::endpoint &where, const std::string &text) {
    socket_options &options = peers_.options();
    if (auto checked = where.transport->check_connect(where.address); !checked)
        return checked;
    connections::worker_list *workers = context_.choose_group(options.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    (void)runtime::process_dns_settings(); // the environment is read in a thread of the application
    const auto record = records_.add(text, endpoint_record{nullptr, workers});
    unless_done forget([&] { records_.erase(record); });
    const auto worker = std::make_shared<connections::name_watcher>(
        *workers, context_.groups(options.affinity), peers_.inbox(),
        std::make_shared<const socket_options>(options), where);
    workers->begin(worker);
    record->second.worker = worker;
    forget.done();
    peers_.box().announce();
    return {};
}

result<void> endpoint_list::disconnect(const std::string &text) {
    const auto where = endpoint_of(text);
    if (!where)
        return error{where.code()};
    // libzmq can disconnect what a PAIR with a peer has refused, while nobody is bound to that name.
    const bool was_refused = records_.take_refused(text) && !context_.names().is_bound(where->address);
    const auto other_text = where->transport->resolved_text;
    if (end_records(text) || was_refused ||
        (other_text != nullptr && end_records(other_text(where->address, peers_.options())))) {
        peers_.box().announce();
        return {};
    }
    return error{ENOENT};
}

// If a socket is bound to an inproc name and connected to it, the first call ends the binding alone, as with
// libzmq.
bool endpoint_list::end_records(const std::string &text) {
    records_.forget_given_up(text);
    auto taken = records_.take_first(text);
    if (taken.empty())
        return false;
    const bool alone = taken.mapped().bound_inproc();
    end_record(std::move(taken));
    while (!alone && !(taken = records_.take_first(text)).empty())
        end_record(std::move(taken));
    return true;
}

void endpoint_list::end_record(endpoint_table::map::node_type taken) {
    endpoint_record &record = taken.mapped();
    if (record.worker)
        record.workers->disconnect(std::move(record.worker), peers_.leave_taking_ms());
    else if (record.end == nullptr)
        context_.names().unbind(taken.key().substr(taken.key().find("://") + 3), *peers_.inbox());
    if (record.end != nullptr)
        peers_.let_go(*record.end);
}

result<std::uint32_t> endpoint_list::connect_peer(const std::string &text) {
    if (!peers_.traits().numbers_its_connections())
        return error{ENOTSUP};
    if (peers_.options().immediate)
        return error{EFAULT};
    if (const auto where = endpoint_of(text); where && where->kind() == transport::transport_kind::name)
        return error{EFAULT};
    if (const auto connected = connect(text); !connected)
        return error{connected.code()};
    return peers_.chooser().number_of(records_.newest(text));
}

result<void> endpoint_list::disconnect_peer(std::uint32_t number) {
    if (!peers_.traits().numbers_peers())
        return error{ENOTSUP};
    if (const int ended = peers_.check_alive(); ended != 0)
        return error{ended};
    pipe_end *end = peers_.chooser().numbered(number);
    if (end == nullptr)
        return error{EHOSTUNREACH};
    end_peer(*end);
    return {};
}

void endpoint_list::end_peer(pipe_end &end) {
    if (auto taken = records_.take(end); !taken.empty())
        return end_record(std::move(taken));
    // With IMMEDIATE an endpoint has no end of its own.
    if (const auto by = peers_.pipes().all().at(&end).origin.connected_by.lock())
        if (auto taken = records_.take(by); !taken.empty())
            end_record(std::move(taken));
    peers_.let_go(end);
}

// An end whose other side has gone waits to be read, and is no peer any more.
template <class Is> result<void> endpoint_list::end_peers(Is &&is_wanted) {
    if (const int ended = peers_.check_alive(); ended != 0)
        return error{ended};
    std::vector<pipe_end *> wanted;
    for (const auto &[end, held] : peers_.pipes().all())
        if (!end->peer_closed() && is_wanted(*end, held))
            wanted.push_back(end);
    if (wanted.empty())
        return error{EHOSTUNREACH};
    for (pipe_end *const end : wanted)
        if (peers_.pipes().contains(end)) // the end of one may close others that were used up
            end_peer(*end);
    peers_.box().announce();
    return {};
}

result<void> endpoint_list::disconnect_named(std::string_view routing_id) {
    return end_peers([routing_id](const pipe_end &end, const new_pipe &) {
        const std::string &given = end.notes.routing_id;
        return given.empty() ? end.peer() != nullptr && end.peer()->routing_id() == routing_id
                             : given == routing_id;
    });
}

result<void> endpoint_list::disconnect_counted(std::uint64_t number) {
    return end_peers([number](const pipe_end &, const new_pipe &held) {
        const counters::pipe_counts *const counts = held.made->counts();
        return counts != nullptr && counts->record().id.get() == number;
    });
}

} // namespace zlink::core
