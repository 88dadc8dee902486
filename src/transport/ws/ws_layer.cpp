// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_layer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "base/per_thread.hpp"
#include "transport/stream.hpp"

namespace zlink::transport {
namespace {

// Bytes of one call. Those of the peer may bring nothing for us, as Pings.
constexpr std::size_t most_received = 256 * 1024;
constexpr std::size_t most_sent = 256 * 1024;
// A body of this size is read and sent where it lies.
constexpr std::size_t large_body = 16 * 1024;
// A read takes so much where a large body is expected behind a header. The rest is read to its place.
constexpr std::size_t before_large_body = 512;
// The frame that ends the room may need so many bytes more than the room.
constexpr std::size_t of_last_frame = max_control_payload + max_ws_header;
// Fewer bytes do not tell how long the frames are.
constexpr std::size_t telling_bytes = 4096;
constexpr std::size_t most_stretch = 4;
constexpr std::size_t kept_capacity = 4096;

// A batch of the writer has up to two segments of a queue, and the headers of WebSocket are longer. A send of
// the little that did not fit would wake the peer for it.
struct scratch {
    std::array<std::uint8_t, 160 * 1024> bytes;
};
struct scratch_source {
    static scratch *take() { return new scratch; }
    static void release(scratch *one) noexcept { delete one; }
};
std::span<std::uint8_t> scratch_bytes() {
    return per_thread<scratch, scratch_source>::get().bytes;
}

} // namespace

ws_layer::ws_layer(zws_terms terms, std::span<const std::uint8_t> early)
    : terms_(std::move(terms)), decoder_(terms_), encoder_(terms_) {
    in_.hold(early);
}

void ws_layer::held_bytes::hold(std::span<const std::uint8_t> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

void ws_layer::held_bytes::took(std::size_t size) noexcept {
    at += size;
    if (!empty())
        return;
    at = 0;
    if (bytes.capacity() > kept_capacity)
        bytes = {};
    bytes.clear();
}

bool ws_layer::has_buffered() const noexcept {
    return ended_ || no_memory_ || !in_.empty() || decoder_.has_pending() || decoder_.over();
}

// A Ping that came amid a message of ours is answered behind it.
bool ws_layer::holds_output() const noexcept {
    return !out_.empty() || (decoder_.has_ping() && encoder_.at_boundary());
}

// ---- receive

// Receives the bytes of a body to their place, and by the same call the beginning of what follows.
std::size_t ws_layer::bring_body(stream &on, std::span<std::uint8_t> room, bool &dry) {
    std::span<std::uint8_t> behind;
    if (uses_descriptor() && decoder_.body_left() == room.size())
        behind = scratch_bytes().first(before_large_body + max_ws_header);
    const io_result got = behind.empty() ? receive_below(on, room) : receive_both(on, room, behind);
    ended_ = got.status == io_status::closed;
    dry = got.status != io_status::ok || got.bytes < room.size() + behind.size();
    if (got.status != io_status::ok)
        return 0;
    const std::size_t own = std::min(got.bytes, room.size());
    decoder_.took(room.first(own));
    in_.hold(behind.first(got.bytes - own));
    return own;
}

// Returns how many bytes of the peer fill the room. To read less leaves room, and costs another call. To read
// more costs a copy of what does not fit.
std::size_t ws_layer::wanted_for(std::size_t room, std::size_t most) const noexcept {
    if (large_)
        return std::min(room, before_large_body) + max_ws_header;
    return std::min(most, room * stretch_ / stretch_unit + of_last_frame);
}

void ws_layer::note_brought(const zws_progress &done) noexcept {
    if (decoder_.body_left() != 0 || done.made > large_body)
        large_ = decoder_.body_left() >= large_body;
    if (done.made >= telling_bytes)
        stretch_ = std::min(done.used * stretch_unit / done.made + 1, most_stretch * stretch_unit);
}

// Receives and decodes a bufferful. Returns the bytes that it has made.
std::size_t ws_layer::bring(stream &on, std::span<std::uint8_t> room, bool &dry) {
    const std::span<std::uint8_t> all = scratch_bytes();
    const std::size_t most = wanted_for(room.size(), all.size());
    const io_result got = receive_below(on, all.first(most));
    ended_ = got.status == io_status::closed;
    dry = got.status != io_status::ok || got.bytes < most;
    if (got.status != io_status::ok)
        return 0;
    const auto bytes = all.first(got.bytes);
    const zws_progress done = decoder_.decode(bytes, room);
    if (!decoder_.over())
        in_.hold(bytes.subspan(done.used));
    note_brought(done);
    return done.made;
}

io_result ws_layer::receive_some(stream &on, std::span<std::uint8_t> room) {
    std::size_t made = 0;
    std::size_t taken = 0; // from below, at least
    for (bool dry = false;;) {
        const zws_progress done = decoder_.decode(in_.rest(), room.subspan(made));
        in_.took(done.used);
        made += done.made;
        const std::span<std::uint8_t> rest = room.subspan(made);
        if (rest.empty())
            return {io_status::ok, made};
        if (decoder_.over() || ended_)
            return {io_status::closed, made};
        if (dry || taken >= most_received)
            return {io_status::again, made};
        const std::uint64_t body = std::min(std::uint64_t{rest.size()}, decoder_.body_left());
        const std::size_t got =
            body >= large_body ? bring_body(on, rest.first(body), dry) : bring(on, rest, dry);
        made += got;
        taken += std::max(got, before_large_body);
    }
}

void ws_layer::note_end(stream &on) noexcept {
    if (no_memory_)
        lost_below(on, ENOMEM);
    else if (decoder_.broken())
        lost_below(on, EPROTO);
}

io_result ws_layer::receive(stream &on, std::span<std::uint8_t> room) noexcept {
    io_result got{io_status::closed, 0};
    try {
        if (!no_memory_)
            got = receive_some(on, room);
    } catch (const std::bad_alloc &) {
        no_memory_ = true;
    }
    if (got.status == io_status::closed)
        note_end(on);
    return got.bytes != 0 ? io_result{io_status::ok, got.bytes} : got;
}

// ---- send

io_status ws_layer::send_held(stream &on) noexcept {
    while (!out_.empty()) {
        const auto bytes = out_.rest();
        const io_result put = send_below(on, {bytes.data(), bytes.size()});
        if (put.status != io_status::ok)
            return put.status;
        out_.took(put.bytes);
    }
    return io_status::ok;
}

// Sends what those below take, and holds the rest.
io_status ws_layer::push(stream &on, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const io_result put = send_below(on, {bytes.data(), bytes.size()});
        if (put.status == io_status::closed)
            return put.status;
        if (put.status == io_status::again) {
            out_.hold(bytes);
            return put.status;
        }
        bytes = bytes.subspan(put.bytes);
    }
    return io_status::ok;
}

// Sends a body where it lies, behind `head`, of which the rest is held. Returns again when no more can be
// sent.
io_status ws_layer::push_body(stream &on, std::span<const std::uint8_t> head, byte_range body,
                              std::size_t &sent) {
    const io_result put =
        head.empty() ? send_below(on, body) : send_both_below(on, {head.data(), head.size()}, body);
    if (put.status == io_status::closed)
        return put.status;
    const std::size_t bytes = put.status == io_status::ok ? put.bytes : 0;
    const std::size_t of_head = std::min(bytes, head.size());
    out_.hold(head.subspan(of_head));
    sent = bytes - of_head;
    const bool full = of_head < head.size() || (uses_descriptor() && sent < body.size);
    return full ? io_status::again : put.status;
}

io_status ws_layer::answer_ping(stream &on) {
    std::array<std::uint8_t, ws_encoder::least_room> frame;
    const std::size_t size = encoder_.control(ws_opcode::pong, decoder_.take_ping(), frame.data());
    return size != 0 ? push(on, std::span(frame).first(size)) : io_status::closed;
}

io_status ws_layer::flush(stream &on) noexcept {
    try {
        const io_status status = send_held(on);
        return status == io_status::ok && holds_output() ? answer_ping(on) : status;
    } catch (const std::bad_alloc &) {
        no_memory_ = true;
        note_end(on);
        return io_status::closed;
    }
}

// Returns ok when the whole piece is taken. With `again` some of it may be, and nothing more can be. `made`
// bytes of the scratch wait to be sent.
io_status ws_layer::send_piece(stream &on, byte_range piece, std::size_t &made, std::size_t &taken) {
    const std::span<std::uint8_t> out = scratch_bytes();
    for (std::span<const std::uint8_t> rest(piece.data, piece.size); !rest.empty();) {
        const std::size_t direct = std::min(std::uint64_t{rest.size()}, encoder_.direct_left());
        if (direct >= large_body) {
            std::size_t sent = 0;
            const io_status put =
                push_body(on, out.first(std::exchange(made, 0)), {rest.data(), direct}, sent);
            encoder_.sent_directly(sent);
            taken += sent;
            if (put != io_status::ok)
                return put;
            rest = rest.subspan(sent);
            continue;
        }
        if (out.size() - made < ws_encoder::least_room)
            if (const io_status put = push(on, out.first(std::exchange(made, 0))); put != io_status::ok)
                return put;
        const zws_progress done = encoder_.encode(rest, out.subspan(made));
        if (encoder_.failed())
            return io_status::closed;
        made += done.made;
        taken += done.used;
        rest = rest.subspan(done.used);
    }
    return io_status::ok;
}

io_result ws_layer::send_some(stream &on, std::span<const byte_range> pieces) {
    std::size_t made = 0;
    std::size_t taken = 0;
    io_status status = io_status::ok;
    for (const byte_range &piece : pieces) {
        status = send_piece(on, piece, made, taken);
        if (status != io_status::ok || taken >= most_sent)
            break;
    }
    if (status == io_status::ok)
        status = push(on, scratch_bytes().first(made));
    if (status == io_status::closed)
        return {status, 0};
    return taken != 0 ? io_result{io_status::ok, taken} : io_result{status, 0};
}

io_result ws_layer::send(stream &on, std::span<const byte_range> pieces) noexcept {
    if (const io_status before = flush(on); before != io_status::ok)
        return {before, 0};
    try {
        return send_some(on, pieces);
    } catch (const std::bad_alloc &) {
        no_memory_ = true;
        note_end(on);
        return {io_status::closed, 0};
    }
}

// Bytes that are still held, and the rest of a body, would come before the Close frame. It is left out then.
void ws_layer::end(stream &on) noexcept {
    if (!out_.empty() || !encoder_.at_boundary() || std::exchange(said_close_, true))
        return;
    const auto code = static_cast<std::uint16_t>(no_memory_ ? ws_close::no_memory : decoder_.closing_code());
    const std::array<std::uint8_t, 2> payload{static_cast<std::uint8_t>(code >> 8U),
                                              static_cast<std::uint8_t>(code)};
    std::array<std::uint8_t, ws_encoder::least_room> frame;
    if (const std::size_t size = encoder_.control(ws_opcode::close, payload, frame.data()); size != 0)
        (void)send_below(on, {frame.data(), size});
}

} // namespace zlink::transport
