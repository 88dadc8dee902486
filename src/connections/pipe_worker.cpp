// SPDX-License-Identifier: MPL-2.0
#include "connections/pipe_worker.hpp"

#include <array>

#include "base/probe.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "transport/socket_setup.hpp"

namespace zlink::connections {

namespace {

// A peer does not say itself what its certificate says.
bool is_of_layer(std::string_view name) {
    constexpr std::string_view prefix = "Tls-";
    return name.size() >= prefix.size() && zmtp::same_property_name(name.substr(0, prefix.size()), prefix);
}

metadata_ref metadata_of(const zmtp::peer_info &peer, const connection_origin &origin,
                         peer_metadata::endpoint_pair endpoints) {
    peer_metadata::properties known;
    if (!origin.address.empty())
        known.emplace_back("Peer-Address", origin.address);
    known.emplace_back("__fd", std::to_string(origin.descriptor)); // ZMQ_SRCFD
    known.insert(known.end(), origin.facts.begin(), origin.facts.end());
    // The authenticator's properties come first, and so hold. It alone can say who the user is.
    for (const zmtp::property &vouched : peer.vouched)
        known.emplace_back(vouched.name, vouched.value);
    for (const zmtp::property &told : peer.properties)
        if (!zmtp::same_property_name(told.name, "User-Id") && !is_of_layer(told.name))
            known.emplace_back(told.name, told.value);
    return metadata_ref(new peer_metadata(peer.routing_id, std::move(known), std::move(endpoints)));
}

peer_metadata::endpoint_pair endpoints_of(const transport::transport_row &of, int descriptor) {
    return {transport::local_endpoint_text(of, descriptor), transport::remote_endpoint_text(of, descriptor)};
}

} // namespace

std::shared_ptr<pipe> make_worker_pipe(const socket_options &options, pipe_traits of_sockets_end,
                                       std::shared_ptr<counters::socket_counts> counts) {
    const std::uint64_t flags = of_sockets_end.local ? counters::pipe_flag::outgoing : 0;
    return pipe::create(
        {options.send_hwm, keeps(options, direction::send), false, of_sockets_end, options.send_byte_mark},
        {options.receive_hwm, keeps(options, direction::receive), false, {}, options.receive_byte_mark},
        std::make_unique<counters::pipe_counts>(std::move(counts), nullptr, flags));
}

void pipe_worker::serve(pipe_end &end) {
    end_ = &end;
    const std::uint32_t events = end.attach(*this, workers_.thread().box());
    if ((events & pipe_event::peer_closed) != 0)
        leave(end.peer_linger_ms());
}

pipe_end *pipe_worker::serve_new_pipe(const zmtp::peer_info &peer, const connection_origin &origin,
                                      bool local) {
    const auto made =
        make_worker_pipe(*options_, {.local = local, .over_tcp = origin.over_tcp}, link_->counts());
    pipe_end_guard for_socket(made->first());
    pipe_end_guard own(made->second());
    if (local)
        made->first().notes.routing_id = options_->pattern.connect_routing_id;
    peer_metadata::endpoint_pair endpoints;
    if (!local)
        endpoints = endpoints_of(transport_, origin.descriptor);
    describe(*made->counts(), peer, origin);
    made->second().introduce_to_peer(metadata_of(peer, origin, std::move(endpoints)), false);
    if (leaving_ ||
        !link_->adopt(made, {local ? weak_from_this() : std::weak_ptr<worker>(), name_endpoint()}))
        return nullptr;
    for_socket.claim();
    serve(own.claim());
    notify(router_notify::connect);
    return end_;
}

// A peer of another version may have sent any routing id: it is shown as it is.
void pipe_worker::describe(counters::pipe_counts &to, const zmtp::peer_info &peer,
                           const connection_origin &origin) const noexcept {
    constexpr std::array<std::string_view, 4> mechanisms{"NULL", "PLAIN", "CURVE", "GSSAPI"};
    const bool raw = is_raw(*options_);
    to.describe(origin.address,
                raw ? "" : mechanisms[static_cast<std::size_t>(options_->security.mechanism)]);
    to.name_peer(counters::pipe_side::first, peer.routing_id);
    to.set_flag(counters::pipe_flag::connected, true);
    ZLINK_PROBE(connect, link_->counts()->record().id.get(), origin.address.c_str());
}

void pipe_worker::introduce(const zmtp::peer_info &peer, const connection_origin &origin, bool again) {
    describe(*end_->counts(), peer, origin);
    if (again)
        end_->counts()->record().retries.add();
    end_->introduce_to_peer(metadata_of(peer, origin, {}), again);
}

void pipe_worker::say_to_socket(std::string_view text) noexcept {
    if (end_ == nullptr || leaving_)
        return;
    if (end_->out().write({reinterpret_cast<const std::uint8_t *>(text.data()), text.size(), 0, nullptr}))
        end_->writer().commit_from_io();
}

void pipe_worker::notify(int occasion) noexcept {
    if (shows_routing_ids(*options_) && (options_->router_notify & occasion) != 0)
        say_to_socket("");
}

void pipe_worker::open_connection(transport::stream stream) {
    transport_.tune(stream.descriptor(), *options_);
    stream.follow(transport::transfer_rules_of(*options_));
    connection_ = std::make_shared<connection>(workers_.thread(), std::move(stream), options_,
                                               static_cast<connection_owner &>(*this));
    if (leaving_)
        connection_->stop_receiving();
    connection_->start();
}

std::shared_ptr<direct_io::poll_group> pipe_worker::own_poll_group() {
    direct_io::poll_groups &groups = link_->groups();
    return groups.wanted() ? groups.of(workers_.thread()) : nullptr;
}

void pipe_worker::on_event(event_kind kind, std::uint32_t value, int descriptor) noexcept {
    link_->count(kind, value);
    if (!link_->watched())
        return;
    try {
        link_->tell(event_of(kind, value, descriptor));
    } catch (...) {
        return; // no memory: an event less
    }
}

void pipe_worker::on_heartbeat_missed() noexcept {
    link_->counts()->record().heartbeats_missed.add_shared();
}

// A monitor does not hear of ends of our own, as with libzmq. The log does.
void pipe_worker::on_disconnected(closed_reason reason, int descriptor) noexcept {
    if (!link_->watched())
        return;
    try {
        socket_event event =
            event_of(event_kind::disconnected, static_cast<std::uint32_t>(descriptor), descriptor);
        event.reason = reason;
        reason == closed_reason::local ? link_->log(event) : link_->tell(event);
    } catch (...) {
        return; // no memory: an event less
    }
}

socket_event pipe_worker::event_of(event_kind kind, std::uint32_t value, int descriptor) const {
    std::string remote = asked_for();
    const bool outgoing = !remote.empty();
    if (!outgoing)
        remote = transport::remote_endpoint_text(transport_, descriptor);
    return {kind, value, transport::local_endpoint_text(transport_, descriptor), std::move(remote), outgoing};
}

void pipe_worker::on_pipe_event(pipe_end &end, std::uint32_t events) {
    if (events == pipe_event::stream_readable)
        return connection_->on_group_readable();
    const auto self = shared_from_this();
    const int linger_ms = end.peer_linger_ms(); // the end may go with the connection
    if (connection_ && (events & pipe_event::writable) != 0)
        connection_->receive_more();
    if (connection_ && (events & pipe_event::readable) != 0)
        connection_->send_more();
    if (connection_ && (events & pipe_event::about_stream) != 0)
        connection_->on_calls(events);
    if (!finished_ && (events & pipe_event::peer_closed) != 0)
        leave(linger_ms);
    else if (leaving_)
        finish_if_drained();
}

void pipe_worker::terminate(int linger_ms) {
    if (!finished_)
        leave(linger_ms);
}

void pipe_worker::leave(int linger_ms) {
    leaving_ = true;
    if (connection_)
        connection_->stop_receiving();
    if (linger_ms == 0)
        return finish();
    finish_if_drained();
    if (finished_ || linger_ms < 0 || linger_)
        return;
    try {
        linger_for(linger_ms);
    } catch (const std::bad_alloc &) {
        finish(); // rather than never
    }
}

void pipe_worker::linger_for(int linger_ms) {
    linger_ = std::make_unique<boost::asio::steady_timer>(workers_.thread().context());
    linger_->expires_after(std::chrono::milliseconds(linger_ms));
    linger_->async_wait([this, weak = weak_from_this()](const boost::system::error_code &error) {
        if (const auto self = weak.lock(); self && !error && !finished_)
            finish();
    });
}

void pipe_worker::finish_if_drained() {
    if (finished_ || !leaving_)
        return;
    const bool sending = connection_ && connection_->in_traffic();
    if (end_ == nullptr || (sending ? connection_->drained() : !end_->in().has_message()))
        finish();
}

void pipe_worker::finish() {
    if (finished_)
        return;
    finished_ = true;
    on_finish();
    if (connection_)
        connection_->stop();
    connection_.reset();
    if (end_ != nullptr)
        std::exchange(end_, nullptr)->close();
    linger_.reset();
    workers_.finished(*this);
}

} // namespace zlink::connections
