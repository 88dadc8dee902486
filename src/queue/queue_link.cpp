// SPDX-License-Identifier: MPL-2.0
// queue_link: marks and sleep, and drops at a mark. Its functions on the way of a message are in line.
#include "queue/queue_writer.hpp"

namespace zlink {

queue_link::queue_link(counters::queue_counts &counts, int high_water_mark, keep_rule rule, bool in_halves)
    : counts_(counts), kept_(rule != keep_rule::all ? std::make_unique<kept_messages>(rule, 0) : nullptr),
      in_halves_(in_halves) {
    set_high_water_mark(high_water_mark);
}

void queue_link::set_high_water_mark(int messages) noexcept {
    const auto mark = messages > 0 ? static_cast<std::uint64_t>(messages) : 0;
    counts_.read.mark.set(mark);
    if (drops_oldest())
        kept_->set_most(mark);
    else
        most_messages_.store(mark != 0 ? mark : no_limit, std::memory_order_seq_cst);
    renew_limit();
}

void queue_link::set_byte_mark(std::uint64_t bytes) noexcept {
    if (drops_oldest())
        kept_->set_most_bytes(bytes);
    else
        byte_mark_.store(bytes, std::memory_order_seq_cst);
    renew_limit();
    if (seldom_ != nullptr)
        seldom_->byte_mark.set(bytes);
}

void queue_link::commit_kept() noexcept {
    const std::uint64_t waiting = kept_->commit();
    note_bytes(waiting, counts_.written.position.get() + counts_.written.outside_bytes.get());
    counts_.written.replaced.set(kept_->dropped());
    counts_.read.conflated.set(kept_->conflated());
}

void queue_link::note_bytes(std::uint64_t waiting, std::uint64_t until) noexcept {
    if (seldom_ == nullptr || seldom_->byte_mark.get() == 0)
        return;
    seldom_->bytes_waiting.set(waiting);
    seldom_->bytes_until.set(until);
}

// Two threads may set the two marks at once: each looks whether the other was faster.
void queue_link::renew_limit() noexcept {
    const auto due = [this] {
        return byte_mark_.load(std::memory_order_seq_cst) != 0
                   ? 0
                   : most_messages_.load(std::memory_order_seq_cst);
    };
    do
        limit_.store(due(), std::memory_order_seq_cst);
    while (limit_.load(std::memory_order_seq_cst) != due());
}

std::uint64_t queue_link::half_mark() const noexcept {
    const std::uint64_t mark = most_messages();
    return mark == no_limit ? 0 : half_of(mark);
}

bool queue_link::ends_at(std::uint64_t position, std::uint64_t messages) const noexcept {
    if (drops_oldest())
        return kept_->count(std::memory_order_seq_cst) == 0;
    return counts_.written.messages.get(std::memory_order_seq_cst) <= messages &&
           counts_.written.position.get(std::memory_order_seq_cst) == position;
}

bool queue_link::become_busy() noexcept {
    if (reader_.load(std::memory_order_relaxed) != reader_state::awake)
        return false;
    reader_.store(reader_state::busy, std::memory_order_release);
    return true;
}

bool queue_link::take_waiting_writer() noexcept {
    return writer_waiting_.load(std::memory_order_seq_cst) &&
           writer_waiting_.exchange(false, std::memory_order_seq_cst);
}

bool queue_writer::count_drop() noexcept {
    const bool for_bytes = written() - consumed_seen_ < link_.most_messages();
    if (!for_bytes)
        link_.counts().written.dropped_mark.add();
    else if (link_.seldom() != nullptr)
        link_.seldom()->dropped_byte_mark.add();
    return for_bytes;
}

} // namespace zlink
