// SPDX-License-Identifier: MPL-2.0
#include "patterns/replay.hpp"

#include <new>
#include <utility>

namespace zlink::patterns {
namespace {

constexpr std::uint64_t no_message = 0;

} // namespace

// Late subscriptions are there if the option was set in the middle of a message.
void replay::begin(const outgoing_frame &first) noexcept {
    give_late(no_message);
    values_.begin(first);
}

void replay::message_sent() noexcept {
    const std::uint64_t before = values_.newest();
    values_.commit();
    give_late(values_.newest() != before ? values_.newest() : no_message);
}

void replay::message_failed() noexcept {
    values_.rollback();
    give_late(no_message);
}

void replay::give_late(std::uint64_t current) noexcept {
    for (const late &one : std::exchange(late_, {}))
        give_kept(*one.end, one.topic, one.has_current ? current : no_message);
}

std::uint64_t replay::give(pipe_end &end, std::string_view topic, bool has_current) noexcept {
    if (!host_.in_message())
        return give_kept(end, topic, no_message);
    try {
        late_.push_back({&end, std::string(topic), has_current});
    } catch (const std::bad_alloc &) {
    }
    return 0;
}

void replay::leave(const pipe_end &end) noexcept {
    std::erase_if(late_, [&](const late &one) { return one.end == &end; });
}

// Is the queue below its mark, or not far beyond? A mark in bytes is not known in messages, and counts as
// none.
bool replay::has_place(pipe_end &end) const noexcept {
    queue_writer &out = end.out();
    if (!out.full())
        return true;
    const std::uint64_t mark = out.link().byte_mark() != 0 ? 0 : out.link().most_messages();
    return out.depth() < mark + values_.topics();
}

std::uint64_t replay::give_kept(pipe_end &end, std::string_view topic, std::uint64_t but) noexcept {
    found_.clear();
    try {
        values_.find(topic, found_);
    } catch (const std::bad_alloc &) {
        return 0;
    }
    for (const last_values::message *one : found_) {
        if (one->number == but)
            continue;
        if (!has_place(end))
            host_.count_full(end);
        else if (!write(end, *one))
            break;
    }
    return found_.size();
}

// Returns false if there is no memory.
bool replay::write(pipe_end &end, const last_values::message &one) noexcept {
    for (const outgoing_frame &frame : one.frames)
        if (!end.out().write(frame)) {
            end.out().rollback();
            return false;
        }
    end.writer().commit_to_one_of_many();
    if (counters::seldom_counts *const counts = end.out().link().seldom(); counts != nullptr)
        counts->replayed.add();
    return true;
}

} // namespace zlink::patterns
