// SPDX-License-Identifier: MPL-2.0
// bind, connect and disconnect. The kind of the endpoint's transport decides between inproc and a stream.
#include <cerrno>

#include "base/error.hpp"
#include "connections/connector.hpp"
#include "connections/datagram_worker.hpp"
#include "connections/listener.hpp"
#include "core/socket.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/transports.hpp"

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

result<void> socket::bind(const std::string &text) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto where = transport::parse_endpoint(text, options_.type);
    if (!where)
        return error{where.code()};
    switch (where->kind()) {
    case transport::transport_kind::in_process:
        return bind_inproc(*where, text);
    case transport::transport_kind::datagrams:
        return open_datagrams(*where, endpoint_side::bound);
    case transport::transport_kind::byte_stream:
        return bind_stream(*where);
    case transport::transport_kind::unknown: // parse_endpoint() refused it
        break;
    }
    return error{EPROTONOSUPPORT};
}

// RADIO sends and DISH receives; DGRAM does both, from where it is bound.
result<void> socket::open_datagrams(const transport::endpoint &where, endpoint_side side) {
    const bool sends = traits_.publishes();
    if (sends != (side == endpoint_side::connected))
        return error{errc::no_compatible};
    connections::worker_list *workers = context_.choose_group(options_.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    auto opened = sends ? transport::open_udp_sender(where.address, options_)
                        : transport::open_udp_receiver(where.address, options_);
    if (!opened)
        return error{opened.code()};
    transport::descriptor_guard descriptor(opened->descriptor);
    std::string text = opened->endpoint;
    const auto record = endpoints_.add(text, endpoint_record{nullptr, workers});
    unless_done forget([&] { endpoints_.erase(record); });
    new_pipe fresh;
    fresh.made = connections::make_worker_pipe(
        options_, {.peer = sends ? pipe_peer::datagrams : pipe_peer::connection, .local = true});
    pipe_end_guard workers_end(fresh.made->second());
    fresh.end = record->second.end = &fresh.made->first();
    unless_done leave([&, end = fresh.end] {
        detach(*end);
        pipes_.contains(end) ? release(*end) : end->close(0);
    });
    const auto form = traits_.shows == peer_name::address ? connections::datagram_form::address
                                                          : connections::datagram_form::group;
    const auto worker =
        std::make_shared<connections::datagram_worker>(*workers, *std::move(opened), form, fresh.made);
    (void)descriptor.release(); // the worker's from here on, as the end is
    workers_end.claim();
    attach(std::move(fresh));
    workers->begin(worker);
    record->second.worker = worker;
    leave.done();
    forget.done();
    options_.last_endpoint.swap(text);
    return {};
}

result<void> socket::bind_inproc(const transport::endpoint &where, const std::string &text) {
    std::string last = text;
    const auto record = endpoints_.add(text, endpoint_record{});
    unless_done forget([&] { endpoints_.erase(record); });
    if (auto bound = context_.names().bind(where.address, inproc_party::of(options_, inbox_)); !bound)
        return bound;
    forget.done();
    options_.last_endpoint.swap(last);
    box_.announce();
    // Sockets that had connected to the name are there now: what they are to hear at once is said in this
    // call.
    if (news())
        (void)handle_news();
    return {};
}

result<void> socket::bind_stream(const transport::endpoint &where) {
    connections::worker_list *workers = context_.choose_group(options_.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    if (auto ready = prepare(*where.transport, transport::connection_side::accepted, where.address, options_);
        !ready)
        return ready;
    int tried = -1;
    auto listening = where.transport->listen(where.address, options_, tried);
    if (!listening) {
        if (tried >= 0) // libzmq tells of this socket, too
            tell_of_bind(connections::event_kind::closed, tried,
                         where.transport->over_tcp ? std::string() : transport::text_of(where));
        tell_of_bind(connections::event_kind::bind_failed, listening.code(), where.address);
        return error{listening.code()};
    }
    const int descriptor = listening->descriptor;
    unless_done stop([&] { transport::stop_listening(*listening); });
    std::string text = listening->endpoint;
    const auto record = endpoints_.add(text, endpoint_record{nullptr, workers, nullptr, descriptor});
    unless_done forget([&] { endpoints_.erase(record); });
    tell_of_bind(connections::event_kind::listening, descriptor, text);
    const auto worker = std::make_shared<connections::listener>(*workers, context_.groups(options_.affinity),
                                                                inbox_, snapshot(), where, *listening);
    stop.done(); // the worker's from here on
    workers->begin(worker);
    record->second.worker = worker;
    forget.done();
    options_.last_endpoint.swap(text);
    box_.announce(); // programs wait for ZMQ_FD right after bind or connect, and libzmq's is readable then
    return {};
}

result<void> socket::connect(const std::string &text) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto where = transport::parse_endpoint(text, options_.type);
    if (!where)
        return error{where.code()};
    if (where->kind() != transport::transport_kind::in_process) {
        endpoints_.forget_given_up(text);
        if (traits_.rules.contains(socket_rule::connects_once) && endpoints_.contains(text))
            return {};
    }
    std::string last = text;
    if (where->kind() == transport::transport_kind::datagrams)
        return open_datagrams(*where, endpoint_side::connected);
    auto connected = where->kind() == transport::transport_kind::in_process ? connect_inproc(*where, text)
                                                                            : connect_stream(*where, text);
    if (connected) {
        options_.last_endpoint.swap(last);
        options_.pattern.connect_routing_id.clear(); // used up
    }
    return connected;
}

result<void> socket::connect_inproc(const transport::endpoint &where, const std::string &text) {
    const auto record = endpoints_.add(text, endpoint_record{});
    unless_done forget([&] { endpoints_.erase(record); });
    new_pipe fresh = context_.names().connect(where.address, inproc_party::of(options_, inbox_));
    record->second.end = fresh.end;
    forget.done(); // who releases the end forgets the record
    unless_done leave([&, end = fresh.end] {
        detach(*end);
        if (pipes_.contains(end))
            return release(*end);
        endpoints_.erase(record);
        end->close(0);
    });
    pipe_end *const end = fresh.end;
    const bool unbound = !fresh.unbound_name.empty();
    attach(std::move(fresh));
    leave.done();
    if (unbound && !pipes_.contains(end))
        endpoints_.add_refused(text);
    box_.announce();
    return {};
}

result<void> socket::connect_stream(const transport::endpoint &where, const std::string &text) {
    if (auto checked = where.transport->check_connect(where.address); !checked)
        return checked;
    if (auto ready =
            prepare(*where.transport, transport::connection_side::connected, where.address, options_);
        !ready)
        return ready;
    connections::worker_list *workers = context_.choose_group(options_.affinity);
    if (workers == nullptr)
        return error{errc::no_thread};
    const auto record = endpoints_.add(text, endpoint_record{nullptr, workers});
    unless_done forget([&] { endpoints_.erase(record); });
    new_pipe fresh;
    fresh.made = options_.immediate ? nullptr
                                    : connections::make_worker_pipe(
                                          options_, {pipe_peer::connector, true, where.transport->over_tcp});
    unless_done leave_worker([made = fresh.made] {
        if (made)
            made->second().close();
    });
    unless_done leave([&, &end = record->second.end] {
        if (end == nullptr)
            return;
        detach(*end);
        pipes_.contains(end) ? release(*end) : end->close(0);
    });
    if (fresh.made) {
        fresh.end = record->second.end = &fresh.made->first();
        fresh.end->notes.routing_id = options_.pattern.connect_routing_id;
    }
    const auto worker =
        std::make_shared<connections::connector>(*workers, inbox_, snapshot(), where, fresh.made);
    leave_worker.done();
    if (fresh.end != nullptr)
        attach(std::move(fresh));
    workers->begin(worker);
    record->second.worker = worker;
    leave.done();
    forget.done();
    box_.announce();
    return {};
}

result<void> socket::disconnect(const std::string &text) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto where = transport::parse_endpoint(text, options_.type);
    if (!where)
        return error{where.code()};
    // libzmq can disconnect what a PAIR with a peer has refused, while nobody is bound to that name.
    const bool was_refused = endpoints_.take_refused(text) && !context_.names().is_bound(where->address);
    const auto other_text = where->transport->resolved_text;
    if (end_records(text) || was_refused ||
        (other_text != nullptr && end_records(other_text(where->address, options_)))) {
        box_.announce();
        return {};
    }
    return error{ENOENT};
}

