// SPDX-License-Identifier: MPL-2.0
// The part of a connection's life before its traffic.
#include "connections/connection.hpp"

#include <array>
#include <new>

#include "base/wipe.hpp"
#include "connections/raw_stream.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "security/mechanisms.hpp"
#include "transport/transports.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t handshake_receive = 4096;

zmtp::handshake_config config_of(const socket_options &options) {
    zmtp::handshake_config config;
    config.type = options.type;
    config.routing_id = options.routing_id;
    for (const auto &[name, value] : options.metadata)
        config.extra.push_back({name, value});
    return config;
}

// Null: there is none, or the library does not have the mechanism.
std::unique_ptr<zmtp::handshake> make_handshake(const socket_options &options) {
    if (is_raw(options))
        return nullptr;
    auto mechanism = security::make_mechanism(options.security);
    return mechanism ? std::make_unique<zmtp::handshake>(config_of(options), std::move(mechanism)) : nullptr;
}

// Who insists on a domain and has none asks nobody.
bool asks_nobody(const security_options &options) noexcept {
    return options.zap_enforce_domain && options.zap_domain.empty();
}

// libzmq says nothing of two types that do not fit. It sees no handshake in what has no signature, nor in an
// old peer's id that is too long.
bool has_event(const zmtp::handshake &failed) noexcept {
    switch (failed.failure()) {
    case zmtp::handshake_failure::socket_type_mismatch:
    case zmtp::handshake_failure::bad_signature:
        return false;
    case zmtp::handshake_failure::bad_routing_id:
        return failed.peer().framing() == zmtp::framing::v3;
    default:
        return true;
    }
}

} // namespace

connection::connection(runtime::io_thread &thread, transport::stream stream,
                       std::shared_ptr<const socket_options> options, connection_owner &owner)
    : thread_(thread), stream_(std::move(stream)), options_(std::move(options)), owner_(&owner),
      handshake_(make_handshake(*options_)) {}

void connection::read_handshake() {
    std::array<std::uint8_t, handshake_receive> bytes;
    const transport::io_result got = stream_.receive(bytes);
    if (got.status == transport::io_status::closed)
        return end(closed_reason::handshake_failed);
    if (got.status == transport::io_status::again)
        return wait_readable();
    take_handshake({bytes.data(), got.bytes});
    wipe(bytes);
}

void connection::take_handshake(zmtp::byte_view received) {
    try {
        const std::size_t taken = handshake_->feed(received);
        advance_handshake(received.subspan(taken));
    } catch (const std::bad_alloc &) {
        end(closed_reason::no_memory);
    }
}

void connection::write_handshake() {
    while (!handshake_->output().empty()) {
        const zmtp::byte_view out = handshake_->output();
        const std::array<byte_range, 1> pieces{{{out.data(), out.size()}}};
        const transport::io_result put = stream_.send(pieces);
        if (put.status == transport::io_status::closed)
            return end(closed_reason::handshake_failed);
        if (put.status == transport::io_status::again)
            return wait_writable();
        handshake_->consume_output(put.bytes);
    }
    if (stream_.flush() == transport::io_status::again)
        wait_writable();
}

void connection::advance_handshake(zmtp::byte_view leftover) {
    switch (handshake_->state()) {
    case zmtp::handshake_state::greeting:
    case zmtp::handshake_state::securing:
        write_handshake();
        return wait_readable();
    case zmtp::handshake_state::authenticating:
        write_handshake();
        return authenticate(leftover);
    case zmtp::handshake_state::done:
        if (handshake_->peer().framing() == zmtp::framing::v3)
            owner_->on_event(event_kind::handshake_succeeded, 0, stream_.descriptor());
        return begin_traffic(handshake_->peer(), leftover, handshake_->output());
    case zmtp::handshake_state::failed:
        write_handshake(); // what it has to say of the failure, once
        return end(closed_reason::handshake_failed);
    }
}

// Asks, and reads nothing until there is an answer.
void connection::authenticate(zmtp::byte_view leftover) {
    if (state_ == state::ended)
        return;
    held_.assign(leftover.begin(), leftover.end());
    const security_options &security = options_->security;
    const auto to_handler = asks_nobody(security) ? nullptr : owner_->reach_authenticator();
    if (!to_handler) {
        const bool accepted = handshake_->awaits().optional;
        return on_verdict(
            {.failure = accepted ? zmtp::handshake_failure::none : zmtp::handshake_failure::no_authenticator,
             .status = 0,
             .vouched = {}});
    }
    pipe_end_guard asking(to_handler->first());
    authenticator_ =
        std::make_unique<zap_exchange>(*asking.get(), thread_.box(), static_cast<verdict_listener &>(*this));
    asking.claim();
    const std::string address = stream_.transport().peer_address(stream_.descriptor());
    if (!authenticator_->ask({security.zap_domain, address, options_->routing_id,
                              handshake_->mechanism_name(), handshake_->awaits().credentials}))
        end(closed_reason::no_memory);
}

