// SPDX-License-Identifier: MPL-2.0
#include "connections/encrypted_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace zlink::connections {
namespace {

// The second while more comes than the first takes.
constexpr std::size_t quiet_read_bytes = 16 * 1024;
constexpr std::size_t busy_bytes = 64 * 1024;
// Behind a large body: what follows is most likely large, too, and would have to be copied.
constexpr std::size_t receive_behind_large = 512;
// Bytes to receive of a large body at a time: each piece is opened while the cache still has it.
constexpr std::size_t receive_of_large = 32 * 1024;
// Larger bodies, sealed, get a buffer of their own.
constexpr std::size_t largest_small = large_body;

} // namespace

void encrypted_reader::begin(zmtp::byte_view early) {
    early_.assign(early.begin(), early.end());
}

read_status encrypted_reader::turn(transport::stream &from, run_by reader) {
    const read_status status = take_turn(from, reader);
    if (begin_ == filled_ && received_ != nullptr) {
        std::exchange(received_, nullptr)->release();
        begin_ = filled_ = 0;
    }
    if (std::exchange(reader_sleeps_, false))
        end_.notify_peer(pipe_event::readable);
    return status;
}

// Room for a small frame is there: what is not taken is less than one.
read_status encrypted_reader::take_turn(transport::stream &from, run_by reader) {
    read_status status = walk(reader); // what a pause left
    std::size_t taken = 0;
    while (status == read_status::wait) {
        if (taken >= bytes_of_turn(reader))
            return read_status::again;
        if (!make_room())
            return read_status::no_memory;
        std::span<std::uint8_t> body;
        std::size_t behind = received_->size() - filled_;
        if (large_ != nullptr) {
            const std::size_t missing = large_->size() - large_filled_;
            body = {large_->data() + large_filled_, std::min(missing, receive_of_large)};
            behind = body.size() < missing ? 0 : std::min(behind, receive_behind_large);
        }
        const std::span<std::uint8_t> rest{received_->data() + filled_, behind};
        transport::io_result got{transport::io_status::ok, 0};
        if (early_.empty()) {
            got = body.empty() ? from.receive(rest) : from.receive({}, body, rest);
        } else { // before anything else was received: there is no large body
            got.bytes = std::min(early_.size(), rest.size());
            std::copy_n(early_.begin(), got.bytes, rest.begin());
            early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(got.bytes));
        }
        if (got.status != transport::io_status::ok)
            return got.status == transport::io_status::again ? read_status::wait : read_status::closed;
        active_ = true;
        taken += got.bytes;
        const std::size_t of_body = std::min(got.bytes, body.size());
        large_filled_ += of_body;
        filled_ += got.bytes - of_body;
        status = walk(reader);
        busy_ = got.bytes == from.rules().receives_of(body.size() + rest.size());
        if (!busy_ && early_.empty())
            return status; // the stream had no more
    }
    return status;
}

// There is a buffer, with place behind what it holds.
bool encrypted_reader::make_room() noexcept {
    const std::size_t wanted = busy_ && large_ == nullptr ? busy_bytes : quiet_read_bytes;
    const std::size_t kept = filled_ - begin_;
    if (received_ != nullptr && received_->size() >= wanted) {
        if (begin_ != 0)
            std::memmove(received_->data(), received_->data() + begin_, kept);
    } else {
        buffer *const fresh = buffer::allocate(wanted);
        if (fresh == nullptr)
            return false;
        if (kept != 0)
            std::memcpy(fresh->data(), received_->data() + begin_, kept);
        if (received_ != nullptr)
            received_->release();
        received_ = fresh;
    }
    begin_ = 0;
    filled_ = kept;
    return true;
}

read_status encrypted_reader::walk(run_by reader) {
    step done = held_ == nullptr ? step::next : give_held(reader);
    while (done == step::next)
        done = walk_frame(reader);
    return status_after(done);
}

frame_reader::step encrypted_reader::walk_frame(run_by reader) {
    if (large_ != nullptr) {
        if (!cipher_.open_ahead({large_->data(), large_->size()}, large_filled_))
            return step::malformed;
        if (large_filled_ < large_->size())
            return step::incomplete;
    } else if (begin_ == filled_) {
        return step::incomplete;
    }
    if (large_ != nullptr)
        return is_full(reader) ? step::paused : finish_large();
    const zmtp::byte_view pending{received_->data() + begin_, filled_ - begin_};
    const frame_header header = parse_frame_header(pending.data(), pending.size());
    if (header.status == header_status::incomplete)
        return step::incomplete;
    // The flags of a frame are sealed with it. Outside there are none, or COMMAND as RFC 26 has it, or, from
    // some peers, MORE once again: they mean nothing there.
    if (header.status == header_status::error || header.body_size < cipher_.least_sealed())
        return step::malformed;
    if (rules_.refuses(header.body_size - cipher_.least_sealed()))
        return step::oversize;
    if (header.body_size > largest_small)
        return is_full(reader) ? step::paused : begin_large(header);
    if (pending.size() - header.header_size < header.body_size)
        return step::incomplete;
    const auto body_size = static_cast<std::size_t>(header.body_size);
    full_ = is_full(reader);
    begin_ += header.header_size + body_size;
    return take_small(pending.subspan(header.header_size, body_size));
}

