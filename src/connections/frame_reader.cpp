// SPDX-License-Identifier: MPL-2.0
#include "connections/frame_reader.hpp"

#include <algorithm>

#include "connections/staging.hpp"
#include "runtime/tuning.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t legacy_receive = 8192;
// A name, with the byte that says its length.
constexpr std::uint64_t longest_name = 256;
constexpr std::uint64_t largest_command = 1024 * 1024 * 1024;

} // namespace

std::size_t frame_reader::bytes_of_turn(run_by reader) {
    if (reader != run_by::io_thread)
        return reader == run_by::caller ? turn_bytes_here : turn_bytes_beside;
    static const std::size_t elsewhere = runtime::process_tuning().in_turn_bytes;
    return elsewhere;
}

read_status frame_reader::status_after(step last) noexcept {
    switch (last) {
    case step::next:
    case step::incomplete:
        return read_status::wait;
    case step::paused:
        return read_status::paused;
    case step::malformed:
        return read_status::malformed;
    case step::oversize:
        return read_status::oversize;
    case step::no_memory:
        return read_status::no_memory;
    }
    return read_status::malformed;
}

// ---- ZMTP 3

void plain_reader::begin(zmtp::byte_view early) {
    early_.assign(early.begin(), early.end());
}

read_status plain_reader::turn(transport::stream &from, run_by reader) {
    const read_status status = take_turn(from, reader);
    // A sleeper is woken for the whole turn, not for its first message.
    if (std::exchange(reader_sleeps_, false)) [[unlikely]]
        end_.notify_peer(pipe_event::readable);
    return status;
}

read_status plain_reader::take_turn(transport::stream &from, run_by reader) {
    if (window_.expects()) [[unlikely]] // there was no memory to go on with
        return read_status::no_memory;
    // Bytes may be left from a turn that paused.
    read_status status = window_.pending().empty() ? read_status::wait : walk(reader);
    std::size_t received = 0;
    while (status == read_status::wait) {
        if (received >= bytes_of_turn(reader))
            return read_status::again;
        const receive_window::room room = window_.space(frame_size_);
        if (room.size() == 0) [[unlikely]]
            return read_status::no_memory;
        const transport::io_result got = receive(from, room);
        window_.received(got.bytes);
        if (got.status != transport::io_status::ok) [[unlikely]]
            return got.status == transport::io_status::again ? read_status::wait : read_status::closed;
        active_ = true;
        received += got.bytes;
        status = walk(reader);
        if (window_.expects()) [[unlikely]]
            status = window_.bring_back() ? walk(reader) : read_status::no_memory;
        if (got.bytes < from.rules().receives_of(room.size()) && early_.empty()) [[likely]]
            return status; // the stream had no more
    }
    return status;
}

transport::io_result plain_reader::receive(transport::stream &from, const receive_window::room &room) {
    if (!early_.empty()) [[unlikely]]
        return take_early(room);
    if (room.body.empty()) [[likely]]
        return from.receive(room.log);
    if (needs_staging(from, room)) [[unlikely]]
        return receive_staged(from, room);
    return from.receive(room.front, room.body, room.log);
}

// As if the early bytes were received now.
transport::io_result plain_reader::take_early(const receive_window::room &room) {
    std::size_t taken = 0;
    for (const std::span<std::uint8_t> part : {room.front, room.body, room.log}) {
        const std::size_t count = std::min(part.size(), early_.size() - taken);
        std::copy_n(early_.begin() + static_cast<std::ptrdiff_t>(taken), count, part.begin());
        taken += count;
    }
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(taken));
    return {transport::io_status::ok, taken};
}

// The usual case: whole messages of one frame. Returns true if there was one at least.
bool plain_reader::accept_messages() {
    return !rules_.takes_replies && to_discard_ == 0 &&
           window_.accept_messages(static_cast<std::uint64_t>(rules_.max_message_size)); // -1: any
}

