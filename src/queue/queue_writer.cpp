// SPDX-License-Identifier: MPL-2.0
#include "queue/queue_writer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "base/brief_yield.hpp"

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment;

namespace {
constexpr int most_turns_for_reader = 4; // an I/O thread may stand between
constexpr std::size_t smallest_receive = 256;
// Behind a large body: enough for the next header, little to be copied if that begins another large body.
constexpr std::size_t receive_behind_body = 512;
} // namespace

// ---- log_writer, on the way of a frame; the rest is in log_writer.cpp

void log_writer::append_body(const std::uint8_t *data, std::size_t size) noexcept {
    expect_body(write_ + size, size);
    copy_bytes(write_, data, size);
    write_ += size;
}

void log_writer::begin_multipart() noexcept {
    in_message_ = true;
    mark_ = {tail_, write_, payload_bytes_, tail_->payload_ref_count.load(std::memory_order_relaxed)};
}

void log_writer::end_multipart() noexcept {
    in_message_ = false;
    if (tail_->first_message == segment::unsealed)
        tail_->first_message = used();
}

// ---- queue_writer

// The reader may have made room since the last look.
bool queue_writer::look_again(std::uint64_t uncommitted, std::memory_order order) noexcept {
    const std::uint64_t consumed = reader_.seen(order);
    const std::uint64_t most = link_.most_messages();
    consumed_seen_ = link_.credit(consumed, most);
    note_depth();
    if (written() + uncommitted - consumed_seen_ >= most)
        return true;
    return link_.byte_mark() != 0 && reaches_byte_mark(uncommitted, consumed);
}

// Apart: look_again() stays short. Without memory for exact counts, the segments' have to do.
[[gnu::noinline]] bool queue_writer::reaches_byte_mark(std::uint64_t uncommitted,
                                                       std::uint64_t consumed) noexcept {
    const std::uint64_t byte_mark = link_.byte_mark();
    if (bytes_ == nullptr)
        bytes_.reset(new (std::nothrow) queued_bytes);
    if (bytes_ == nullptr)
        return bytes_ahead() >= byte_mark;
    if (log_.in_message())
        return bytes_->waiting(consumed) >= byte_mark;
    const std::uint64_t until = log_.position() + log_.payload_bytes();
    bytes_->note(written() + uncommitted, until, consumed, reader_.bytes());
    const std::uint64_t waiting = bytes_->waiting(consumed);
    link_.note_bytes(waiting, until);
    return waiting >= byte_mark;
}

void queue_writer::note_depth() noexcept {
    counters::counter &highest = link_.counts().read.highest;
    if (const std::uint64_t now = depth(); now > highest.get())
        highest.set(now);
}

std::uint64_t queue_writer::known_room(std::uint64_t uncommitted) const noexcept {
    const std::uint64_t under_way = written() + uncommitted - consumed_seen_;
    const std::uint64_t limit = link_.limit();
    return under_way < limit ? limit - under_way : 0;
}

bool queue_writer::prepare_wait_room() noexcept {
    link_.announce_writer(true);
    if (look_again(0, std::memory_order_seq_cst))
        return true;
    link_.announce_writer(false);
    return false;
}

bool queue_writer::prepare_wait_drain() noexcept {
    link_.announce_writer(true);
    if (reader_.seen(std::memory_order_seq_cst) < written())
        return true;
    link_.announce_writer(false);
    return false;
}

// Once for every half of what there is room for: a reader that does not come, or is slow, is not waited for.
bool queue_writer::let_reader_make_room() noexcept {
    if (several_processors() || consumed_seen_ < next_turn_for_reader_)
        return false;
    next_turn_for_reader_ = consumed_seen_ + queue_link::half_of(link_.most_messages());
    for (int turn = 0; turn < most_turns_for_reader; ++turn) {
        std::this_thread::yield();
        if (!full())
            return true;
    }
    return false;
}

bool queue_writer::grow(std::size_t needed, bool busy) noexcept {
    if (!log_.grow(needed, busy, link_.segments()))
        return false;
    note_depth();
    note_lead();
    return true;
}

payload_ref &queue_writer::append_payload_ref(const payload_ref &body) noexcept {
    payload_ref &added = log_.append_payload_ref(body);
    link_.counts().written.outside_bytes.add(body.size);
    lead_.note_body(body.size);
    note_lead();
    return added;
}

