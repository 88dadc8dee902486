// SPDX-License-Identifier: MPL-2.0
// message_writer: the message that is being sent, frame by frame, to one end or to nobody.
//
// Threads: its owner's. Ownership: none. A message whose end is lost vanishes: its other frames are taken and
// dropped. ENOMEM gives the whole message up: the next frame begins another one.
#pragma once

#include <cerrno>

#include "pipe/pipe.hpp"

namespace zlink::patterns {

// Is there room for a message? Returns false if there is none yet; the end then gets a writable event later.
[[nodiscard, gnu::noinline]] inline bool await_room(pipe_end &end) noexcept {
    do
        if (end.out().prepare_wait_room())
            return false;
    while (end.out().full());
    return true;
}
[[nodiscard, gnu::always_inline]] inline bool has_room(pipe_end &end) noexcept {
    return !end.out().full() || await_room(end);
}

class message_writer {
  public:
    // Some frames were sent and the last one was not.
    [[nodiscard]] bool open() const noexcept { return open_; }

    // Sets the end of the next message; null: it goes to no peer. Before its first frame.
    void aim(pipe_end *end) noexcept { end_ = end; }
    [[nodiscard]] pipe_end *target() const noexcept { return end_; }
    [[nodiscard, gnu::always_inline]] int write(const outgoing_frame &frame) noexcept {
        pipe_end *const end = end_;
        if (end != nullptr && !end->may_write_direct() && end->out().write_plain(frame)) [[likely]] {
            open_ = false;
            end->commit();
            return 0;
        }
        return write_other(frame);
    }
    // A delimiter, and the frame behind it.
    [[nodiscard]] int write_delimited(const outgoing_frame &frame) noexcept {
        pipe_end *const end = end_;
        if (end != nullptr && !end->may_write_direct() && end->out().write_delimited(frame)) [[likely]] {
            end->commit();
            return 0;
        }
        const int code = write_other({frame.data, 0, frame_flag::more, nullptr});
        return code == 0 ? write(frame) : code;
    }
    // Nothing more is written to this end.
    void lose(pipe_end &end) noexcept {
        if (end_ != &end)
            return;
        end.out().rollback();
        end_ = nullptr;
    }

    // Does what lose() does; the next frame begins a message.
    void give_up(pipe_end &end) noexcept {
        if (end_ == &end)
            open_ = false;
        lose(end);
    }

  private:
    [[gnu::noinline]] int write_other(const outgoing_frame &frame) noexcept {
        open_ = frame.more();
        if (end_ == nullptr) [[unlikely]]
            return 0;
        if (!open_) [[likely]]
            return end_->send_last(frame);
        if (end_->out().write(frame)) [[likely]]
            return 0;
        end_->out().rollback();
        open_ = false;
        return ENOMEM;
    }

    pipe_end *end_ = nullptr;
    bool open_ = false;
};

} // namespace zlink::patterns