read_status plain_reader::walk(run_by reader) {
    step done = step::paused;
    do {
        frame_size_ = 0;
        do
            done = accept_messages() ? step::next : walk_frame(reader);
        while (done == step::next && !window_.pending().empty());
        commit(reader);
    } while (done == step::paused && !pauses(target_, reader)); // room that came meanwhile is used at once
    return status_after(done);
}

frame_reader::step plain_reader::walk_message(const frame_header &header, run_by reader) {
    if (!window_.in_message() && window_.full()) [[unlikely]]
        return step::paused;
    const bool more = (header.flags & frame_flag::more) != 0;
    const std::size_t available = window_.pending().size();
    const std::uint64_t size = header.header_size + header.body_size;
    if (size > available && header.body_size <= large_body) {
        frame_size_ = size;
        return step::incomplete;
    }
    if (rules_.takes_replies && !envelope_.accepts(header.body_size, more))
        return step::malformed;
    if (size <= available) [[likely]] {
        window_.accept(size, more);
        return step::next;
    }
    commit(reader); // what is whole does not wait for the body
    if (!window_.begin_body(header.header_size, header.body_size, more))
        return step::no_memory;
    return window_.filling_body() ? step::incomplete : step::next; // one that was expected may be here
}

void plain_reader::commit(run_by reader) {
    reader_sleeps_ |= reader == run_by::caller ? window_.commit_to_self() : window_.commit();
}

frame_reader::step plain_reader::walk_frame(run_by reader) {
    if (window_.filling_body()) [[unlikely]]
        return step::incomplete;
    if (to_discard_ != 0) [[unlikely]]
        return discard(to_discard_);
    const auto bytes = window_.pending();
    const frame_header header = parse_frame_header(bytes.data(), bytes.size());
    if (header.status == header_status::incomplete) {
        frame_size_ = large_header_size;
        return step::incomplete;
    }
    if (header.status == header_status::error) [[unlikely]]
        return step::malformed;
    if (rules_.refuses(header.body_size)) [[unlikely]]
        return step::oversize;
    if ((header.flags & frame_flag::command) != 0) [[unlikely]]
        return walk_command(header, reader);
    return walk_message(header, reader);
}

// It counts when it begins to be taken: the rest of a large one comes later.
frame_reader::step plain_reader::take_command(const frame_header &header, run_by reader) {
    const bool was_filling = window_.filling_body();
    const step took = walk_message(header, reader);
    if (took == step::next || window_.filling_body() != was_filling)
        target_.link().counts().written.commands.add();
    return took;
}

// The name tells whether the socket sees the command: then it is an entry like a message. A PING is read
// whole. Every other command is cut out as it arrives, whatever its size: it takes no memory.
frame_reader::step plain_reader::walk_command(const frame_header &header, run_by reader) {
    if (header.body_size > largest_command)
        return step::oversize;
    const auto body = window_.pending().subspan(header.header_size);
    const std::uint64_t here = std::min<std::uint64_t>(body.size(), header.body_size);
    if (here < header.body_size && (here == 0 || here < std::uint64_t{1} + body[0])) {
        frame_size_ = header.header_size + static_cast<std::size_t>(std::min(header.body_size, longest_name));
        return step::incomplete;
    }
    const auto command = zmtp::parse_command(body.first(here));
    if (!command)
        return step::malformed;
    switch (command->kind) {
    case zmtp::command_kind::ping:
        return walk_ping(header, *command);
    case zmtp::command_kind::subscribe:
    case zmtp::command_kind::cancel:
    case zmtp::command_kind::join:
    case zmtp::command_kind::leave:
        if (rules_.takes_subscriptions && !window_.in_message())
            return take_command(header, reader);
        break;
    default:
        break; // PONG is traffic like any other; unknown commands are passed over
    }
    return discard(header.header_size + header.body_size);
}

