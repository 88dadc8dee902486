// SPDX-License-Identifier: MPL-2.0
// broadcast: one message to many ends, frame by frame.
//
// Threads: its owner's. Ownership: none. Who gets the message is said before its first frame: between clear()
// and the first write(). A large body is copied once, for all of them. An end that there is no memory for
// loses the message, the others do not.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "base/fence.hpp"
#include "pipe/pipe.hpp"

namespace zlink::patterns {

class broadcast {
  public:
    // For so many ends. Throws std::bad_alloc; add() does not.
    void reserve(std::size_t ends) { places_.resize(std::max(ends, places_.size())); }
    void clear() noexcept { count_ = 0; }
    void add(pipe_end &end) noexcept {
        assert(count_ < places_.size());
        places_[count_++] = &end;
    }

    // Returns false if there is no memory for the body; no peer gets the message then.
    [[nodiscard]] bool write(const outgoing_frame &frame) noexcept {
        if (count_ == 1 && write_to_only(*places_.front(), frame))
            return true;
        if (frame.size > large_body && frame.owner == nullptr && !frame.constant && count_ != 0)
            return write_copy(frame);
        write_to_all(frame);
        return true;
    }
    // Nothing more is written to this end.
    void lose(pipe_end &end) noexcept {
        const std::span<pipe_end *> all = targets();
        const auto left = std::remove(all.begin(), all.end(), &end);
        if (left == all.end())
            return;
        --count_;
        end.out().rollback();
    }

  private:
    static constexpr std::size_t few = 4;

    [[nodiscard]] std::span<pipe_end *> targets() noexcept { return {places_.data(), count_}; }
    // Writes the most frequent message: a small one for one peer.
    [[nodiscard]] static bool write_to_only(pipe_end &end, const outgoing_frame &frame) noexcept {
        if (frame.flags == 0 && end.may_write_direct() && end.write_direct(frame))
            return true;
        if (!end.out().write_plain(frame))
            return false;
        end.commit_to_one_of_many();
        return true;
    }

    // Takes the message back.
    void give_up() noexcept {
        for (pipe_end *end : targets())
            end->out().rollback();
        clear();
    }
    void write_to_all(const outgoing_frame &frame) noexcept {
        bool someone_may_sleep = false;
        for (std::size_t i = 0; i < count_;) {
            pipe_end &end = *places_[i];
            if (!end.out().write(frame)) [[unlikely]] {
                end.out().rollback();
                places_[i] = places_[--count_];
                continue;
            }
            if (!frame.more())
                someone_may_sleep |= end.out().commit_unfenced();
            ++i;
        }
        if (frame.more())
            return;
        if (count_ <= few) // the stores for more of them are waited for together
            for (pipe_end *end : targets())
                end->out().expect_more();
        if (someone_may_sleep)
            full_fence();
        for (pipe_end *end : targets())
            end->wake_committed();
    }
    bool write_copy(const outgoing_frame &frame) noexcept {
        if (count_ == 1 && !frame.more() && places_.front()->write_direct(frame))
            return true;
        buffer *copy = buffer::copy_of(frame.data, frame.size);
        if (copy == nullptr) {
            give_up();
            return false;
        }
        write_to_all({copy->data(), frame.size, frame.flags, copy});
        copy->release();
        return true;
    }

    std::vector<pipe_end *> places_;
    std::size_t count_ = 0; // of these: who gets the message
};

} // namespace zlink::patterns
