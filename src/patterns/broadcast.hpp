// SPDX-License-Identifier: MPL-2.0
// broadcast: one message to many ends, frame by frame.
//
// Threads: its owner's. Ownership: none. Who gets the message is said before its first frame: between clear()
// and the first write(). A large body is copied once, for all of them. An end that there is no memory for
// loses the message, the others do not.
#pragma once

#include <cstring>
#include <vector>

#include "base/fence.hpp"
#include "lane/pipe.hpp"

namespace zlink::patterns {

class broadcast {
  public:
    // For so many ends. Throws std::bad_alloc; add() does not.
    void reserve(std::size_t ends) { targets_.reserve(ends); }
    void clear() noexcept { targets_.clear(); }
    void add(pipe_end &end) noexcept { targets_.push_back(&end); }

    // False: no memory for the body, nobody gets the message.
    [[nodiscard]] bool write(const outgoing_frame &frame) noexcept {
        if (frame.size > large_body && frame.owner == nullptr && !frame.constant && !targets_.empty())
            return write_copy(frame);
        write_to_all(frame);
        return true;
    }
    // Nothing more is written to this end.
    void lose(pipe_end &end) noexcept {
        if (std::erase(targets_, &end) != 0)
            end.out().rollback();
    }

  private:
    static constexpr std::size_t few = 4;

    // Takes the message back.
    void give_up() noexcept {
        for (pipe_end *end : targets_)
            end->out().rollback();
        targets_.clear();
    }
    void write_to_all(const outgoing_frame &frame) noexcept {
        bool someone_may_sleep = false;
        for (std::size_t i = 0; i < targets_.size();) {
            pipe_end &end = *targets_[i];
            if (!end.out().write(frame)) [[unlikely]] {
                end.out().rollback();
                targets_[i] = targets_.back();
                targets_.pop_back();
                continue;
            }
            if (!frame.more())
                someone_may_sleep |= end.out().show();
            ++i;
        }
        if (frame.more())
            return;
        if (targets_.size() <= few) // the stores for more of them are waited for together
            for (pipe_end *end : targets_)
                end->out().expect_more();
        if (someone_may_sleep)
            full_fence();
        for (pipe_end *end : targets_)
            end->publish_shown();
    }
    bool write_copy(const outgoing_frame &frame) noexcept {
        if (targets_.size() == 1 && !frame.more() && targets_.front()->write_through(frame))
            return true;
        buffer *copy = buffer::allocate(frame.size);
        if (copy == nullptr) {
            give_up();
            return false;
        }
        std::memcpy(copy->data(), frame.data, frame.size);
        write_to_all({copy->data(), frame.size, frame.flags, copy});
        copy->release();
        return true;
    }

    std::vector<pipe_end *> targets_;
};

} // namespace zlink::patterns
