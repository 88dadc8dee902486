// SPDX-License-Identifier: MPL-2.0
#include "connections/connection_handshake.hpp"

#include <array>
#include <utility>

#include "base/wipe.hpp"
#include "connections/raw_stream.hpp"
#include "pipe/pipe_end_guard.hpp"
#include "security/mechanisms.hpp"
#include "transport/transports.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t most_received = 4096;

zmtp::handshake_config config_of(const socket_options &options) {
    zmtp::handshake_config config;
    config.type = options.type;
    config.routing_id = options.routing_id;
    for (const auto &[name, value] : options.metadata)
        config.extra.push_back({name, value});
    return config;
}

} // namespace

std::unique_ptr<connection_handshake> connection_handshake::make(const socket_options &options) {
    if (is_raw(options))
        return nullptr;
    auto mechanism = security::make_mechanism(options.security);
    return mechanism ? std::make_unique<connection_handshake>(options, std::move(mechanism)) : nullptr;
}

connection_handshake::connection_handshake(const socket_options &options,
                                           std::unique_ptr<zmtp::mechanism> mechanism)
    : options_(options), handshake_(config_of(options), std::move(mechanism)) {}

handshake_step connection_handshake::read(transport::stream &from) {
    std::array<std::uint8_t, most_received> bytes;
    const transport::io_result got = from.receive(bytes);
    if (got.status == transport::io_status::closed)
        return handshake_step::closed;
    if (got.status == transport::io_status::again)
        return handshake_step::reads;
    const handshake_step next = take({bytes.data(), got.bytes});
    wipe(bytes);
    return next;
}

handshake_step connection_handshake::take(zmtp::byte_view received) {
    const std::size_t taken = handshake_.feed(received);
    held_.assign(received.begin() + static_cast<std::ptrdiff_t>(taken), received.end());
    switch (handshake_.state()) {
    case zmtp::handshake_state::greeting:
    case zmtp::handshake_state::securing:
        return handshake_step::reads;
    case zmtp::handshake_state::authenticating:
        return handshake_step::asks;
    case zmtp::handshake_state::done:
        return handshake_step::done;
    case zmtp::handshake_state::failed:
        break;
    }
    return handshake_step::failed;
}

transport::io_status connection_handshake::write(transport::stream &to) {
    while (!handshake_.output().empty()) {
        const zmtp::byte_view out = handshake_.output();
        const std::array<byte_range, 1> pieces{{{out.data(), out.size()}}};
        const transport::io_result put = to.send(pieces);
        if (put.status != transport::io_status::ok)
            return put.status;
        handshake_.consume_output(put.bytes);
    }
    return to.flush() == transport::io_status::again ? transport::io_status::again : transport::io_status::ok;
}

// ---- the authenticator

bool connection_handshake::asks_nobody() const noexcept {
    return options_.security.zap_enforce_domain && options_.security.zap_domain.empty();
}

zmtp::verdict connection_handshake::unasked_verdict() const {
    const bool accepted = handshake_.awaits().optional;
    return {.failure = accepted ? zmtp::handshake_failure::none : zmtp::handshake_failure::no_authenticator,
            .status = 0,
            .vouched = {}};
}

bool connection_handshake::ask(pipe &to_handler, std::shared_ptr<mailbox> box, const transport::stream &about,
                               connection &asker) {
    pipe_end_guard asking(to_handler.first());
    question_ = std::make_unique<zap_exchange>(*asking.get(), std::move(box), asker);
    asking.claim();
    const std::string address = about.transport().peer_address(about.descriptor());
    return question_->ask({options_.security.zap_domain, address, options_.routing_id,
                           handshake_.mechanism_name(), handshake_.awaits().credentials});
}

handshake_step connection_handshake::take_verdict(zmtp::verdict found) {
    stop_asking();
    handshake_.authenticated(std::move(found));
    const zmtp::byte_buffer held = std::exchange(held_, {});
    return take(held);
}

// ---- how it ended

bool connection_handshake::take_cipher(std::unique_ptr<zmtp::frame_cipher> &cipher) {
    cipher = handshake_.take_cipher();
    return cipher != nullptr || !handshake_.seals_traffic();
}

bool connection_handshake::is_hopeless() const noexcept {
    if (!is_failed())
        return false;
    const bool refused = handshake_.failure() == zmtp::handshake_failure::error_from_peer &&
                         detail_of(handshake_).kind == event_kind::handshake_failed_auth;
    return refused || (peer().framing() == zmtp::framing::v3 && zmtp::is_breach(handshake_.failure()));
}

// libzmq says nothing of two types that do not fit. It sees no handshake in what has no signature, nor in an
// old peer's id that is too long.
std::optional<event_detail> connection_handshake::failure_event() const noexcept {
    switch (handshake_.failure()) {
    case zmtp::handshake_failure::socket_type_mismatch:
    case zmtp::handshake_failure::bad_signature:
        return std::nullopt;
    case zmtp::handshake_failure::bad_routing_id:
        if (peer().framing() != zmtp::framing::v3)
            return std::nullopt;
        break;
    default:
        break;
    }
    return detail_of(handshake_);
}

} // namespace zlink::connections