bool encrypted_reader::is_full(run_by reader) noexcept {
    return !end_.out().in_message() && end_.out().full() && pauses(end_.out(), reader);
}

frame_reader::step encrypted_reader::begin_large(const frame_header &header) {
    const auto size = static_cast<std::size_t>(header.body_size);
    large_ = buffer::allocate(size);
    if (large_ == nullptr)
        return step::no_memory;
    begin_ += header.header_size;
    large_filled_ = std::min(filled_ - begin_, size);
    std::memcpy(large_->data(), received_->data() + begin_, large_filled_);
    begin_ += large_filled_;
    return step::next;
}

frame_reader::step encrypted_reader::finish_large() {
    buffer *const body = std::exchange(large_, nullptr);
    full_ = false;
    const auto frame = cipher_.open({body->data(), body->size()}, body->data());
    const step done = frame ? take(*frame, body) : step::malformed;
    body->release();
    return done;
}

frame_reader::step encrypted_reader::take_small(zmtp::byte_view sealed) {
    std::array<std::uint8_t, largest_small> opened;
    const auto frame = cipher_.open(sealed, opened.data());
    return frame ? take(*frame, nullptr) : step::malformed;
}

frame_reader::step encrypted_reader::take(const opened_frame &frame, buffer *owner) {
    if ((frame.flags & frame_flag::command) != 0)
        return take_command(frame);
    const bool more = (frame.flags & frame_flag::more) != 0;
    if (rules_.takes_replies && !envelope_.accepts(frame.body.size(), more))
        return step::malformed;
    return write(frame, owner);
}

frame_reader::step encrypted_reader::take_command(const opened_frame &frame) {
    const auto command = zmtp::parse_command(frame.body);
    if (!command || (frame.flags & frame_flag::more) != 0)
        return step::malformed;
    switch (command->kind) {
    case zmtp::command_kind::ping: {
        const auto ping = zmtp::parse_ping(command->data);
        if (!ping)
            return step::malformed;
        pings_.on_ping(*ping);
        return step::next;
    }
    case zmtp::command_kind::subscribe:
    case zmtp::command_kind::cancel:
    case zmtp::command_kind::join:
    case zmtp::command_kind::leave:
        if (rules_.takes_subscriptions && !end_.out().in_message())
            return write(frame, nullptr);
        return step::next;
    default:
        return step::next; // PONG is traffic like any other; unknown commands are passed over
    }
}

// The queue is full: only the opened frame says whether it is a message, or a PING, which needs no room.
frame_reader::step encrypted_reader::hold(const opened_frame &frame) noexcept {
    held_ = buffer::copy_of(frame.body.data(), frame.body.size());
    held_flags_ = frame.flags;
    return held_ != nullptr ? step::paused : step::no_memory;
}

frame_reader::step encrypted_reader::give_held(run_by reader) {
    if (is_full(reader))
        return step::paused;
    full_ = false;
    buffer *const body = std::exchange(held_, nullptr);
    const step done = write({held_flags_, {body->data(), body->size()}}, nullptr);
    body->release();
    return done;
}

frame_reader::step encrypted_reader::write(const opened_frame &frame, buffer *owner) {
    if (full_) [[unlikely]]
        return hold(frame);
    if (!end_.out().write({frame.body.data(), frame.body.size(), frame.flags, owner}))
        return step::no_memory;
    if ((frame.flags & frame_flag::more) == 0)
        reader_sleeps_ |= end_.out().commit();
    return step::next;
}

void encrypted_reader::drop_buffers() noexcept {
    for (buffer **held : {&received_, &large_, &held_})
        if (*held != nullptr)
            std::exchange(*held, nullptr)->release();
    begin_ = filled_ = large_filled_ = 0;
}

void encrypted_reader::reset() noexcept {
    drop_buffers();
    early_.clear();
    envelope_.reset();
    end_.out().rollback();
}

} // namespace zlink::connections
