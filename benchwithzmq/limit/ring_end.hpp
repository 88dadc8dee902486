// SPDX-License-Identifier: MPL-2.0
// A bare ring in shared memory doing inproc's work: slots of 64 KiB filled with frames (or of one large frame
// each), handed over as a whole, copied out message by message.
//
// Threads: a ring has one writing and one reading thread. A full or empty ring is waited for by yielding,
// after a short spin when the process has more than one processor. Slots lie apart from the bodies' offset in
// a page (block.hpp), so that no copy is a slow one.
#pragma once

#include "common/body.hpp"
#include "limit/frame.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

class ring {
  public:
    ring(const framer &frames, page_offset body_offset);

    // The slot to fill next; its `used` starts at 0.
    struct slot {
        block bytes;
        std::size_t used = 0;
    };

    slot &writable() {
        if (filled_.load(std::memory_order_relaxed) - emptied_seen_ == slots_.size())
            emptied_seen_ = wait_until_moved(emptied_, emptied_seen_);
        return slots_[filled_.load(std::memory_order_relaxed) % slots_.size()];
    }
    void publish() { filled_.store(filled_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

    slot &readable() {
        if (emptied_.load(std::memory_order_relaxed) == filled_seen_)
            filled_seen_ = wait_until_moved(filled_, filled_seen_);
        return slots_[emptied_.load(std::memory_order_relaxed) % slots_.size()];
    }
    void release() {
        emptied_.store(emptied_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

  private:
    static std::uint64_t wait_until_moved(const std::atomic<std::uint64_t> &counter, std::uint64_t from);

    std::vector<slot> slots_;
    alignas(64) std::atomic<std::uint64_t> filled_{0};
    std::uint64_t emptied_seen_ = 0; // the writer's copy
    alignas(64) std::atomic<std::uint64_t> emptied_{0};
    std::uint64_t filled_seen_ = 0; // the reader's copy
};

class ring_end {
  public:
    ring_end(ring &out, ring &in, const framer &frames) : out_(out), in_(in), framer_(frames) {}

    void send(const body &message) {
        if (writing_ != nullptr && writing_->used + framer_.frame_bytes() > writing_->bytes.size())
            flush();
        if (writing_ == nullptr) {
            writing_ = &out_.writable();
            writing_->used = 0;
        }
        framer_.write(writing_->bytes.data() + writing_->used, message);
        writing_->used += framer_.frame_bytes();
    }
    bool offer(const body &message) {
        send(message);
        return true;
    }
    void flush() {
        if (writing_ == nullptr)
            return;
        out_.publish();
        writing_ = nullptr;
    }
    void receive(body &message) {
        if (reading_ == nullptr) {
            reading_ = &in_.readable();
            taken_ = 0;
        }
        framer_.read(reading_->bytes.data() + taken_, message);
        taken_ += framer_.frame_bytes();
        if (taken_ < reading_->used)
            return;
        in_.release();
        reading_ = nullptr;
    }

  private:
    ring &out_;
    ring &in_;
    framer framer_;
    ring::slot *writing_ = nullptr;
    ring::slot *reading_ = nullptr;
    std::size_t taken_ = 0;
};

} // namespace bench
