// SPDX-License-Identifier: MPL-2.0
#include "connections/encrypted_writer.hpp"

#include <algorithm>
#include <new>

#include "message/frame_header.hpp"

namespace zlink::connections {
namespace {

// Sealed before anything is written.
constexpr std::size_t batch_bytes = 64 * 1024;
constexpr std::size_t buffer_bytes = 64 * 1024;
// Small batches get a small buffer.
constexpr std::size_t quiet_bytes = 4 * 1024;

} // namespace

write_status encrypted_writer::turn(transport::stream &to) {
    if (!first_.empty()) {
        const transport::io_status status = send_all(to, first_, first_sent_);
        if (status != transport::io_status::ok)
            return waiting(status);
    }
    for (std::size_t sent = 0; sent < turn_bytes;) {
        if (buffers_ == 0 && !fill(to.rules().batch_or(batch_bytes)))
            return write_status::no_memory;
        if (buffers_ == 0) {
            if (end_.prepare_wait_data())
                return write_status::idle;
            continue;
        }
        sent += sealed_ - sent_;
        const transport::io_status status = send_batch(to);
        if (status != transport::io_status::ok)
            return waiting(status);
    }
    return write_status::again;
}

// A large body is sealed from where it lies, by who sends it. Bytes that the stream does not take stay in the
// batch: the frame's number is spent. Frames of the message before it, and what is written to peers in other
// words, go by way of the queue.
direct_write_status encrypted_writer::through(transport::stream &to, byte_range begun,
                                              const outgoing_frame &frame) noexcept {
    if (holds_bytes() || !commands_.empty() || begun.size != 0 || (frame.flags & frame_flag::command) != 0 ||
        end_.in().has_message() || !seal(frame.wire_flags(), {frame.data, frame.size}))
        return direct_write_status::untouched;
    return send_batch(to) == transport::io_status::ok ? direct_write_status::done
                                                      : direct_write_status::cut_short;
}

// Seals what there is, up to about `most` bytes. Returns false if there is no memory and a frame is lost; the
// connection has to end then.
bool encrypted_writer::fill(std::size_t most) {
    if (!in_message_ && !commands_.empty() && !seal_commands())
        return false;
    incoming_frame frame;
    while (sealed_ < most && buffers_ < most_buffers && end_.read(frame)) {
        in_message_ = frame.more();
        end_.slot().sent.note_frame(frame);
        const bool sealed = seal(frame);
        frame.drop();
        if (!sealed)
            return false;
    }
    return true;
}

bool encrypted_writer::seal_commands() {
    zmtp::byte_view left = commands_;
    bool done = true;
    while (done && !left.empty()) {
        const frame_header header = parse_frame_header(left.data(), left.size()); // our own
        const auto size = static_cast<std::size_t>(header.body_size);
        done = seal(header.flags, left.subspan(header.header_size, size));
        left = left.subspan(header.header_size + size);
    }
    commands_.clear();
    return done;
}

bool encrypted_writer::seal(const incoming_frame &frame) {
    const auto taken = as_taken(frame, subscribes_by_command_);
    if (!taken)
        return true;
    if (taken->prefix.empty())
        return seal(taken->flags, taken->body);
    zmtp::byte_buffer whole(taken->prefix.begin(), taken->prefix.end());
    whole.insert(whole.end(), taken->body.begin(), taken->body.end());
    return seal(taken->flags, whole);
}

bool encrypted_writer::seal(std::uint8_t flags, zmtp::byte_view body) noexcept {
    const std::size_t size = cipher_.sealed_size(body.size());
    std::uint8_t *const out = room_for(size);
    if (out == nullptr)
        return false;
    cipher_.seal(flags, body, out);
    batch_[buffers_ - 1].filled += size;
    sealed_ += size;
    return true;
}

// Null: no memory.
std::uint8_t *encrypted_writer::room_for(std::size_t bytes) noexcept {
    if (buffers_ != 0) {
        const filled_buffer &last = batch_[buffers_ - 1];
        if (last.bytes->size() - last.filled >= bytes)
            return last.bytes->data() + last.filled;
    }
    if (buffers_ == most_buffers)
        return nullptr; // not met: fill() looks before
    const std::size_t usual = buffers_ == 0 ? quiet_bytes : buffer_bytes;
    buffer *const fresh = buffer::allocate(std::max(usual, bytes));
    if (fresh == nullptr)
        return nullptr;
    batch_[buffers_++] = {fresh, 0};
    return fresh->data();
}

transport::io_status encrypted_writer::send_batch(transport::stream &to) {
    while (sent_ < sealed_) {
        std::array<byte_range, most_buffers> pieces;
        std::size_t count = 0;
        std::size_t skipped = sent_;
        for (std::size_t index = 0; index < buffers_; ++index) {
            const filled_buffer &one = batch_[index];
            const std::size_t gone = std::min(skipped, one.filled);
            skipped -= gone;
            if (gone < one.filled)
                pieces[count++] = {one.bytes->data() + gone, one.filled - gone};
        }
        const transport::io_result put = to.send({pieces.data(), count});
        if (put.status != transport::io_status::ok)
            return put.status;
        sent_ += put.bytes;
    }
    drop_batch();
    return transport::io_status::ok;
}

void encrypted_writer::drop_batch() noexcept {
    for (std::size_t index = 0; index < buffers_; ++index)
        batch_[index].bytes->release();
    buffers_ = sealed_ = sent_ = 0;
}

void encrypted_writer::rewind() noexcept {
    drop_batch();
    incoming_frame frame;
    while (in_message_ && end_.read(frame)) {
        in_message_ = frame.more();
        frame.drop();
    }
}

} // namespace zlink::connections
