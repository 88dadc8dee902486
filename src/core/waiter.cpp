// SPDX-License-Identifier: MPL-2.0
#include "core/waiter.hpp"

#include <array>
#include <cerrno>
#include <poll.h>

#include "base/brief_yield.hpp"

namespace zlink::core {
namespace {

// Ends with the thread, too, when that is cancelled.
struct nap {
    ~nap() {
        box.sleeping(false);
        streams.end_wait(watched);
    }
    runtime::socket_mailbox &box;
    direct_io::leased_streams &streams;
    std::span<const pollfd> watched;
};

// Sleeps on the streams that are this thread's to read, too.
runtime::park_result sleep(waits_for what, runtime::time_ms deadline, transfer_state &state,
                           direct_io::leased_streams &leased) {
    runtime::socket_mailbox &box = state.box();
    runtime::parker &self = runtime::parker::of_this_thread(); // may need memory: first of all
    constexpr std::size_t most = direct_io::leased_streams::most_watched;
    std::array<pollfd, most + 1> watched;
    const std::size_t streams = what == waits_for::message ? leased.begin_wait({watched.data(), most}) : 0;
    const nap until_woken{box, leased, {watched.data(), streams}};
    box.sleeping(true);
    if (!box.ready.empty())
        return runtime::park_result::woken;
    state.counts->record().wakeups.add();
    return streams != 0 ? self.park_with({watched.data(), streams + 1}, deadline) : self.park(deadline);
}

} // namespace

int waiter::wait(waits_for what, persistence &limits, transfer_state &state, pipe_table &pipes) {
    direct_io::leased_streams &streams = pipes.streams();
    const bool for_message = what == waits_for::message;
    streams.release_write_lease();
    if (for_message)
        streams.read();
    else
        streams.release_lease(); // what comes meanwhile is for the I/O threads to take
    if (pipes.only_inproc()) // the other thread may be ready to run and have more for us than the one message
        brief_yield();
    if (state.has_events())
        return 0;
    const auto arrived = [&state] { return state.has_events(); };
    if (for_message ? message_spin_.spin(arrived, [&streams] { streams.read(); })
                    : room_spin_.spin(arrived, [] {}))
        return 0;
    if (const int interrupted = limits.before_sleep(); interrupted != 0) [[unlikely]]
        return interrupted;
    switch (sleep(what, limits.deadline(), state, streams)) {
    case runtime::park_result::woken:
        return 0;
    case runtime::park_result::timed_out:
        return EAGAIN;
    case runtime::park_result::interrupted:
        return EINTR;
    case runtime::park_result::failed: // no descriptor for a sleep on streams
        streams.disable();
        return 0;
    }
    return 0;
}

} // namespace zlink::core
