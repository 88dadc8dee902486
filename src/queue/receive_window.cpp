// SPDX-License-Identifier: MPL-2.0
#include "queue/receive_window.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace zlink {

using queue_detail::payload_ref;

namespace {
constexpr std::size_t smallest_receive = 256;
// Behind a large body: enough for the next header, little to be copied if that begins another large body.
constexpr std::size_t receive_behind_body = 512;
// A body that has begun elsewhere moves to the posted buffer if no more bytes than this are there.
constexpr std::size_t most_moved = 4096;
// A body that is larger is not expected: if it does not come, the received bytes have to be copied.
constexpr std::size_t largest_expected = 1024 * 1024;
constexpr std::size_t most_before_expected = 64;
} // namespace

// Bytes behind the pending ones, with place left for one reference.
std::size_t receive_window::free_bytes() const noexcept {
    const auto left = static_cast<std::size_t>(queue_.write_limit_ - queue_.write_);
    const std::size_t taken = pending_ + body_header_ + sizeof(payload_ref);
    return left > taken ? left - taken : 0;
}

// Makes room for one reference and `wanted` bytes behind the pending ones, if need be in a new segment to
// which those move. Not while a body is being filled.
bool receive_window::make_room(std::size_t wanted) noexcept {
    if (static_cast<std::size_t>(queue_.write_limit_ - queue_.write_) >=
        pending_ + wanted + sizeof(payload_ref)) [[likely]]
        return true;
    const std::uint8_t *old =
        queue_.write_; // stays valid: the reader leaves a segment only for something committed
    if (!queue_.grow(pending_ + wanted + sizeof(payload_ref), busy_))
        return false;
    if (pending_ != 0)
        copy_bytes(queue_.write_, old, pending_);
    return true;
}

receive_window::room receive_window::space(std::size_t frame_size) noexcept {
    close_gap();
    if (body_ != nullptr) [[unlikely]] {
        const std::size_t behind = std::min(free_bytes(), receive_behind_body);
        return {{},
                {body_bytes() + filled_, body_->size() - filled_},
                {queue_.write_ + body_header_ + pending_, behind},
                body_bytes(),
                body_header_ + posted_.envelope,
                !in_row_};
    }
    if (alike_ && expect()) [[unlikely]]
        return {{queue_.write_, last_.front},
                {expected_, last_.body},
                {queue_.write_ + last_.front, receive_behind_body},
                expected_,
                last_.front,
                true};
    const std::size_t capacity = queue_.tail_ != nullptr ? queue_.tail_->capacity : 0;
    std::size_t wanted = std::max(smallest_receive, capacity / 4);
    if (frame_size > pending_)
        wanted = std::max(wanted, frame_size - pending_);
    if (!make_room(wanted)) [[unlikely]]
        return {};
    const std::size_t offered = body_came_last_ ? std::min(free_bytes(), receive_behind_body) : free_bytes();
    offered_ = std::max(offered, frame_size > pending_ ? frame_size - pending_ : 0);
    return {{}, {}, {queue_.write_ + pending_, offered_}};
}

void receive_window::received(std::size_t bytes) noexcept {
    if (expected_ != nullptr) [[unlikely]]
        return receive_expected(bytes);
    if (bytes == 0) [[unlikely]]
        return;
    if (body_ != nullptr) [[unlikely]] {
        const std::size_t taken = std::min(bytes, body_->size() - filled_);
        filled_ += taken;
        pending_ += bytes - taken;
        if (filled_ == body_->size())
            finish_body();
    } else {
        busy_ = bytes == offered_;
        in_row_ = in_row_ && pending_ != 0;
        pending_ += bytes;
    }
}

void receive_window::enter(bool more) noexcept {
    if (more && !queue_.in_message_) [[unlikely]]
        queue_.begin_multipart();
}

void receive_window::leave(bool more) noexcept {
    if (more) [[unlikely]]
        return;
    if (queue_.in_message_) [[unlikely]]
        queue_.end_multipart();
    ++complete_;
    message_end_ = queue_.write_position();
}

void receive_window::accept_slow(std::size_t size, bool more) noexcept {
    enter(more);
    if (gap_ != 0) [[unlikely]]
        std::memmove(queue_.write_, front(), size);
    queue_.write_ += size;
    pending_ -= size;
    leave(more);
    body_came_last_ = false;
    if (!more)
        forget_shape();
}

