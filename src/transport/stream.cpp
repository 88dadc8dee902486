// SPDX-License-Identifier: MPL-2.0
#include "transport/stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <new>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fork.hpp"
#include "transport/transports.hpp"

namespace zlink::transport {
namespace {

constexpr std::size_t most_pieces = 64;

// While more than this of a body is missing, received bytes are confirmed at once (TCP_QUICKACK). Large
// windows are seldom confirmed, and the sender's system keeps what it sent until then. On one machine both
// sides then use more memory than the caches hold. Where the two take turns, the next one's turn confirms it.
constexpr std::size_t confirmed_at_once = 64 * 1024;

void confirm_now(int descriptor) noexcept {
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on); // a hint
}

} // namespace

stream::stream(boost::asio::io_context &context, const transport_row &transport)
    : socket_(context), transport_(&transport), over_tcp_(transport.over_tcp) {}

bool stream::assign(int descriptor, int family) noexcept {
    boost::system::error_code error;
    try {
        socket_.assign({family, 0}, descriptor, error);
    } catch (const std::bad_alloc &) {
        error = boost::asio::error::no_memory;
    }
    descriptor_ = error ? -1 : descriptor;
    family_ = family;
    if (error) {
        release_to_children(descriptor);
        ::close(descriptor);
    } else {
        withhold_from_children(descriptor);
    }
    return !error;
}

void stream::follow(const transfer_rules &rules) noexcept {
    rules_ = rules;
    sends_one_piece_ = !layer_ && !rules.bounds_sends;
}

bool stream::ignore() noexcept {
    boost::system::error_code error;
    socket_.release(error);
    return !error;
}

bool stream::listen() noexcept {
    return assign(descriptor_, family_);
}

io_result stream::nothing_done(ssize_t answer) noexcept {
    if (answer == 0)
        return {io_status::closed, 0};
    const auto code = static_cast<int>(-answer);
    const bool later =
        code == EAGAIN || code == EWOULDBLOCK || code == EINTR || code == ENOBUFS || code == ENOMEM;
    if (later)
        return {io_status::again, 0};
    if (lost_code_ == 0)
        lost_code_ = code;
    return {io_status::closed, 0};
}

io_result stream::receive(std::span<std::uint8_t> front, std::span<std::uint8_t> body,
                          std::span<std::uint8_t> log) noexcept {
    if (layer_) [[unlikely]]
        return receive_by_layer(std::array{front, body, log});
    std::array<iovec, 3> parts;
    std::size_t count = 0;
    std::size_t left = rules_.most_received;
    for (const std::span<std::uint8_t> part : {front, body, log})
        if (const std::size_t size = std::min(part.size(), left); size != 0) {
            parts[count++] = {part.data(), size};
            left -= size;
        }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const io_result got = received(system_calls::receive(descriptor_, message, MSG_DONTWAIT));
    if (got.status == io_status::ok && rules_.receives_of(body.size()) > confirmed_at_once && over_tcp() &&
        rules_.confirms && !std::exchange(sent_, false))
        confirm_now(descriptor_);
    return got;
}