// If a socket is bound to an inproc name and connected to it, the first call ends the binding alone, as with
// libzmq.
bool socket::end_records(const std::string &text) {
    endpoints_.forget_given_up(text);
    auto taken = endpoints_.take_first(text);
    if (taken.empty())
        return false;
    const bool alone = taken.mapped().bound_inproc();
    end_record(std::move(taken));
    while (!alone && !(taken = endpoints_.take_first(text)).empty())
        end_record(std::move(taken));
    return true;
}

void socket::end_record(endpoint_table::map::node_type taken) {
    endpoint_record &record = taken.mapped();
    if (record.worker)
        record.workers->disconnect(std::move(record.worker), leave_taking_ms());
    else if (record.end == nullptr)
        context_.names().unbind(taken.key().substr(taken.key().find("://") + 3), *inbox_);
    if (record.end != nullptr)
        let_go(*record.end);
}

// Discards messages that came from there and were not received, as zmq_disconnect(3) has it. A message that
// the application has begun to receive, or was told of, stays. So does all that an inproc peer has left
// behind: the pattern reports that end as finished when it was read.
void socket::let_go(pipe_end &end) {
    close_routes();
    if (end.finished())
        return close_finished();
    if (end.traits.in_process() && end.peer_closed())
        return;
    if (const auto owed = pattern_->owes_from(end)) {
        say_disconnect_message(end);
        end.leave(*owed, leave_taking_ms());
        return on_pipe_event(end, pipe_event::peer_closed);
    }
    detach(end);
    release(end);
}

} // namespace zlink::core
