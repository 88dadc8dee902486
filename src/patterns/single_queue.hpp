// SPDX-License-Identifier: MPL-2.0
// single_queue: messages of one frame from all ends in turn, for the types that know no other. A message of
// several frames, which a peer should not have sent, is dropped whole.
//
// Threads: its owner's. Ownership: holds the frame that was found and not yet taken.
#pragma once

#include "patterns/fair_queue.hpp"

namespace zlink::patterns {

class single_queue {
  public:
    explicit single_queue(pattern_host &host) noexcept : queue_(host) {}
    ~single_queue() { held_.drop(); }
    single_queue(const single_queue &) = delete;
    single_queue &operator=(const single_queue &) = delete;

    // Throws std::bad_alloc.
    void add(pipe_end &end) { queue_.add(end); }
    void remove(pipe_end &end) noexcept {
        if (from_ == &end)
            forget();
        queue_.remove(end);
    }
    // Handles the events of an end that concern reading.
    void on_events(pipe_end &end, std::uint32_t events) noexcept {
        if ((events & pipe_event::readable) != 0)
            queue_.wake(end);
        if ((events & pipe_event::peer_closed) == 0)
            return;
        if (from_ == &end)
            queue_.wake(end); // it is finished when what is held was taken
        else
            queue_.peer_closed(end);
    }

    [[nodiscard]] bool readable() { return from_ != nullptr || find(); }
    // The end that the frame came from; null: nothing to read.
    [[nodiscard]] pipe_end *read(incoming_frame &frame) {
        if (from_ == nullptr && !find())
            return nullptr;
        frame = std::exchange(held_, {});
        return std::exchange(from_, nullptr);
    }

  private:
    bool find() {
        for (std::uint64_t passed = 0; pipe_end *end = queue_.read(held_); ++passed) {
            if (!held_.more()) [[likely]] {
                from_ = end;
                return true;
            }
            held_.drop();
            queue_.skip_rest();
            if (passed == most_passed_over) {
                end->remind();
                break;
            }
        }
        return false;
    }
    void forget() noexcept {
        from_ = nullptr;
        held_.drop();
        held_ = {};
    }

    fair_queue queue_;
    pipe_end *from_ = nullptr; // of held_; null: nothing is held
    incoming_frame held_;
};

} // namespace zlink::patterns
