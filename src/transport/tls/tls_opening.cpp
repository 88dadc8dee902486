// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_opening.hpp"

#include <array>
#include <cerrno>

#include "transport/stream.hpp"
#include "transport/tls/tls_layer.hpp"

namespace zlink::transport {
namespace {

constexpr int most_steps = 16; // of a turn

opening_failure failure_of(tls_failure found) noexcept {
    const auto value = tls_event_value_first + static_cast<std::uint32_t>(found);
    switch (found) {
    case tls_failure::none:
    case tls_failure::no_memory:
        return {opening_fault::connection, ENOMEM};
    case tls_failure::protocol:
    case tls_failure::version:
    case tls_failure::protocol_name:
        return {opening_fault::protocol, value};
    case tls_failure::refused:
    case tls_failure::no_certificate:
    case tls_failure::expired:
    case tls_failure::not_yet_valid:
    case tls_failure::other_host:
    case tls_failure::untrusted:
    case tls_failure::bad_certificate:
    case tls_failure::revoked:
    case tls_failure::no_revocations:
        return {opening_fault::authentication, value};
    }
    return {opening_fault::protocol, value};
}

} // namespace

io_status tls_opening::send(stream &with) noexcept {
    while (!session_->output().empty()) {
        const std::array<byte_range, 1> pieces{{{session_->output().data(), session_->output().size()}}};
        const io_result put = with.send(pieces);
        if (put.status != io_status::ok)
            return put.status;
        session_->sent(put.bytes);
    }
    return io_status::ok;
}

opening_status tls_opening::lost(const stream &with) noexcept {
    failure_ = {opening_fault::connection,
                static_cast<std::uint32_t>(with.lost_code() != 0 ? with.lost_code() : EPIPE)};
    return opening_status::failed;
}

// The peer is told the reason, once.
opening_status tls_opening::failed(stream &with) noexcept {
    (void)send(with);
    failure_ = failure_of(session_->failure());
    return opening_status::failed;
}

opening_status tls_opening::go_on(stream &with) {
    if (!session_) {
        failure_ = failure_of(tls_failure::no_memory);
        return opening_status::failed;
    }
    for (int steps = 0; steps < most_steps; ++steps) {
        session_->advance();
        if (session_->state() == tls_state::failed)
            return failed(with);
        const io_status put = send(with);
        if (put == io_status::closed)
            return lost(with);
        if (put == io_status::again)
            return opening_status::writes;
        if (session_->state() == tls_state::open) {
            with.add_layer(std::make_unique<tls_layer>(std::move(session_)));
            return opening_status::done;
        }
        const std::span<std::uint8_t> room = session_->room();
        if (room.empty())
            return failed(with);
        const io_result got = with.receive(room);
        if (got.status == io_status::closed)
            return lost(with);
        if (got.status == io_status::again)
            return opening_status::reads;
        session_->received(got.bytes);
    }
    return opening_status::reads; // there may be more; the others have their turn first
}

} // namespace zlink::transport
