// SPDX-License-Identifier: MPL-2.0
// An end that does a library's work over a stream of bytes. Small messages leave in batches of 64 KiB by one
// call, and are copied out one by one. A message that is larger goes as a whole. `Own` is the end that
// inherits this. It has send_all(), receive_some(), send_whole(), receive_whole() and pass_whole().
//
// Threads: one at a time per end.
#pragma once

#include "common/body.hpp"
#include "common/end.hpp"
#include "limit/frame.hpp"

#include <cstddef>
#include <cstring>

namespace bench {

template <class Own> class batched_end {
  public:
    batched_end(const batched_end &) = delete;
    batched_end &operator=(const batched_end &) = delete;

    void send(const body &message) {
        if (framer_.is_large()) {
            own().send_whole(message);
            return;
        }
        if (filled_ + framer_.frame_bytes() > out_.size())
            flush();
        framer_.write(out_.data() + filled_, message);
        filled_ += framer_.frame_bytes();
    }
    bool offer(const body &message) {
        send(message);
        return true;
    }
    void flush() {
        if (filled_ != 0)
            own().send_all(out_.data(), filled_);
        filled_ = 0;
    }

    void receive(body &message) {
        if (framer_.is_large()) {
            own().receive_whole(message);
            return;
        }
        if (arrived_ - taken_ < framer_.frame_bytes())
            receive_batch();
        framer_.read(in_.data() + taken_, message);
        taken_ += framer_.frame_bytes();
    }

    [[nodiscard]] bool is_large() const { return framer_.is_large(); }

  protected:
    batched_end(const framer &frames, std::size_t out_bytes, std::size_t in_bytes, page_offset offset)
        : framer_(frames), out_(out_bytes, offset), in_(in_bytes, offset) {}
    ~batched_end() = default;

    framer framer_;
    block out_;
    block in_;

  private:
    [[nodiscard]] Own &own() { return static_cast<Own &>(*this); }

    void receive_batch() {
        std::memmove(in_.data(), in_.data() + taken_, arrived_ - taken_);
        arrived_ -= taken_;
        taken_ = 0;
        while (arrived_ < framer_.frame_bytes())
            arrived_ += own().receive_some(in_.data() + arrived_, in_.size() - arrived_);
    }

    std::size_t filled_ = 0;
    std::size_t taken_ = 0;
    std::size_t arrived_ = 0;
};

template <class Own> void pass(batched_end<Own> &from, batched_end<Own> &to, const body &out, body &in) {
    if (from.is_large()) {
        static_cast<Own &>(from).pass_whole(static_cast<Own &>(to), out, in);
        return;
    }
    from.send(out);
    from.flush();
    to.receive(in);
}

// Connected from the start.
template <class Own> void first_pass(batched_end<Own> &one, batched_end<Own> &other, body &out, body &in) {
    out.stamp(kind::hello, 0);
    pass(one, other, out, in);
}

} // namespace bench
