// SPDX-License-Identifier: MPL-2.0
// A multipart is a whole message of several frames, first frame first.
//
// - Ownership. It owns its frames and can be moved. Sending empties it. Receiving replaces its frames and
// keeps
//   its memory.
// - Threads. A multipart belongs to one thread at a time.
// - Errors. Adding a frame throws std::bad_alloc or zlink::error (ENOMEM).
// - Source. zmq_send(3), zmq_recv(3), section "Multi-part messages".
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "zlink/cpp/message.hpp"

namespace zlink {
inline namespace v1 {

class multipart {
  public:
    using iterator = std::vector<message>::iterator;
    using const_iterator = std::vector<message>::const_iterator;

    multipart() noexcept = default;
    // One frame for each element, copied.
    multipart(std::initializer_list<bytes_view> frames) {
        frames_.reserve(frames.size());
        for (const bytes_view &frame : frames)
            push_back(frame);
    }

    void push_back(message &&frame) { frames_.push_back(std::move(frame)); }
    void push_back(bytes_view frame) { frames_.emplace_back(frame); }
    void push_front(message &&frame) { frames_.insert(frames_.begin(), std::move(frame)); }
    void push_front(bytes_view frame) { push_front(message(frame)); }
    // Takes the first frame out. There has to be one.
    [[nodiscard]] message pop_front() {
        message first = std::move(frames_.front());
        frames_.erase(frames_.begin());
        return first;
    }
    // Takes the last frame out. There has to be one.
    [[nodiscard]] message pop_back() {
        message last = std::move(frames_.back());
        frames_.pop_back();
        return last;
    }
    void clear() noexcept { frames_.clear(); }

    [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }
    [[nodiscard]] bool empty() const noexcept { return frames_.empty(); }
    [[nodiscard]] message &operator[](std::size_t index) noexcept { return frames_[index]; }
    [[nodiscard]] const message &operator[](std::size_t index) const noexcept { return frames_[index]; }
    [[nodiscard]] message &front() noexcept { return frames_.front(); }
    [[nodiscard]] const message &front() const noexcept { return frames_.front(); }
    [[nodiscard]] message &back() noexcept { return frames_.back(); }
    [[nodiscard]] const message &back() const noexcept { return frames_.back(); }
    [[nodiscard]] iterator begin() noexcept { return frames_.begin(); }
    [[nodiscard]] iterator end() noexcept { return frames_.end(); }
    [[nodiscard]] const_iterator begin() const noexcept { return frames_.begin(); }
    [[nodiscard]] const_iterator end() const noexcept { return frames_.end(); }

    // Another message with these frames. Large frames are shared.
    [[nodiscard]] multipart clone() const {
        multipart copy;
        for (const message &frame : frames_)
            copy.push_back(frame.clone());
        return copy;
    }

    [[nodiscard]] friend bool operator==(const multipart &left, const multipart &right) noexcept {
        return left.frames_ == right.frames_;
    }

  private:
    std::vector<message> frames_;
};

} // namespace v1
} // namespace zlink