// Appends a header, with room for so many bytes from its begin.
inline bool queue_writer::begin_frame(std::uint8_t flags, std::size_t size, std::size_t room) noexcept {
    if (room > log_.free_bytes() && !grow(room, watched_ || bytes_ahead() > log_.used()))
        return false;
    if ((flags & frame_flag::more) != 0 && !log_.in_message())
        log_.begin_multipart();
    log_.append_header(flags, size);
    return true;
}

bool queue_writer::write_slow(const outgoing_frame &frame) noexcept {
    if ((frame.flags & frame_flag::command) != 0)
        link_.counts().written.commands.add();
    if (link_.drops_oldest()) [[unlikely]] {
        link_.counts().written.outside_bytes.add(frame.size);
        return link_.kept().put(frame);
    }
    if (frame.by_reference())
        return write_by_reference(frame);
    if (!begin_frame(frame.wire_flags(), frame.size, large_header_size + frame.size))
        return false;
    log_.append_body(frame.data, frame.size);
    return true;
}

// Its header is a large one at any size: so a reader knows where to look for references.
bool queue_writer::write_by_reference(const outgoing_frame &frame) noexcept {
    buffer *owner = frame.owner;
    const std::uint8_t *data = frame.data;
    if (owner != nullptr) {
        owner->retain();
    } else if (!frame.constant) {
        owner = buffer::copy_of(frame.data, frame.size);
        if (owner == nullptr)
            return false;
        data = owner->data();
    }
    return append_outside(frame, data, owner) != nullptr;
}

bool queue_writer::write_placed(const outgoing_frame &frame, std::uint8_t *memory,
                                queue_detail::placed_payload &placed) noexcept {
    buffer *owner = buffer::allocate(frame.size);
    payload_ref *const body = owner != nullptr ? append_outside(frame, memory, owner) : nullptr;
    if (body == nullptr)
        return false;
    copy_bytes(memory, frame.data, frame.size);
    placed = {body, written() + 1};
    return true;
}

// A body that lies elsewhere, and the reference to its owner. Null: no memory, and the owner is released.
payload_ref *queue_writer::append_outside(const outgoing_frame &frame, const std::uint8_t *data,
                                          buffer *owner) noexcept {
    if (begin_frame(frame.wire_flags() | frame_flag::large, frame.size,
                    large_header_size + sizeof(payload_ref)))
        return &append_payload_ref({data, frame.size, owner, log_.used(), !frame.more()});
    if (owner != nullptr)
        owner->release();
    return nullptr;
}

void queue_writer::end_multipart() noexcept {
    if (link_.drops_oldest()) [[unlikely]] {
        link_.commit_kept();
        note_depth();
    } else {
        log_.end_multipart();
    }
}

void queue_writer::rollback() noexcept {
    if (link_.drops_oldest()) [[unlikely]]
        link_.kept().rollback();
    else
        log_.rollback();
}

void queue_writer::throttle(bool patient) noexcept {
    for (throttle_wait wait(*this, patient); wait.goes_on();)
        brief_yield();
}

// ---- receive_window

// Bytes behind the pending ones, with place left for one reference.
std::size_t receive_window::free_bytes() const noexcept {
    const std::size_t left = queue_.log().free_bytes();
    const std::size_t taken = pending_ + body_.header() + sizeof(payload_ref);
    return left > taken ? left - taken : 0;
}

// Makes room for one reference and `wanted` bytes behind the pending ones, if need be in a new segment to
// which those move. Not while a body is being filled.
bool receive_window::make_room(std::size_t wanted) noexcept {
    log_writer &log = queue_.log();
    const std::size_t needed = pending_ + wanted + sizeof(payload_ref);
    if (log.free_bytes() >= needed) [[likely]]
        return true;
    const std::uint8_t *old =
        log.free_begin(); // stays valid: the reader leaves a segment only for something committed
    if (!queue_.grow(needed, busy_))
        return false;
    if (pending_ != 0)
        copy_bytes(log.free_begin(), old, pending_);
    return true;
}