bool receive_window::accept_messages(std::uint64_t largest) noexcept {
    if (gap_ != 0 || body_ != nullptr || expects() || queue_.in_message_) [[unlikely]]
        return false;
    const std::uint64_t under_way = queue_.written() + complete_ - queue_.consumed_seen_;
    const std::uint64_t limit = queue_.limit_.load(std::memory_order_relaxed);
    const std::uint64_t allowed = under_way < limit ? limit - under_way : 0;
    std::uint8_t *at = queue_.write_;
    std::size_t left = pending_;
    std::uint64_t count = 0;
    for (; count != allowed && left >= large_header_size; ++count) {
        const whole_frame_header header(at);
        if (header.flags() != 0 && header.flags() != frame_flag::large)
            break;
        const std::uint64_t body = header.body_size();
        if (body > largest || body > left - header.size())
            break;
        at += header.size() + body;
        left -= header.size() + body;
    }
    if (count == 0)
        return false;
    queue_.write_ = at;
    pending_ = left;
    complete_ += count;
    message_end_ = queue_.write_position();
    body_came_last_ = false;
    forget_shape();
    return true;
}

void receive_window::cut(std::size_t size) noexcept {
    gap_ += size;
    pending_ -= size;
}

// The bytes that were received after a body that is expected lie directly behind the pending ones, and move
// with them.
void receive_window::close_gap() noexcept {
    if (gap_ == 0) [[likely]]
        return;
    std::memmove(queue_.write_, front(), pending_ + behind_expected_);
    gap_ = 0;
}

bool receive_window::full() noexcept {
    const std::uint64_t limit = queue_.limit_.load(std::memory_order_relaxed);
    const std::uint64_t written = queue_.written() + complete_;
    if (written - queue_.consumed_seen_ < limit) [[likely]]
        return false;
    queue_.consumed_seen_ = queue_.credit(queue_.consumed_.load(std::memory_order_acquire), limit);
    return written - queue_.consumed_seen_ >= limit;
}

bool receive_window::begin_body(std::size_t header_size, std::size_t body_size, bool more) noexcept {
    close_gap();
    const bool as_expected = expects() && !more && body_size == last_.body && pending_ == header_size;
    if (expects() && !as_expected && !bring_back())
        return false;
    buffer *body = as_expected && expected_in_ != nullptr ? std::exchange(expected_in_, nullptr)
                                                          : buffer::allocate(body_size);
    if (body == nullptr)
        return false;
    if (!make_room(0)) { // the little that was received behind another large body may have filled the segment
        body->release();
        return false;
    }
    note_shape(header_size, body_size, more);
    body_header_ = header_size;
    body_more_ = more;
    as_expected ? adopt_expected(*body) : take_from_log(*body);
    if (filled_ == body_size)
        finish_body();
    return true;
}

// Begins the body with the bytes that stand behind its header at the front of the log.
void receive_window::take_from_log(buffer &body) noexcept {
    std::uint8_t *const front = queue_.write_ + body_header_;
    body_ = &body;
    filled_ = std::min(pending_ - body_header_, body.size());
    placing_ = fits_posted(body.size(), body_more_);
    copy_bytes(body_bytes(), front, filled_);
    pending_ -= body_header_ + filled_;
    if (filled_ == body.size())
        std::memmove(front, front + filled_, pending_);
}

// ---- expected bodies

void receive_window::note_shape(std::size_t header_size, std::size_t body_size, bool more) noexcept {
    byte_range before{nullptr, 0};
    const bool usual = body_size <= largest_expected && !more &&
                       (!queue_.in_message_ || queue_.unfinished(before)) &&
                       before.size + header_size <= most_before_expected;
    const shape seen = usual ? shape{before.size + header_size, body_size} : shape{};
    alike_ = usual && seen == last_;
    last_ = seen;
}

bool receive_window::expect() noexcept {
    if (pending_ != 0 || queue_.in_message_ || full() ||
        !make_room(last_.front + receive_behind_body + fingerprint::head))
        return false;
    if (!posted_.memory.empty()) {
        if (queue_.depth() != 0 || posted_.envelope + large_header_size != last_.front ||
            !fingerprint_.stands_in(posted_.memory, last_.body))
            return false;
        expected_ = posted_.memory.data();
        head_kept_ = queue_.write_ + last_.front + receive_behind_body;
        std::memcpy(head_kept_, expected_, fingerprint::head);
    } else if ((expected_in_ = buffer::allocate(last_.body)) != nullptr) {
        expected_ = expected_in_->data();
    }
    return expected_ != nullptr;
}

