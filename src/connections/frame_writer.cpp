// SPDX-License-Identifier: MPL-2.0
#include "connections/frame_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/brief_yield.hpp"
#include "connections/staging.hpp"
#include "message/frame_header.hpp"
#include "zmtp/command.hpp"
#include "zmtp/legacy_frames.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t most_pieces = 64;
constexpr int most_writes = 64; // of a turn
// Turns that a sender leaves to others before it copies what a full stream does not take.
constexpr int most_pauses = 1;
// Bytes of one call are still in the cache when the other end of a local connection reads them.
constexpr std::size_t gather_bytes = 64 * 1024;
constexpr std::size_t encode_bytes = 64 * 1024;
// To copy a small message takes less time than the system needs for one piece more.
constexpr std::size_t most_joined = large_body + large_header_size;

constexpr std::array<std::uint8_t, 1> subscribe_byte{1};
constexpr std::array<std::uint8_t, 1> cancel_byte{0};

// Takes `bytes` from the front. Returns true if nothing is left.
bool take_front(std::span<byte_range> &pieces, std::size_t bytes) noexcept {
    while (!pieces.empty() && bytes >= pieces.front().size) {
        bytes -= pieces.front().size;
        pieces = pieces.subspan(1);
    }
    if (!pieces.empty())
        pieces.front() = {pieces.front().data + bytes, pieces.front().size - bytes};
    return pieces.empty();
}

// The queue may have to go on with it: its headers of bodies by reference are large ones at any size.
std::size_t encode_as_queue(std::span<std::uint8_t, large_header_size> header,
                            const outgoing_frame &frame) noexcept {
    const std::uint8_t form = frame.by_reference() ? frame_flag::large : 0;
    return encode_frame_header(header.data(), frame.wire_flags() | form, frame.size);
}

// The whole message, as pieces of what it lies in or, when it is small, as one of `joined`.
std::span<byte_range> lay_out(byte_range begun, const outgoing_frame &frame,
                              std::span<std::uint8_t, most_joined> joined,
                              std::span<byte_range, 3> pieces) noexcept {
    std::size_t size = begun.size;
    const bool joins = begun.size + large_header_size + frame.size <= joined.size();
    if (joins && begun.size != 0) [[unlikely]]
        std::memcpy(joined.data(), begun.data, begun.size);
    const std::span<std::uint8_t, large_header_size> header(joined.data() + (joins ? size : 0),
                                                            large_header_size);
    const std::size_t header_size = encode_as_queue(header, frame);
    if (!joins) [[unlikely]] {
        pieces[0] = begun;
        pieces[1] = {header.data(), header_size};
        pieces[2] = {frame.data, frame.size};
        return begun.size != 0 ? pieces : pieces.subspan(1);
    }
    size += header_size;
    copy_bytes(joined.data() + size, frame.data, frame.size);
    pieces[0] = {joined.data(), size + frame.size};
    return pieces.first(1);
}

// Returns how much the stream took.
std::size_t send_patiently(transport::stream &to, std::span<byte_range> left) noexcept {
    std::size_t sent = 0;
    for (int pauses = 0;;) {
        const transport::io_result put = to.send(left);
        if (put.status == transport::io_status::ok) [[likely]] {
            sent += put.bytes;
            if (take_front(left, put.bytes)) [[likely]]
                return sent;
            continue;
        }
        if (put.status == transport::io_status::closed || pauses++ == most_pauses)
            return sent;
        brief_yield(); // who empties the stream may be ready to run, above all on this processor
    }
}

} // namespace

transport::io_status frame_writer::send_all(transport::stream &to, zmtp::byte_buffer &bytes,
                                            std::size_t &sent) {
    while (sent < bytes.size()) {
        const std::array<byte_range, 1> rest{{{bytes.data() + sent, bytes.size() - sent}}};
        const transport::io_result put = to.send(rest);
        if (put.status != transport::io_status::ok)
            return put.status;
        sent += put.bytes;
    }
    bytes.clear();
    sent = 0;
    return transport::io_status::ok;
}

std::optional<frame_writer::peer_frame> frame_writer::as_taken(const incoming_frame &frame,
                                                               bool subscribes_by_command) noexcept {
    const zmtp::byte_view body{frame.data, frame.size};
    if (!frame.command() || subscribes_by_command)
        return peer_frame{frame.flags, {}, body};
    const auto command = zmtp::parse_command(body);
    if (!command)
        return std::nullopt;
    switch (command->kind) {
    case zmtp::command_kind::subscribe:
        return peer_frame{0, subscribe_byte, command->data};
    case zmtp::command_kind::cancel:
        return peer_frame{0, cancel_byte, command->data};
    default:
        return peer_frame{frame.flags, {}, body};
    }
}

write_status vectored_writer::turn(transport::stream &to) {
    std::size_t sent = 0;
    for (int writes = 0; writes < most_writes; ++writes) {
        const write_status status = write(to, sent);
        if (status != write_status::idle || end_.prepare_wait_data())
            return status;
    }
    return write_status::again;
}

bool vectored_writer::write_on_lease(transport::stream &to) noexcept {
    try {
        std::size_t sent = 0;
        const write_status status = write(to, sent);
        return status != write_status::closed && status != write_status::no_memory;
    } catch (const std::bad_alloc &) { // of commands, which remain
        return false;
    }
}

