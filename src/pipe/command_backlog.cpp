// SPDX-License-Identifier: MPL-2.0
#include "pipe/command_backlog.hpp"

#include <mutex>

namespace zlink {
namespace {

// Moves messages to another queue. One for which there is no memory is lost whole.
class mover {
  public:
    explicit mover(queue_writer &to) noexcept : to_(to) {}
    // Returns true if the reader has to be notified.
    bool move(const incoming_frame &frame) noexcept {
        if (loses_ || !to_.write({frame.data, frame.size, frame.flags, frame.owner, frame.constant})) {
            to_.rollback();
            loses_ = frame.more();
            return false;
        }
        return !frame.more() && to_.commit();
    }

  private:
    queue_writer &to_;
    bool loses_ = false; // the rest of the message
};

} // namespace

// This thread reads in place of a connection, which would do so with the mutex.
bool withdraw_commands(pipe_end &end) noexcept {
    queue_writer &out = end.out();
    if (end.traits.peer != pipe_peer::connector || out.in_message())
        return false;
    const std::unique_lock lock(end.slot().mutex, std::try_to_lock); // a connection in traffic may have it
    if (!lock || end.slot().io != nullptr)
        return false;
    message_queue kept;
    mover away(kept.writer());
    mover back(out);
    for (incoming_frame frame; end.other().in().read(frame); frame.drop())
        if (!frame.command())
            away.move(frame);
    for (incoming_frame frame; kept.reader().read(frame); frame.drop())
        if (back.move(frame))
            end.notify_peer(pipe_event::readable);
    return true;
}

bool is_behind(pipe_end &end, std::uint64_t all_bytes) noexcept {
    constexpr std::uint64_t most_told_singly = 64 * 1024;
    return end.out().bytes_ahead() > 2 * all_bytes + most_told_singly;
}

} // namespace zlink