void receive_window::receive_expected(std::size_t bytes) noexcept {
    pending_ = std::min(bytes, last_.front);
    expected_filled_ = std::min(bytes - pending_, last_.body);
    behind_expected_ = bytes - pending_ - expected_filled_;
    in_row_ = false; // nothing was pending
    if (!expects())
        forget_expected();
}

void receive_window::forget_expected() noexcept {
    if (expected_in_ != nullptr)
        std::exchange(expected_in_, nullptr)->release();
    expected_ = head_kept_ = nullptr;
    expected_filled_ = behind_expected_ = 0;
}

void receive_window::adopt_expected(buffer &body) noexcept {
    body_ = &body;
    placing_ = expected_ != body.data();
    filled_ = expected_filled_;
    pending_ = behind_expected_;
    forget_expected();
}

bool receive_window::bring_back() noexcept {
    close_gap();
    const std::uint8_t *const behind = queue_.write_ + pending_;
    if (!make_room(expected_filled_ + behind_expected_))
        return false;
    std::array<std::uint8_t, fingerprint::head> head; // the bytes may come to lie where it is kept
    if (head_kept_ != nullptr)
        std::memcpy(head.data(), head_kept_, head.size());
    std::uint8_t *const to = queue_.write_ + pending_;
    std::memmove(to + expected_filled_, behind, behind_expected_);
    copy_bytes(to, expected_, expected_filled_);
    if (head_kept_ != nullptr)
        std::memcpy(expected_, head.data(), head.size());
    pending_ += expected_filled_ + behind_expected_;
    forget_expected();
    alike_ = false;
    return true;
}

// ---- posted buffers

// Another message that the caller is given first leaves its memory alone, beyond what it is given.
bool receive_window::fits_posted(std::size_t body_size, bool more) const noexcept {
    if (body_size > posted_.memory.size() || more || complete_ != 0 || queue_.depth() != 0)
        return false;
    byte_range before{nullptr, 0};
    return (!queue_.in_message_ || queue_.unfinished(before)) && before.size == posted_.envelope;
}

void receive_window::post_receive(const posted_buffer &posted) noexcept {
    if (placed_ == nullptr)
        return;
    posted_ = posted;
    placing_ = body_ != nullptr && filled_ <= most_moved && fits_posted(body_->size(), body_more_);
    if (placing_)
        copy_bytes(posted_.memory.data(), body_->data(), filled_);
}

bool receive_window::end_receive() noexcept {
    const bool begun = std::exchange(placing_, false);
    if (begun)
        copy_bytes(body_->data(), posted_.memory.data(), filled_);
    posted_ = {};
    return begun;
}

void receive_window::finish_body() noexcept {
    enter(body_more_);
    queue_.write_ += body_header_;
    const auto offset = queue_.used();
    queue_detail::payload_ref &body =
        queue_.add_payload_ref({body_bytes(), body_->size(), body_, offset, !body_more_});
    leave(body_more_);
    if (std::exchange(placing_, false)) {
        fingerprint_.take(posted_.memory.first(body_->size()));
        posted_ = {};
        *placed_ = {&body, queue_.written() + complete_};
    }
    body_ = nullptr;
    body_header_ = 0;
    body_came_last_ = true;
    in_row_ = pending_ != 0;
}

// Messages to be committed.
std::uint64_t receive_window::take_complete() noexcept {
    return std::exchange(complete_, 0);
}

bool receive_window::commit() noexcept {
    const std::uint64_t messages = take_complete();
    return messages != 0 && queue_.commit_until(message_end_, messages);
}

bool receive_window::commit_to_self() noexcept {
    const std::uint64_t messages = take_complete();
    if (messages == 0) [[unlikely]]
        return false;
    (void)queue_.commit_unfenced_until(message_end_, messages);
    return queue_.reader_sleeps() && queue_.take_sleeping_reader();
}

void receive_window::reset() noexcept {
    drop_body();
    forget_expected();
    forget_shape();
    pending_ = gap_ = 0;
    queue_.rollback();
}

void receive_window::drop_body() noexcept {
    if (body_ != nullptr)
        body_->release();
    body_ = nullptr;
    placing_ = false;
    body_header_ = 0;
}

} // namespace zlink
