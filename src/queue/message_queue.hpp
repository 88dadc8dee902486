// SPDX-License-Identifier: MPL-2.0
// message_queue: an unbounded log of whole messages from one writer to one reader. Its bytes are ZMTP frames,
// one after the other. It has two halves, which the two threads use: queue_writer and queue_reader.
//
// Threads: one writer and one reader, which may be different threads; hand a half over with a fence. Fields
// are grouped by owner, one cache line or more each. Messages appear to the reader all at once, with
// commit(); until then rollback() takes the unfinished one back. Sleep and wake: a reader that finds nothing
// calls prepare_wait_data(); the writer's next commit() then returns true, once, and the writer must notify
// it. A writer that finds the queue full calls prepare_wait_room(); the reader finds take_writer_wakeup()
// true when there is room again. Both are store, full fence, load on both sides. They are written as seq_cst
// operations, so that the thread sanitizer sees the order (except with a busy reader, see pacing.hpp). The
// high-water mark counts messages that were committed and not consumed; 0 is none. A message of a single
// frame is committed right after its write(); rollback() is for what began with a frame that had more to
// follow. A queue with another keep_rule than `all` holds its messages in kept_messages, and its log stays
// empty. It is never full. It is read with read(), never by a write_cursor.
#pragma once

#include <memory>

#include "queue/queue_reader.hpp"
#include "queue/queue_writer.hpp"

namespace zlink {

class message_queue {
  public:
    // `in_halves`: room comes when half of the mark was consumed. `counts` outlives the queue; null: the
    // queue has counts of its own. Throws std::bad_alloc.
    explicit message_queue(int high_water_mark = 0, keep_rule rule = keep_rule::all, bool in_halves = false,
                           counters::queue_counts *counts = nullptr)
        : own_counts_(counts == nullptr ? std::make_unique<counters::queue_counts>() : nullptr),
          writer_(counts == nullptr ? *own_counts_ : *counts, high_water_mark, rule, in_halves),
          reader_(writer_.link()) {}

    [[nodiscard]] queue_writer &writer() noexcept { return writer_; }
    [[nodiscard]] queue_reader &reader() noexcept { return reader_; }

  private:
    const std::unique_ptr<counters::queue_counts> own_counts_;
    queue_writer writer_;
    queue_reader reader_;
};

} // namespace zlink