receive_window::room receive_window::space(std::size_t frame_size) noexcept {
    close_gap();
    log_writer &log = queue_.log();
    if (body_.filling()) [[unlikely]] {
        const std::size_t behind = std::min(free_bytes(), receive_behind_body);
        return {{},
                body_.rest(),
                {log.free_begin() + body_.header() + pending_, behind},
                body_.bytes(),
                body_.header() + body_.posted().envelope,
                !in_row_};
    }
    if (guess_.due() && expect()) [[unlikely]] {
        const std::size_t front_size = guess_.expected().front;
        return {{log.free_begin(), front_size},
                guess_.body(),
                {log.free_begin() + front_size, receive_behind_body},
                guess_.body().data(),
                front_size,
                true};
    }
    std::size_t wanted = std::max(smallest_receive, log.capacity() / 4);
    if (frame_size > pending_)
        wanted = std::max(wanted, frame_size - pending_);
    if (!make_room(wanted)) [[unlikely]]
        return {};
    const std::size_t offered = body_came_last_ ? std::min(free_bytes(), receive_behind_body) : free_bytes();
    offered_ = std::max(offered, frame_size > pending_ ? frame_size - pending_ : 0);
    return {{}, {}, {log.free_begin() + pending_, offered_}};
}

void receive_window::received(std::size_t bytes) noexcept {
    if (guess_.expects_body()) [[unlikely]]
        return receive_expected(bytes);
    if (bytes == 0) [[unlikely]]
        return;
    if (body_.filling()) [[unlikely]] {
        pending_ += bytes - body_.fill(bytes);
        if (body_.whole())
            finish_body();
    } else {
        busy_ = bytes == offered_;
        in_row_ = in_row_ && pending_ != 0;
        pending_ += bytes;
    }
}

void receive_window::enter(bool more) noexcept {
    if (more && !queue_.log().in_message()) [[unlikely]]
        queue_.log().begin_multipart();
}

void receive_window::leave(bool more) noexcept {
    if (more) [[unlikely]]
        return;
    if (queue_.log().in_message()) [[unlikely]]
        queue_.log().end_multipart();
    ++complete_;
    message_end_ = queue_.log().position();
}

void receive_window::accept_slow(std::size_t size, bool more) noexcept {
    enter(more);
    if (gap_ != 0) [[unlikely]]
        std::memmove(queue_.log().free_begin(), front(), size);
    queue_.log().append(size);
    pending_ -= size;
    leave(more);
    body_came_last_ = false;
    if (!more)
        guess_.forget_shape();
}

bool receive_window::accept_messages(std::uint64_t largest) noexcept {
    log_writer &log = queue_.log();
    if (gap_ != 0 || body_.filling() || expects() || log.in_message()) [[unlikely]]
        return false;
    const std::uint64_t allowed = queue_.known_room(complete_);
    const std::uint8_t *const begin = log.free_begin();
    const std::uint8_t *at = begin;
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
    log.append(static_cast<std::size_t>(at - begin));
    pending_ = left;
    complete_ += count;
    message_end_ = log.position();
    body_came_last_ = false;
    guess_.forget_shape();
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
    std::memmove(queue_.log().free_begin(), front(), pending_ + guess_.behind());
    gap_ = 0;
}

bool receive_window::full() noexcept {
    return queue_.full(complete_);
}

bool receive_window::begin_body(std::size_t header_size, std::size_t body_size, bool more) noexcept {
    close_gap();
    const bool as_expected =
        expects() && !more && body_size == guess_.expected().body && pending_ == header_size;
    if (expects() && !as_expected && !bring_back())
        return false;
    buffer *body = as_expected ? guess_.take_buffer() : nullptr;
    const bool expected_in_posted = as_expected && body == nullptr;
    if (body == nullptr)
        body = buffer::allocate(body_size);
    if (body == nullptr)
        return false;
    if (!make_room(0)) { // the little that was received behind another large body may have filled the segment
        body->release();
        return false;
    }
    guess_.note(shape_of(header_size, body_size, more));
    body_.begin(*body, header_size, more, as_expected ? expected_in_posted : fits_posted(body_size, more));
    as_expected ? adopt_expected() : take_from_log();
    if (body_.whole())
        finish_body();
    return true;
}