// `command` is as much of it as has arrived.
frame_reader::step plain_reader::walk_ping(const frame_header &header, const zmtp::command &command) {
    const std::uint64_t size = header.header_size + header.body_size;
    if (size > window_.pending().size()) {
        if (header.body_size > zmtp::max_ping_size)
            return step::malformed;
        frame_size_ = static_cast<std::size_t>(size);
        return step::incomplete;
    }
    const auto ping = zmtp::parse_ping(command.data);
    if (!ping)
        return step::malformed;
    pings_.on_ping(*ping);
    return discard(size);
}

// Cuts `size` bytes out of what is received, now and as they arrive.
frame_reader::step plain_reader::discard(std::uint64_t size) {
    const std::uint64_t here = std::min<std::uint64_t>(size, window_.pending().size());
    window_.cut(static_cast<std::size_t>(here));
    to_discard_ = size - here;
    return to_discard_ == 0 ? step::next : step::incomplete;
}

read_status keeping_reader::turn(transport::stream &from, run_by reader) {
    const read_status status = frames_.turn(from, reader);
    active_ |= frames_.take_activity();
    incoming_frame frame;
    while (passing_.reader().read(frame)) {
        const bool written =
            end_.out().write({frame.data, frame.size, frame.flags, frame.owner, frame.constant});
        const bool more = frame.more();
        frame.drop();
        if (!written)
            return read_status::no_memory;
        if (!more)
            end_.writer().commit_from_io();
    }
    return status;
}

// ---- old peers

read_status legacy_reader::turn(transport::stream &from, run_by reader) {
    std::size_t received = 0;
    for (read_status status = take_pending(reader);; status = take_pending(reader)) {
        if (status != read_status::wait)
            return status;
        if (received >= bytes_of_turn(reader))
            return read_status::again;
        pending_.resize(legacy_receive);
        const transport::io_result got = from.receive(pending_);
        pending_.resize(got.status == transport::io_status::ok ? got.bytes : 0);
        if (got.status != transport::io_status::ok)
            return got.status == transport::io_status::again ? read_status::wait : read_status::closed;
        active_ = true;
        received += got.bytes;
    }
}

read_status legacy_reader::take_pending(run_by reader) {
    zmtp::byte_view left = pending_;
    read_status status = read_status::wait;
    zmtp::frame_piece piece;
    while (status == read_status::wait && !left.empty()) {
        if (!in_message_ && end_.out().full() && pauses(end_.out(), reader)) {
            status = read_status::paused;
            break;
        }
        switch (decoder_.next(left, piece)) {
        case zmtp::decode_status::need_more:
            break;
        case zmtp::decode_status::error:
            status = read_status::malformed;
            break;
        case zmtp::decode_status::piece:
            if (rules_.refuses(piece.frame_size))
                status = read_status::oversize;
            else if (piece.ends && rules_.takes_replies &&
                     !envelope_.accepts(frame_.size() + piece.body.size(), piece.more))
                status = read_status::malformed;
            else if (!take_piece(piece))
                status = read_status::no_memory;
            break;
        }
    }
    pending_.erase(pending_.begin(), pending_.end() - static_cast<std::ptrdiff_t>(left.size()));
    return status;
}

bool legacy_reader::take_piece(const zmtp::frame_piece &piece) {
    frame_.insert(frame_.end(), piece.body.begin(), piece.body.end());
    in_message_ = true;
    if (!piece.ends)
        return true;
    const std::uint8_t flags = piece.more ? frame_flag::more : std::uint8_t{0};
    const bool written = end_.out().write({frame_.data(), frame_.size(), flags, nullptr});
    frame_.clear();
    if (!written)
        return false;
    in_message_ = piece.more;
    if (!piece.more)
        end_.writer().commit_from_io();
    return true;
}

void legacy_reader::reset() noexcept {
    pending_.clear();
    frame_.clear();
    envelope_.reset();
    in_message_ = false;
    end_.out().rollback();
}

} // namespace zlink::connections
