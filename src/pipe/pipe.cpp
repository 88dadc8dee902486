// SPDX-License-Identifier: MPL-2.0
#include "pipe/pipe.hpp"

#include <mutex>
#include <utility>

namespace zlink {

std::uint32_t pipe_end::attach(pipe_owner &owner, std::shared_ptr<mailbox> box) noexcept {
    owner_ = &owner;
    box_ = std::move(box);
    ++box_->attached;
    const std::uint32_t events = take_events() & ~pipe_event::detached;
    note(events);
    return events;
}

pipe_end::~pipe_end() {
    if (const peer_metadata *late = arriving_.load(std::memory_order_acquire))
        late->release();
}

// Keeps what events say of the other side.
void pipe_end::note(std::uint32_t events) noexcept {
    if ((events & pipe_event::peer_closed) != 0) {
        closing_.note_peer_closed();
        if (traits.in_process()) {
            peer_.ring();
            notify_peer(pipe_event::parted);
        }
    }
    if ((events & pipe_event::identified) != 0)
        if (const peer_metadata *fresh = arriving_.exchange(nullptr, std::memory_order_acq_rel))
            peer_metadata_ = metadata_ref(fresh);
}

void pipe_end::introduce_to_peer(metadata_ref connection, bool again) noexcept {
    if (const peer_metadata *old = peer_.arriving_.exchange(connection.detach(), std::memory_order_acq_rel))
        old->release();
    notify_peer(again ? pipe_event::identified | pipe_event::restarted : pipe_event::identified);
}

void pipe_end::notify_peer(std::uint32_t events) noexcept {
    if (peer_.add_events(events)) // true only while the peer is attached: its mailbox is there
        peer_.box_->ready.push(peer_);
    // The peer says some things again after a restart. They do not wait for a call, even if other events do.
    if ((events & pipe_event::restarted) != 0 && peer_.free_of(pipe_event::detached))
        peer_.box_->ask_for_turn();
}

void pipe_end::close_as(bool parts, int linger_ms) noexcept {
    if (closing_.closed())
        return;
    owner_ = nullptr;
    writer_.release_lease();
    out().rollback();
    announce_end(linger_ms);
    closing_.close(parts);
    if (traits.in_process())
        peer_.ring(); // the owner may have closed that end, and waits for this one
    else if (peer_closed() && box_ != nullptr)
        box_->ring_after_call(); // as libzmq does when its I/O thread has heard
    if (!parts && (box_ == nullptr || mark_closed()))
        let_go();
}

void pipe_end::part(int linger_ms) noexcept {
    close_as(!peer_closed() && peer_.free_of(pipe_event::detached), linger_ms);
}

void pipe_end::forget() noexcept {
    if (closing_.end_parting() && mark_closed())
        let_go();
}

void pipe_end::leave(std::uint64_t messages, int linger_ms) noexcept {
    in_.end_after(messages);
    closing_.note_peer_closed();
    writer_.release_lease();
    out().rollback();
    announce_end(linger_ms);
}

void pipe_end::announce_end(int linger_ms) noexcept {
    if (!closing_.announce())
        return;
    peer_.closing_.peer_linger_ms.store(linger_ms, std::memory_order_relaxed);
    notify_peer(pipe_event::peer_closed);
}

void queue_reader::ring_writer() noexcept {
    if (link_.most_messages() != queue_link::no_limit)
        writer_->ring();
}

// ---- the caller's memory

void pipe_end::post_receive(const posted_buffer &posted) noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (traits.in_process())
        posted_.place = posted;
    else if (slot_.io != nullptr && slot_.io->leased())
        slot_.io->post_receive(posted);
}

bool pipe_end::end_receive() noexcept {
    const std::lock_guard lock(slot_.mutex);
    posted_.place = {};
    const bool begun = slot_.io != nullptr && slot_.io->end_receive();
    return in_.end_receive(posted_.placed) || begun;
}

void pipe_end::on_ready(std::uint32_t events) {
    note(events);
    if (!closing_.closed()) {
        owner_->on_pipe_event(*this, events);
        return;
    }
    if ((events & (pipe_event::parted | pipe_event::peer_closed)) != 0 && closing_.end_parting())
        traits.in_process() ? peer_.ring() : box_->ring_after_call();
    if (!closing_.parting() && mark_closed())
        let_go();
}

void pipe_end::let_go() noexcept {
    if (box_ != nullptr)
        --box_->attached;
    const std::shared_ptr<pipe> last = std::move(pipe_); // the pipe may end here, and this end with it
}

counters::pipe_counts *pipe_end::counts() const noexcept {
    return pipe_ != nullptr ? pipe_->counts() : nullptr;
}

std::shared_ptr<pipe> pipe::create(side first, side second, std::unique_ptr<counters::pipe_counts> counts) {
    auto made = std::make_shared<pipe>(first, second, std::move(counts));
    made->first_.hold(made);
    made->second_.hold(made);
    return made;
}

pipe::pipe(side first, side second, std::unique_ptr<counters::pipe_counts> counts)
    : counts_(std::move(counts)), forth_(first.high_water_mark, first.rule, first.room_in_halves,
                                         counts_ != nullptr ? &counts_->record().forth : nullptr),
      back_(second.high_water_mark, second.rule, second.room_in_halves,
            counts_ != nullptr ? &counts_->record().back : nullptr),
      slot_(forth_.reader(), first_), first_(forth_.writer(), back_.reader(), slot_, second_, first.traits),
      second_(back_.writer(), forth_.reader(), slot_, first_, second.traits) {
    if (counts_ != nullptr) {
        forth_.writer().link().count_seldom_in(counts_->record().forth_seldom);
        back_.writer().link().count_seldom_in(counts_->record().back_seldom);
    }
    forth_.writer().link().set_byte_mark(first.byte_mark);
    back_.writer().link().set_byte_mark(second.byte_mark);
    if (first.room_in_halves)
        forth_.reader().tell_of_halves(first_);
    if (second.room_in_halves)
        back_.reader().tell_of_halves(second_);
}

} // namespace zlink
