// SPDX-License-Identifier: MPL-2.0
#include "pipe/stream_io.hpp"

#include <mutex>
#include <utility>

#include "pipe/pipe.hpp"

namespace zlink {

// ---- the descriptor of ZMQ_FD, as messages leave

void sent_messages::ring_at_half() noexcept {
    if (written_.half_mark() != 0)
        application_.ring();
}

// The mark may have changed since the last one.
void sent_messages::pass_half() noexcept {
    const std::uint64_t sent = count();
    const std::uint64_t half = written_.half_mark();
    if (half == 0) {
        next_half_ = sent + 4096;
        return;
    }
    const std::uint64_t last = sent - sent % half;
    next_half_ = last + half;
    if (std::exchange(last_half_, last) != last)
        application_.ring();
}

void sent_messages::note_directly_sent(bool more, bool whole) noexcept {
    note_begun(more);
    if (whole)
        ++direct_;
    note_sent();
}

// ---- the stream, by the application's thread

void stream_slot::call(std::uint32_t events) noexcept {
    if (events != 0) [[unlikely]]
        application_.notify_peer(events);
}

bool stream_slot::read() noexcept {
    const std::lock_guard lock(mutex);
    if (io == nullptr || !io->leased()) [[unlikely]]
        return false;
    call(io->read_in());
    return true;
}

void stream_slot::read_in_group() noexcept {
    const std::lock_guard lock(mutex);
    if (io != nullptr)
        call(io->read_in());
}

int stream_slot::begin_wait() noexcept {
    const std::lock_guard lock(mutex);
    if (io == nullptr)
        return -1;
    std::uint32_t calls = 0;
    const int descriptor = io->begin_wait(calls);
    call(calls);
    return descriptor;
}

void stream_slot::end_wait(bool readable) noexcept {
    const std::lock_guard lock(mutex);
    if (io == nullptr)
        return;
    call(io->end_wait());
    if (readable && io->leased())
        call(io->read_in());
}

bool stream_slot::watch_in(int epoll, bool asks) noexcept {
    const std::lock_guard lock(mutex);
    if (io == nullptr)
        return false;
    std::uint32_t calls = 0;
    const bool watched = io->watch_in(epoll, asks, calls);
    call(calls);
    return watched;
}

void stream_slot::release_lease() noexcept {
    const std::lock_guard lock(mutex);
    if (io != nullptr && io->leased())
        call(io->release_lease());
}

} // namespace zlink
