// SPDX-License-Identifier: MPL-2.0
#include "queue/message_list.hpp"

#include <new>
#include <utility>

namespace zlink {

void message_list::kept::clear() noexcept {
    for (incoming_frame &frame : frames)
        frame.drop();
    frames.clear();
    bytes = 0;
}

message_list::~message_list() {
    for (list *all : {&written_, &waiting_, &taken_})
        for (kept &one : *all)
            one.clear();
}

bool message_list::put(const outgoing_frame &frame) noexcept {
    try {
        if (written_.empty()) {
            if (spare_.empty())
                spare_.emplace_back();
            written_.splice(written_.begin(), spare_, spare_.begin());
        }
        written_.front().frames.emplace_back();
    } catch (const std::bad_alloc &) {
        return false;
    }
    std::vector<incoming_frame> &frames = written_.front().frames;
    buffer *const body = frame.share_body();
    if (body == nullptr) {
        frames.pop_back();
        return false;
    }
    frames.back() = {body->data(), body->size(), body, frame.wire_flags(), false, nullptr};
    written_.front().bytes += frame_header_size(frame.size) + frame.size;
    return true;
}

void message_list::rollback() noexcept {
    if (written_.empty())
        return;
    written_.front().clear();
    spare_.splice(spare_.begin(), written_);
}

// The dropped messages are released outside of the lock. Their nodes serve the next messages.
std::uint64_t message_list::commit() noexcept {
    if (written_.empty() || written_.front().frames.empty()) {
        const std::lock_guard lock(guard_);
        return bytes_;
    }
    list dropped;
    std::uint64_t waiting = 0;
    written_.front().number = ++commits_;
    {
        const std::lock_guard lock(guard_);
        make_way(dropped);
        bytes_ += written_.front().bytes;
        waiting = bytes_;
        waiting_.splice(waiting_.end(), written_);
        if (of_topics_) {
            try {
                by_topic_[waiting_.back().topic()] = std::prev(waiting_.end());
            } catch (const std::bad_alloc &) { // the topic's next message does not replace this one
            }
        }
        count_.store(count_.load(std::memory_order_relaxed) + 1 - dropped.size(), std::memory_order_seq_cst);
    }
    dropped_.store(dropped_.load(std::memory_order_relaxed) + dropped.size(), std::memory_order_relaxed);
    for (kept &gone : dropped)
        gone.clear();
    if (spare_.empty() && !dropped.empty())
        spare_.splice(spare_.begin(), dropped, dropped.begin());
    return waiting;
}

void message_list::make_way(list &dropped) {
    if (of_topics_)
        if (const auto same = by_topic_.find(written_.front().topic()); same != by_topic_.end()) {
            const auto old = same->second;
            by_topic_.erase(same);
            bytes_ -= old->bytes;
            dropped.splice(dropped.end(), waiting_, old);
            conflated_.store(conflated_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
    while (has_too_much()) {
        forget_topic(waiting_.front());
        bytes_ -= waiting_.front().bytes;
        dropped.splice(dropped.end(), waiting_, waiting_.begin());
    }
}

// Is there no place for the message that was written, beside those that wait?
bool message_list::has_too_much() const noexcept {
    const std::uint64_t most = most_.load(std::memory_order_relaxed);
    const std::uint64_t most_bytes = most_bytes_.load(std::memory_order_relaxed);
    return !waiting_.empty() && ((most != 0 && waiting_.size() >= most) ||
                                 (most_bytes != 0 && bytes_ + written_.front().bytes > most_bytes));
}

void message_list::forget_topic(const kept &gone) noexcept {
    if (!of_topics_)
        return;
    const auto found = by_topic_.find(gone.topic());
    if (found != by_topic_.end() && &*found->second == &gone)
        by_topic_.erase(found);
}

bool message_list::take(incoming_frame &frame, std::uint64_t &message) noexcept {
    if (taken_.empty()) {
        const std::lock_guard lock(guard_);
        if (waiting_.empty())
            return false;
        forget_topic(waiting_.front());
        bytes_ -= waiting_.front().bytes;
        taken_.splice(taken_.begin(), waiting_, waiting_.begin());
        next_frame_ = 0;
    }
    auto &now = taken_.front();
    message = now.number;
    frame = std::exchange(now.frames[next_frame_], {});
    if (++next_frame_ == now.frames.size()) {
        {
            const std::lock_guard lock(guard_);
            count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_seq_cst);
        }
        taken_.clear();
    }
    return true;
}

} // namespace zlink
