// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_opening.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

#include "transport/stream.hpp"
#include "transport/tcp_address.hpp"
#include "transport/ws/ws_layer.hpp"
#include "transport/ws/ws_port.hpp"

namespace zlink::transport {
namespace {

constexpr int most_steps = 16; // of a turn
constexpr std::size_t received_at_once = 1024;

constexpr std::uint32_t unspecified = 0x30000000;        // ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED
constexpr std::uint32_t mechanism_mismatch = 0x11000002; // ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
constexpr std::uint32_t origin_refused = 10120;          // ZLINK_WS_FAILED_ORIGIN

std::string local_tcp_text(int descriptor) {
    socket_address address;
    address.size = sizeof address.storage;
    return ::getsockname(descriptor, address.data(), &address.size) == 0 ? tcp_endpoint_text(address)
                                                                         : std::string();
}

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
    if (upgrade_.failure() == ws_upgrade_failure::origin) {
        failure_ = {opening_fault::authentication, origin_refused};
        return opening_status::failed;
    }
    const bool mismatch = upgrade_.failure() == ws_upgrade_failure::subprotocol;
    failure_ = {opening_fault::protocol, mismatch ? mechanism_mismatch : unspecified};
    return opening_status::failed;
}

void ws_opening::take(std::span<const std::uint8_t> bytes) {
    const std::size_t used = upgrade_.feed(bytes);
    early_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end());
}

// Returns true if the connection belongs to somebody else now. The stream has nothing then.
bool ws_opening::pass_on(stream &with) const {
    const std::string local = local_tcp_text(with.descriptor());
    return ws_claim::pass_on(local, upgrade_.asked_path(), rules_, [&] {
        std::vector<std::uint8_t> received(upgrade_.request().begin(), upgrade_.request().end());
        received.insert(received.end(), early_.begin(), early_.end());
        std::unique_ptr<stream_layer> layer;
        descriptor_guard descriptor(with.release(layer));
        return handed_connection{std::move(descriptor), std::move(layer), std::move(received)};
    });
}

opening_status ws_opening::go_on(stream &with) {
    if (!received_.empty())
        take(std::exchange(received_, {}));
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
        take(std::span(bytes).first(got.bytes));
        if (upgrade_.failure() == ws_upgrade_failure::path && terms_.side == ws_side::server &&
            pass_on(with)) {
            failure_ = {};
            return opening_status::failed;
        }
    }
    return opening_status::reads; // there may be more; the others have their turn first
}

} // namespace zlink::transport