// Begins the body with the bytes that stand behind its header at the front of the log.
void receive_window::take_from_log() noexcept {
    std::uint8_t *const front = queue_.log().free_begin() + body_.header();
    const std::span<std::uint8_t> to = body_.rest();
    const std::size_t taken = body_.fill(pending_ - body_.header());
    copy_bytes(to.data(), front, taken);
    pending_ -= body_.header() + taken;
    if (body_.whole())
        std::memmove(front, front + taken, pending_);
}

// ---- expected bodies

receive_guess::shape receive_window::shape_of(std::size_t header_size, std::size_t body_size,
                                              bool more) const noexcept {
    byte_range before{nullptr, 0};
    const bool usual = body_size <= receive_guess::largest_body && !more &&
                       (!in_message() || queue_.log().unfinished(before)) &&
                       before.size + header_size <= receive_guess::most_before_body;
    return usual ? receive_guess::shape{before.size + header_size, body_size} : receive_guess::shape{};
}

bool receive_window::expect() noexcept {
    const std::size_t front_size = guess_.expected().front;
    if (pending_ != 0 || in_message() || full() ||
        !make_room(front_size + receive_behind_body + fingerprint::head))
        return false;
    const posted_buffer &posted = body_.posted();
    if (posted.memory.empty())
        return guess_.expect_in_buffer();
    return queue_.depth() == 0 && posted.envelope + large_header_size == front_size &&
           guess_.expect_in(posted.memory, queue_.log().free_begin() + front_size + receive_behind_body);
}

void receive_window::receive_expected(std::size_t bytes) noexcept {
    pending_ = guess_.receive(bytes);
    in_row_ = false; // nothing was pending
}

void receive_window::adopt_expected() noexcept {
    (void)body_.fill(guess_.filled());
    pending_ = guess_.behind();
    guess_.forget_body();
}

bool receive_window::bring_back() noexcept {
    close_gap();
    const std::size_t size = guess_.filled() + guess_.behind();
    const std::uint8_t *const behind = queue_.log().free_begin() + pending_;
    if (!make_room(size))
        return false;
    guess_.bring_back(queue_.log().free_begin() + pending_, behind);
    pending_ += size;
    return true;
}

// ---- posted buffers

// Another message that the caller is given first leaves its memory alone, beyond what it is given.
bool receive_window::fits_posted(std::size_t body_size, bool more) const noexcept {
    const posted_buffer &posted = body_.posted();
    if (body_size > posted.memory.size() || more || complete_ != 0 || queue_.depth() != 0)
        return false;
    byte_range before{nullptr, 0};
    return (!in_message() || queue_.log().unfinished(before)) && before.size == posted.envelope;
}

void receive_window::post_receive(const posted_buffer &posted) noexcept {
    if (!body_.takes_posted())
        return;
    body_.post(posted);
    if (body_.may_move() && fits_posted(body_.size(), body_.more()))
        body_.move_to_posted();
}

bool receive_window::end_receive() noexcept {
    return body_.end_post();
}

void receive_window::finish_body() noexcept {
    const bool more = body_.more();
    enter(more);
    queue_.log().append(body_.header());
    payload_ref &body = queue_.append_payload_ref(body_.entry(queue_.log().used()));
    leave(more);
    if (const std::span placed = body_.enter_queue(body, queue_.written() + complete_); !placed.empty())
        guess_.note_placed(placed);
    body_came_last_ = true;
    in_row_ = pending_ != 0;
}

// Messages to be committed.
std::uint64_t receive_window::take_complete() noexcept {
    return std::exchange(complete_, 0);
}

bool receive_window::commit() noexcept {
    const std::uint64_t messages = take_complete();
    return messages != 0 && queue_.link().commit_until(message_end_, messages);
}

bool receive_window::commit_to_self() noexcept {
    const std::uint64_t messages = take_complete();
    if (messages == 0) [[unlikely]]
        return false;
    (void)queue_.link().commit_unfenced_until(message_end_, messages);
    return queue_.link().reader_sleeps() && queue_.link().take_sleeping_reader();
}

void receive_window::reset() noexcept {
    body_.drop();
    guess_.forget_body();
    guess_.forget_shape();
    pending_ = gap_ = 0;
    queue_.rollback();
}

} // namespace zlink
