// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_opening.hpp"

#include <array>
#include <cerrno>

#include "transport/stream.hpp"
#include "transport/ws/ws_layer.hpp"

namespace zlink::transport {
namespace {

constexpr int most_steps = 16; // of a turn
constexpr std::size_t received_at_once = 1024;

constexpr std::uint32_t unspecified = 0x30000000;        // ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED
constexpr std::uint32_t mechanism_mismatch = 0x11000002; // ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH

} // namespace

io_status ws_opening::send(stream &with) noexcept {
    while (!upgrade_.output().empty()) {
        const std::array<byte_range, 1> pieces{{{upgrade_.output().data(), upgrade_.output().size()}}};
        const io_result put = with.send(pieces);
        if (put.status != io_status::ok)
            return put.status;
        upgrade_.sent(put.bytes);
    }
    return with.flush();
}

opening_status ws_opening::lost(const stream &with) noexcept {
    failure_ = {opening_fault::connection,
                static_cast<std::uint32_t>(with.lost_code() != 0 ? with.lost_code() : EPIPE)};
    return opening_status::failed;
}

opening_status ws_opening::failed() noexcept {
    const bool mismatch = upgrade_.failure() == ws_upgrade_failure::subprotocol;
    failure_ = {opening_fault::protocol, mismatch ? mechanism_mismatch : unspecified};
    return opening_status::failed;
}

opening_status ws_opening::go_on(stream &with) {
    for (int steps = 0; steps < most_steps; ++steps) {
        const io_status put = send(with);
        if (put == io_status::closed)
            return lost(with);
        if (put == io_status::again)
            return opening_status::writes;
        if (upgrade_.state() == ws_upgrade_state::failed)
            return failed();
        if (upgrade_.state() == ws_upgrade_state::done) {
            terms_.bare = upgrade_.bare();
            with.add_layer(std::make_unique<ws_layer>(std::move(terms_), early_));
            return opening_status::done;
        }
        std::array<std::uint8_t, received_at_once> bytes;
        const io_result got = with.receive(bytes);
        if (got.status == io_status::closed)
            return lost(with);
        if (got.status == io_status::again)
            return opening_status::reads;
        const std::span<const std::uint8_t> all(bytes.data(), got.bytes);
        const std::size_t used = upgrade_.feed(all);
        early_.assign(all.begin() + static_cast<std::ptrdiff_t>(used), all.end());
    }
    return opening_status::reads; // there may be more; the others have their turn first
}

} // namespace zlink::transport
