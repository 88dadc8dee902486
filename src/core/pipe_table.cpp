// SPDX-License-Identifier: MPL-2.0
#include "core/pipe_table.hpp"

#include "core/inproc_names.hpp"
#include "runtime/tuning.hpp"

namespace zlink::core {
namespace {

// A message for more peers is written to their streams by the I/O threads.
constexpr std::size_t most_direct_subscribers = 4;

// As ZMQ_ASIO_TCP_SYNC_WRITE says.
direct_writing tcp_direct_writing_of(const socket_traits &traits) {
    const bool routes = traits.rules.contains(socket_rule::counts_as_router);
    switch (runtime::process_tuning().tcp_sync_write) {
    case runtime::sync_writing::by_io_thread:
        return direct_writing::never;
    case runtime::sync_writing::by_sender:
        return direct_writing::at_once;
    case runtime::sync_writing::by_routers:
        return routes ? direct_writing::at_once : direct_writing::unless_burst;
    case runtime::sync_writing::automatic:
        break;
    }
    return direct_writing::unless_burst;
}

} // namespace

pipe_table::pipe_table(const socket_traits &traits, direct_io::poll_groups &groups)
    : streams_(groups), tcp_direct_(tcp_direct_writing_of(traits)), traits_(traits) {}

void pipe_table::add(new_pipe fresh) {
    end_receive_from_peer();
    pipe_end &end = *fresh.end;
    end.writer().allow_direct(direct_of(end));
    const bool inproc = end.traits.in_process();
    ends_.emplace(&end, std::move(fresh));
    if (inproc) {
        ++inproc_ends_;
        end.in().enable_backoff();
    } else {
        streams_.add(end);
    }
    finished_.reserve(ends_.size());
    parting_.reserve(parting_.size() + ends_.size());
    pipes_changed();
}

new_pipe pipe_table::remove(pipe_end &end) noexcept {
    if (&end == awaiting_)
        end_receive_from_peer();
    new_pipe removed = std::move(ends_.extract(&end).mapped());
    inproc_ends_ -= end.traits.in_process() ? 1U : 0U;
    streams_.remove(end);
    pipes_changed();
    return removed;
}

void pipe_table::part(new_pipe removed, int linger_ms) {
    pipe_end &end = *removed.end;
    forget_parted();
    end.part(linger_ms);
    if (!end.gone())
        parting_.emplace_back(std::move(removed.made), &end); // there is room, see add()
}

void pipe_table::forget_all() noexcept {
    ends_.clear();
    for (const auto &[pipe, end] : parting_)
        end->forget();
}

direct_writing pipe_table::direct_of(const pipe_end &end) const noexcept {
    if (end.traits.in_process() || many_streams_)
        return direct_writing::never;
    return end.traits.over_tcp ? tcp_direct_ : direct_writing::unless_burst;
}

// A lone stream is read ahead, unless messages come from elsewhere: SUB and XSUB may hold one that was found
// by zmq_poll. A publishing thread writes to the streams itself if they are few.
void pipe_table::pipes_changed() {
    streams_.set_only_source(inproc_ends_ == 0 && traits_.rules.contains(socket_rule::holds_nothing));
    const bool many = traits_.publishes() && ends_.size() - inproc_ends_ > most_direct_subscribers;
    if (std::exchange(many_streams_, many) == many)
        return;
    for (const auto &[end, pipe] : ends_)
        end->writer().allow_direct(direct_of(*end));
}

// Over inproc libzmq adds two values of the receiver's option: the one of the time when the sockets were
// joined, and the new one. The peer's mark has no part in it. While nobody is bound to the name, the receiver
// counts as one with the default mark.
void pipe_table::set_high_water_marks(int send_hwm, int receive_hwm) noexcept {
    const auto joined_with = [](const pipe_end &receiver) {
        const int mark = receiver.joined.receive_hwm.load(std::memory_order_relaxed);
        return mark >= 0 ? mark : default_hwm;
    };
    for (const auto &[end, pipe] : ends_) {
        const bool inside = end->traits.in_process();
        end->out().link().set_high_water_mark(inside ? joined_hwm(send_hwm, joined_with(end->other()))
                                                     : send_hwm);
        end->other().out().link().set_high_water_mark(inside ? joined_hwm(joined_with(*end), receive_hwm)
                                                             : receive_hwm);
    }
}

void pipe_table::set_byte_marks(std::uint64_t sending, std::uint64_t receiving) noexcept {
    for (const auto &[end, pipe] : ends_) {
        const std::uint64_t theirs = end->other().joined.receive_bytes.load(std::memory_order_relaxed);
        const std::uint64_t ours = end->joined.receive_bytes.load(std::memory_order_relaxed);
        const bool inproc = end->traits.in_process();
        end->out().link().set_byte_mark(inproc ? joined_byte_mark(sending, theirs) : sending);
        end->other().out().link().set_byte_mark(inproc ? joined_byte_mark(ours, receiving) : receiving);
    }
}

void pipe_table::post_to_peer(const posted_buffer &place) noexcept {
    if (inproc_ends_ != 1 || ends_.size() != 1)
        return;
    awaiting_ = ends_.begin()->first;
    awaiting_->post_receive(place);
}

bool pipe_table::end_receive() noexcept {
    const bool begun = streams_.end_receive();
    end_receive_from_peer();
    return begun || placed_;
}

void pipe_table::end_receive_from_peer() noexcept {
    if (awaiting_ != nullptr && std::exchange(awaiting_, nullptr)->end_receive())
        placed_ = true;
}

} // namespace zlink::core
