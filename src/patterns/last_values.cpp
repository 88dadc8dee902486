// SPDX-License-Identifier: MPL-2.0
#include "patterns/last_values.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::patterns {

last_values::~last_values() {
    for (list *all : {&kept_, &sending_})
        for (message &one : *all)
            clear(one);
}

void last_values::clear(message &of) noexcept {
    for (const outgoing_frame &frame : of.frames)
        frame.owner->release();
    of.frames.clear();
}

// ---- a message that is being sent

void last_values::begin(const outgoing_frame &first) noexcept {
    rollback();
    try {
        sending_.emplace_back();
        if (append(first))
            return;
    } catch (const std::bad_alloc &) {
    }
    sending_.clear();
    forget({reinterpret_cast<const char *>(first.data), first.size});
}

// A message that is too large holds its first frames. The first one names the topic to be forgotten.
void last_values::add(const outgoing_frame &frame) noexcept {
    if (sending_.empty() || !whole_)
        return;
    if (!append(frame))
        whole_ = false;
}

bool last_values::append(const outgoing_frame &frame) noexcept {
    message &to = sending_.front();
    if (most_.bytes != 0 && to.bytes + frame.size > most_.bytes)
        return false;
    try {
        to.frames.emplace_back();
    } catch (const std::bad_alloc &) {
        return false;
    }
    buffer *const body = frame.share_body();
    if (body == nullptr) {
        to.frames.pop_back();
        return false;
    }
    to.frames.back() = {body->data(), body->size(), frame.wire_flags(), body};
    to.bytes += frame.size;
    return true;
}

void last_values::commit() noexcept {
    if (sending_.empty())
        return;
    if (!whole_ || !put_in_index()) {
        forget(sending_.front().topic());
        return rollback();
    }
    message &fresh = sending_.front();
    fresh.number = ++numbers_;
    bytes_ += fresh.bytes;
    kept_.splice(kept_.end(), sending_);
    trim();
}

// The key is a view of the message: that of an older message goes with it.
bool last_values::put_in_index() noexcept {
    const auto fresh = sending_.begin();
    const auto found = by_topic_.find(fresh->topic());
    if (found == by_topic_.end()) {
        try {
            return by_topic_.emplace(fresh->topic(), fresh).second;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }
    const auto old = found->second;
    const auto next = std::next(found);
    auto node = by_topic_.extract(found);
    node.key() = fresh->topic();
    node.mapped() = fresh;
    by_topic_.insert(next, std::move(node));
    bytes_ -= old->bytes;
    clear(*old);
    kept_.erase(old);
    return true;
}

void last_values::rollback() noexcept {
    whole_ = true;
    if (sending_.empty())
        return;
    clear(sending_.front());
    sending_.clear();
}

// ---- what is kept

void last_values::set_bounds(const bounds &most) noexcept {
    most_ = most;
    trim();
}

void last_values::trim() noexcept {
    while (by_topic_.size() > most_.topics || (most_.bytes != 0 && bytes_ > most_.bytes))
        forget(kept_.front().topic());
}

void last_values::forget(std::string_view topic) noexcept {
    if (const auto found = by_topic_.find(topic); found != by_topic_.end())
        forget(found);
}

void last_values::forget(index::iterator gone) noexcept {
    const auto old = gone->second;
    by_topic_.erase(gone);
    bytes_ -= old->bytes;
    clear(*old);
    kept_.erase(old);
}

void last_values::find(std::string_view beginning, std::vector<const message *> &found) const {
    const auto before = static_cast<std::ptrdiff_t>(found.size());
    for (auto at = by_topic_.lower_bound(beginning);
         at != by_topic_.end() && at->first.starts_with(beginning); ++at)
        found.push_back(&*at->second);
    std::sort(found.begin() + before, found.end(),
              [](const message *left, const message *right) { return left->number < right->number; });
}

} // namespace zlink::patterns
