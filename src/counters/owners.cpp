// SPDX-License-Identifier: MPL-2.0
#include "counters/owners.hpp"

#include <utility>

#include "base/probe.hpp"

namespace zlink::counters {
namespace {

void add_totals(totals &to, const totals &from) noexcept {
    to.sent_messages.add(from.sent_messages.get());
    to.sent_bytes.add(from.sent_bytes.get());
    to.received_messages.add(from.received_messages.get());
    to.received_bytes.add(from.received_bytes.get());
    for (std::size_t why = 0; why < drop_reasons; ++why)
        to.dropped[why].add(from.dropped[why].get());
    to.replayed.add(from.replayed.get());
}

void add_replaced(totals &to, const queue_counts &in) noexcept {
    to.drops(drop_reason::replaced).add(in.replaced_by_others());
    to.drops(drop_reason::conflated).add(in.read.conflated.get());
}

void clear(totals &all) noexcept {
    for (counter *one :
         {&all.sent_messages, &all.sent_bytes, &all.received_messages, &all.received_bytes, &all.replayed})
        one->set(0);
    for (counter &one : all.dropped)
        one.set(0);
}

void add_written(totals &to, const queue_counts &out) noexcept {
    const written_counts &written = out.written;
    to.sent_messages.add(written.messages.get() - written.commands.get() + written.direct_messages.get());
    to.sent_bytes.add(written.position.get() + written.outside_bytes.get() + written.direct_bytes.get());
    to.drops(drop_reason::mark_reached).add(written.dropped_mark.get());
    add_replaced(to, out);
}

void add_seldom(totals &to, const seldom_counts &out) noexcept {
    to.drops(drop_reason::byte_mark_reached).add(out.dropped_byte_mark.get());
    to.replayed.add(out.replayed.get());
}

void add_read(totals &to, const queue_counts &in) noexcept {
    const read_counts &read = in.read;
    to.received_messages.add(read.messages.get() - read.commands.get() - read.skipped.get() -
                             read.filtered.get());
    to.received_bytes.add(in.written.position.get() + in.written.outside_bytes.get());
    to.drops(drop_reason::filtered).add(read.filtered.get());
}

} // namespace

// ---- sockets

socket_counts::socket_counts(std::shared_ptr<context_counts> owner, int type)
    : owner_(std::move(owner)), record_(owner_->memory()) {
    record_->type.set(static_cast<std::uint64_t>(type));
}

socket_counts::~socket_counts() {
    memory()->change([this] {
        add_totals(owner_->record().gone, record_->gone);
        clear(record_->gone);
    });
}

void socket_counts::tell_of_drop(drop_reason why, std::uint64_t messages) const noexcept {
    ZLINK_PROBE(drop, record_->id.get(), static_cast<int>(why), messages);
}

// ---- pipes

pipe_counts::pipe_counts(std::shared_ptr<socket_counts> first, std::shared_ptr<socket_counts> second,
                         std::uint64_t flags)
    : first_{std::move(first)}, second_{std::move(second)},
      record_((first_.socket ? first_ : second_).socket->memory()) {
    record_->flags.set(flags);
    if (first_.socket)
        record_->first_socket.set(first_.socket->record().id.get());
    if (second_.socket)
        record_->second_socket.set(second_.socket->record().id.get());
}

pipe_counts::~pipe_counts() {
    record_.memory()->change([&] {
        conclude(pipe_side::first, drop_reason::linger_expired);
        conclude(pipe_side::second, drop_reason::linger_expired);
    });
}

void pipe_counts::join(std::shared_ptr<socket_counts> second) noexcept {
    record_.memory()->change([&] { // the first side may be settled at this moment
        record_->second_socket.set(second->record().id.get());
        second_.socket = std::move(second);
    });
}

void pipe_counts::name_peer(pipe_side of, std::string_view routing_id) noexcept {
    record_.write(of == pipe_side::first ? record_->second_identity : record_->first_identity, routing_id);
}

void pipe_counts::describe(std::string_view address, std::string_view mechanism) noexcept {
    record_.write(record_->address, address);
    record_.write(record_->mechanism, mechanism);
}

void pipe_counts::set_flag(std::uint64_t flag, bool on) noexcept {
    const std::uint64_t others = record_->flags.get() & ~flag;
    record_->flags.set(on ? others | flag : others);
}

// The two sides may have different threads: they meet in change().
void pipe_counts::settle(pipe_side of, drop_reason why) noexcept {
    record_.memory()->change([&] { is_read_still(of) ? note_left(of) : conclude(of, why); });
}

void pipe_counts::leave(pipe_side of) noexcept {
    const queue_counts &out = of == pipe_side::first ? record_->forth : record_->back;
    record_.memory()->change([&] {
        const bool all_read = (record_->flags.get() & pipe_flag::inproc) != 0 && out.queued() == 0;
        all_read ? conclude(of, drop_reason::linger_expired) : note_left(of);
    });
}

void pipe_counts::note_left(pipe_side of) noexcept {
    record_->left.set(record_->left.get() | (of == pipe_side::first ? 1U : 2U));
}

// The socket at the other end may have closed it, and yet receive a message of which it was told before.
bool pipe_counts::is_read_still(pipe_side written_by) noexcept {
    const bool by_first = written_by == pipe_side::first;
    const side &reader = by_first ? second_ : first_;
    const queue_counts &queue = by_first ? record_->forth : record_->back;
    return (record_->flags.get() & pipe_flag::inproc) != 0 && reader.socket && !reader.settled &&
           (record_->left.get() & (by_first ? 2U : 1U)) == 0 && queue.queued() != 0;
}

void pipe_counts::conclude(pipe_side of, drop_reason why) noexcept {
    side &concluded = at(of);
    if (!concluded.socket || concluded.settled)
        return;
    add_to_socket(of, why);
    concluded.settled = true;
}

// Messages that wait for a socket that has let go were not read. If another socket has sent them, they are
// among those that it counts.
void pipe_counts::add_to_socket(pipe_side of, drop_reason why) noexcept {
    const bool is_first = of == pipe_side::first;
    const queue_counts &out = is_first ? record_->forth : record_->back;
    const queue_counts &in = is_first ? record_->back : record_->forth;
    totals &to = at(of).socket->record().gone;
    const auto drop = [&](drop_reason reason, std::uint64_t messages) {
        to.drops(reason).add(messages);
        if (messages != 0)
            at(of).socket->tell_of_drop(reason, messages);
    };
    add_written(to, out);
    add_seldom(to, is_first ? record_->forth_seldom : record_->back_seldom);
    add_read(to, in);
    drop(why, out.queued());
    if (!(is_first ? second_ : first_).socket) {
        drop(drop_reason::unread, in.queued());
        add_replaced(to, in);
        to.drops(drop_reason::filtered).add(out.read.filtered.get());
    }
    (is_first ? record_->first_socket : record_->second_socket).set(0);
}

} // namespace zlink::counters