void connection::on_verdict(zmtp::verdict found) {
    const auto self = shared_from_this(); // the owner may drop its reference
    authenticator_.reset();
    try {
        handshake_->authenticated(std::move(found));
    } catch (const std::bad_alloc &) {
        return end(closed_reason::no_memory);
    }
    const zmtp::byte_buffer held = std::exchange(held_, {});
    take_handshake(held);
}

void connection::begin_raw() {
    const auto self = shared_from_this(); // the owner may drop its reference
    try {
        begin_traffic(zmtp::peer_info{}, {}, {});
    } catch (const std::bad_alloc &) {
        end(closed_reason::no_memory);
    }
}

void connection::begin_traffic(const zmtp::peer_info &peer, zmtp::byte_view early, zmtp::byte_view late) {
    pipe_end *end_of_pipe =
        owner_->on_handshake(peer, {stream_.transport().peer_address(stream_.descriptor()),
                                    stream_.descriptor(), stream_.over_tcp()});
    if (end_of_pipe == nullptr)
        return end(closed_reason::local);
    without_mechanism_ = peer.framing() != zmtp::framing::v3;
    auto cipher = handshake_ ? handshake_->take_cipher() : nullptr;
    if (handshake_ && handshake_->seals_traffic() && !cipher)
        return end(closed_reason::handshake_failed);
    shared_ = std::make_unique<connection_io>(stream_, *end_of_pipe, peer, *options_, std::move(cipher),
                                              early, late);
    state_ = state::traffic;
    const bool beats = peer.knows_commands();
    // Where nothing has come yet the inbound queue takes no memory before something does.
    const bool begins_by_waiting =
        early.empty() && peer.framing() != zmtp::framing::raw && !peer.without_greeting;
    const runtime::time_ms now = runtime::now_ms();
    handshake_deadline_ = runtime::never;
    heartbeat_.emplace(zmtp::heartbeat_config{beats ? options_->heartbeat_interval_ms : 0,
                                              options_->heartbeat_timeout_ms,
                                              options_->heartbeat_ttl_deciseconds * 100},
                       now);
    handshake_.reset();
    arm_timer();
    shared_->open();
    // Before the stream can be leased, which write_turn() may do: nobody is told of bytes that came early.
    begins_by_waiting ? wait_readable() : read_turn();
    if (state_ == state::traffic)
        write_turn();
}

bool connection::handshake_failed() const noexcept {
    return handshake_ && handshake_->state() == zmtp::handshake_state::failed;
}

// In traffic libzmq gives up a peer whose message is too long, or whose answer to a REQ has no envelope. Most
// other breaches pass there, so that peer is tried again here. A peer of ZMTP 1.0 or 2.0 passes there, too.
bool connection::is_hopeless(closed_reason reason) const noexcept {
    if (reason == closed_reason::oversize)
        return true;
    if (reason == closed_reason::malformed)
        return traits_of(options_->type).asks();
    if (!handshake_failed())
        return false;
    const bool refused = handshake_->failure() == zmtp::handshake_failure::error_from_peer &&
                         detail_of(*handshake_).kind == event_kind::handshake_failed_auth;
    return refused ||
           (handshake_->peer().framing() == zmtp::framing::v3 && zmtp::is_breach(handshake_->failure()));
}

void connection::report_end(closed_reason reason) noexcept {
    if (reason == closed_reason::local)
        return;
    const int descriptor = stream_.descriptor();
    const bool breach = reason == closed_reason::malformed || reason == closed_reason::oversize;
    // libzmq, too, says of a peer without a mechanism that no handshake was done, unless it broke the
    // protocol.
    if (!was_in_traffic() || (without_mechanism_ && !breach)) {
        event_detail why{event_kind::handshake_failed_no_detail, EPIPE}; // the peer closed
        if (handshake_failed())
            why = detail_of(*handshake_);
        else if (reason == closed_reason::handshake_timeout)
            why.value = EAGAIN; // as libzmq gives it
        else if (stream_.lost_code() != 0)
            why.value = static_cast<std::uint32_t>(stream_.lost_code());
        if (!handshake_failed() || has_event(*handshake_))
            owner_->on_event(why.kind, why.value, descriptor);
    }
    owner_->on_event(event_kind::disconnected, static_cast<std::uint32_t>(descriptor), descriptor);
}

} // namespace zlink::connections