// idle: nothing is left. `sent`: bytes of this turn.
write_status vectored_writer::write(transport::stream &to, std::size_t &sent) {
    if (broken_)
        return write_status::no_memory;
    std::array<byte_range, most_pieces> pieces;
    for (;;) {
        if (!commands_.empty() && !cursor_.in_batch()) {
            const transport::io_status status = send_all(to, commands_, commands_sent_);
            if (status != transport::io_status::ok)
                return waiting(status);
        }
        const bool begins = !cursor_.in_batch();
        const std::size_t count =
            cursor_.ranges(pieces, to.rules().batch_or(gather_bytes), to.rules().bounds_sends);
        end_.after_read();
        if (count == 0)
            return write_status::idle;
        if (begins)
            end_.slot().sent.note_begun((pieces[0].data[0] & frame_flag::more) != 0);
        // Asked only now: a turn that ends with the last byte leaves nothing to be done.
        if (sent >= turn_bytes)
            return write_status::again;
        const std::span<const byte_range> offered(pieces.data(), count);
        const transport::io_result put = to.send(offered);
        if (put.status != transport::io_status::ok)
            return waiting(put.status);
        cursor_.advance(put.bytes);
        end_.after_read();
        end_.slot().sent.note_sent();
        if (put.bytes < to.rules().sends_of(total_of(offered)))
            return write_status::wait; // the stream is full: to ask again now would only say so
        sent += put.bytes;
    }
}

direct_write_status vectored_writer::through(transport::stream &to, byte_range begun,
                                             const outgoing_frame &frame) noexcept {
    if (!commands_.empty() || cursor_.in_batch() || end_.in().bytes_waiting() != 0) [[unlikely]]
        return direct_write_status::untouched;
    std::array<std::uint8_t, most_joined> joined;
    std::array<byte_range, 3> pieces;
    const std::span<byte_range> message = lay_out(begun, frame, joined, pieces);
    const std::size_t size = total_of(message);
    const std::size_t sent = frame.size > large_body && needs_staging(to, message)
                                 ? send_staged(to, message, send_patiently)
                                 : send_patiently(to, message);
    if (sent == size) [[likely]]
        return direct_write_status::done;
    if (sent == 0)
        return direct_write_status::untouched; // the queue's way finds out what to do
    keep_rest(frame, sent);
    return direct_write_status::cut_short;
}

void vectored_writer::keep_rest(const outgoing_frame &frame, std::size_t sent) noexcept {
    broken_ = !end_.other().out().write(frame);
    if (broken_)
        return;
    [[maybe_unused]] const bool asleep = end_.other().out().commit(); // the caller wakes whom it has to
    std::array<byte_range, 1> first;
    [[maybe_unused]] const std::size_t count = cursor_.ranges(first, 1);
    cursor_.advance(sent);
}

write_status encoding_writer::turn(transport::stream &to) {
    const std::size_t batch = to.rules().batch_or(encode_bytes);
    for (std::size_t sent = 0; sent < turn_bytes;) {
        if (encoded_.empty() && !in_message_)
            encoded_.swap(commands_);
        incoming_frame frame;
        while (encoded_.size() < batch && end_.read(frame)) {
            end_.slot().sent.note_frame(frame);
            encode(frame);
            in_message_ = frame.more();
            frame.drop();
        }
        if (encoded_.empty()) {
            if (end_.prepare_wait_data())
                return write_status::idle;
            continue;
        }
        sent += encoded_.size() - encoded_sent_;
        const transport::io_status status = send_all(to, encoded_, encoded_sent_);
        if (status != transport::io_status::ok)
            return waiting(status);
    }
    return write_status::again;
}

void encoding_writer::rewind() noexcept {
    incoming_frame frame;
    while (in_message_ && end_.read(frame)) {
        in_message_ = frame.more();
        frame.drop();
    }
}

void frame_writer::append_header(zmtp::byte_buffer &to, zmtp::framing framing, std::uint8_t flags,
                                 std::uint64_t size) {
    std::array<std::uint8_t, zmtp::max_legacy_header_size> header{};
    std::size_t length = 0;
    switch (framing) {
    case zmtp::framing::raw:
        break;
    case zmtp::framing::v1:
        length = zmtp::encode_v1_header(header.data(), flags, size);
        break;
    case zmtp::framing::v2:
        length = zmtp::encode_v2_header(header.data(), flags, size);
        break;
    case zmtp::framing::v3:
        length = encode_frame_header(header.data(), flags, size);
        break;
    }
    to.insert(to.end(), header.begin(), header.begin() + static_cast<std::ptrdiff_t>(length));
}

void frame_writer::greet(zmtp::framing framing, std::string_view hello) {
    append_header(commands_, framing, 0, hello.size());
    commands_.insert(commands_.end(), hello.begin(), hello.end());
}

void encoding_writer::encode(const incoming_frame &frame) {
    const auto taken = as_taken(frame, subscribes_by_command_);
    const bool has_commands = framing_ == zmtp::framing::v3;
    if (!taken || (!has_commands && (taken->flags & frame_flag::command) != 0))
        return;
    append_header(encoded_, framing_, taken->flags, taken->prefix.size() + taken->body.size());
    for (const zmtp::byte_view part : {taken->prefix, taken->body})
        encoded_.insert(encoded_.end(), part.begin(), part.end());
}

} // namespace zlink::connections