io_result stream::send_many(std::span<const byte_range> pieces) noexcept {
    if (rules_.bounds_sends && !system_calls::is_writable(descriptor_))
        return {io_status::again, 0};
    if (layer_)
        return layer_->send(*this, pieces);
    std::array<iovec, most_pieces> parts;
    const std::size_t most = std::min(pieces.size(), parts.size());
    std::size_t count = 0;
    for (std::size_t left = rules_.most_sent; count < most && left != 0; ++count) {
        const std::size_t size = std::min(pieces[count].size, left);
        parts[count] = {const_cast<std::uint8_t *>(pieces[count].data), size};
        left -= size;
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return sent(system_calls::send(descriptor_, message, send_flags));
}

int stream::release(std::unique_ptr<stream_layer> &layers) noexcept {
    if (!ignore())
        return -1;
    layers = std::move(layer_);
    release_to_children(descriptor_);
    return std::exchange(descriptor_, -1);
}

bool stream::register_again() noexcept {
    return ignore() && listen();
}

std::size_t stream::undelivered(bool in_flight) noexcept {
    int bytes = 0;
    if (!over_tcp() || ::ioctl(descriptor_, in_flight ? SIOCOUTQ : SIOCOUTQNSD, &bytes) != 0)
        return 0;
    return static_cast<std::size_t>(bytes);
}

void stream::close() noexcept {
    for (stream_layer *layer = descriptor_ >= 0 ? layer_.get() : nullptr; layer != nullptr;
         layer = layer->below_.get())
        layer->end(*this);
    const int descriptor = std::exchange(descriptor_, -1);
    release_to_children(descriptor);
    boost::system::error_code ignored;
    if (socket_.is_open())
        socket_.close(ignored);
    else if (descriptor >= 0)
        ::close(descriptor);
}

bool connected_to_itself(int descriptor) noexcept {
    socket_address own;
    socket_address peer;
    own.size = peer.size = sizeof own.storage;
    if (getsockname(descriptor, own.data(), &own.size) != 0 ||
        getpeername(descriptor, peer.data(), &peer.size) != 0)
        return false;
    return own.family() != AF_UNIX && own.size == peer.size &&
           std::memcmp(own.data(), peer.data(), own.size) == 0;
}

// ---- layers

void stream::add_layer(std::unique_ptr<stream_layer> layer) noexcept {
    layer->below_ = std::move(layer_);
    layer_ = std::move(layer);
    sends_one_piece_ = false;
}

io_result stream::receive_by_layer(std::span<const std::span<std::uint8_t>> parts) noexcept {
    io_result all{io_status::ok, 0};
    for (const std::span<std::uint8_t> part : parts) {
        const std::size_t size = rules_.receives_of(all.bytes + part.size()) - all.bytes;
        if (size == 0)
            continue;
        const io_result got = layer_->receive(*this, part.first(size));
        if (got.status != io_status::ok)
            return all.bytes != 0 ? all : got;
        all.bytes += got.bytes;
        if (got.bytes < size)
            break;
    }
    return all;
}

io_result stream::receive_by_layer(std::span<std::uint8_t> all) noexcept {
    return layer_->receive(*this, all.first(rules_.receives_of(all.size())));
}

bool stream::layers_have_buffered() const noexcept {
    for (const stream_layer *layer = layer_.get(); layer != nullptr; layer = layer->below_.get())
        if (layer->has_buffered())
            return true;
    return false;
}

bool stream::layers_hold_output() const noexcept {
    for (const stream_layer *layer = layer_.get(); layer != nullptr; layer = layer->below_.get())
        if (layer->holds_output())
            return true;
    return false;
}

// From the uppermost down: each passes its bytes to the next.
io_status stream::flush_layers() noexcept {
    for (stream_layer *layer = layer_.get(); layer != nullptr; layer = layer->below_.get())
        if (const io_status status = layer->flush(*this); status != io_status::ok)
            return status;
    return io_status::ok;
}

stream_facts stream::facts() const {
    stream_facts all;
    for (const stream_layer *layer = layer_.get(); layer != nullptr; layer = layer->below_.get())
        for (auto &fact : layer->facts())
            all.push_back(std::move(fact));
    return all;
}

void stream_layer::lost_below(stream &on, int code) noexcept {
    if (on.lost_code_ == 0)
        on.lost_code_ = code;
}

io_result stream_layer::receive_below(stream &on, std::span<std::uint8_t> room) noexcept {
    if (below_)
        return below_->receive(on, room);
    return on.received(system_calls::receive(on.descriptor_, room.data(), room.size(), MSG_DONTWAIT));
}

io_result stream_layer::receive_both(stream &on, std::span<std::uint8_t> room,
                                     std::span<std::uint8_t> behind) noexcept {
    std::array<iovec, 2> parts{{{room.data(), room.size()}, {behind.data(), behind.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return on.received(system_calls::receive(on.descriptor_, message, MSG_DONTWAIT));
}

io_result stream_layer::send_both_below(stream &on, byte_range first, byte_range second) noexcept {
    const std::array<byte_range, 2> pieces{first, second};
    if (below_)
        return below_->send(on, pieces);
    std::array<iovec, 2> parts;
    for (std::size_t part = 0; part < parts.size(); ++part)
        parts[part] = {const_cast<std::uint8_t *>(pieces[part].data), pieces[part].size};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return on.sent(system_calls::send(on.descriptor_, message, stream::send_flags));
}

io_result stream_layer::send_below(stream &on, byte_range bytes) noexcept {
    if (below_)
        return below_->send(on, std::span(&bytes, 1));
    return on.sent(system_calls::send(on.descriptor_, bytes.data, bytes.size, stream::send_flags));
}

} // namespace zlink::transport
