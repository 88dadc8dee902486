// SPDX-License-Identifier: MPL-2.0
#include "counters/layout.hpp"

#include <algorithm>

namespace zlink::counters {
namespace {

// Returns a row of the table. The name has its place in it, as the table lies in memory as others read it.
constexpr field_row row(record_kind kind, std::string_view name, field_type type, std::string_view unit,
                        std::size_t offset, std::size_t size) {
    field_row made{};
    std::copy(name.begin(), name.end(), made.name);
    std::copy(unit.begin(), unit.end(), made.unit);
    made.kind = static_cast<std::uint16_t>(kind);
    made.type = static_cast<std::uint16_t>(type);
    made.offset = static_cast<std::uint16_t>(offset);
    made.size = static_cast<std::uint16_t>(size);
    return made;
}

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Winvalid-offsetof" // single inheritance: the compilers agree on the places
#endif
#define ZLINK_FIELD(record, name, type, unit, member)                                                        \
    row(record::own_kind, name, field_type::type, unit, offsetof(record, member), sizeof(record::member))

constexpr field_row rows[] = {
    ZLINK_FIELD(context_record, "id", number, "1", id),
    ZLINK_FIELD(context_record, "since", number, "ns", since_ns),
    ZLINK_FIELD(io_thread_record, "id", number, "1", id),
    ZLINK_FIELD(io_thread_record, "since", number, "ns", since_ns),
    ZLINK_FIELD(socket_record, "id", number, "1", id),
    ZLINK_FIELD(socket_record, "since", number, "ns", since_ns),
    ZLINK_FIELD(pipe_record, "id", number, "1", id),
    ZLINK_FIELD(pipe_record, "since", number, "ns", since_ns),
    ZLINK_FIELD(context_record, "gone.sent.messages", count, "{message}", gone.sent_messages),
    ZLINK_FIELD(context_record, "gone.sent.bytes", count, "By", gone.sent_bytes),
    ZLINK_FIELD(context_record, "gone.received.messages", count, "{message}", gone.received_messages),
    ZLINK_FIELD(context_record, "gone.received.bytes", count, "By", gone.received_bytes),
    ZLINK_FIELD(context_record, "gone.dropped.mark_reached", count, "{message}", gone.dropped[0]),
    ZLINK_FIELD(context_record, "gone.dropped.no_subscriber", count, "{message}", gone.dropped[1]),
    ZLINK_FIELD(context_record, "gone.dropped.unroutable", count, "{message}", gone.dropped[2]),
    ZLINK_FIELD(context_record, "gone.dropped.replaced", count, "{message}", gone.dropped[3]),
    ZLINK_FIELD(context_record, "gone.dropped.linger_expired", count, "{message}", gone.dropped[4]),
    ZLINK_FIELD(context_record, "gone.dropped.connection_lost", count, "{message}", gone.dropped[5]),
    ZLINK_FIELD(context_record, "gone.dropped.policy", count, "{message}", gone.dropped[6]),
    ZLINK_FIELD(context_record, "gone.dropped.unread", count, "{message}", gone.dropped[7]),
    ZLINK_FIELD(context_record, "gone.dropped.filtered", count, "{message}", gone.dropped[8]),
    ZLINK_FIELD(context_record, "sockets", gauge, "{socket}", sockets),
    ZLINK_FIELD(context_record, "io_threads", gauge, "{thread}", io_threads),
    ZLINK_FIELD(io_thread_record, "thread_id", number, "1", thread_id),
    ZLINK_FIELD(io_thread_record, "wakeups", count, "{wakeup}", wakeups),
    ZLINK_FIELD(io_thread_record, "load", gauge, "{stream}", load),
    ZLINK_FIELD(socket_record, "type", number, "1", type),
    ZLINK_FIELD(socket_record, "closing", gauge, "1", closing),
    ZLINK_FIELD(socket_record, "subscriptions", gauge, "{topic}", subscriptions),
    ZLINK_FIELD(socket_record, "send_blocked", count, "{call}", send_blocked),
    ZLINK_FIELD(socket_record, "send_blocked.time", count, "ns", send_blocked_ns),
    ZLINK_FIELD(socket_record, "receive_empty", count, "{call}", receive_empty),
    ZLINK_FIELD(socket_record, "wakeups", count, "{wakeup}", wakeups),
    ZLINK_FIELD(socket_record, "accepted", count, "{connection}", accepted),
    ZLINK_FIELD(socket_record, "connected", count, "{connection}", connected),
    ZLINK_FIELD(socket_record, "retries", count, "{attempt}", retries),
    ZLINK_FIELD(socket_record, "handshakes", count, "{connection}", handshakes),
    ZLINK_FIELD(socket_record, "handshakes.failed", count, "{connection}", handshakes_failed),
    ZLINK_FIELD(socket_record, "handshakes.failed.protocol", count, "{connection}",
                handshakes_failed_protocol),
    ZLINK_FIELD(socket_record, "handshakes.failed.auth", count, "{connection}", handshakes_failed_auth),
    ZLINK_FIELD(socket_record, "closed.local", count, "{connection}", closed[0]),
    ZLINK_FIELD(socket_record, "closed.peer", count, "{connection}", closed[1]),
    ZLINK_FIELD(socket_record, "closed.handshake_failed", count, "{connection}", closed[2]),
    ZLINK_FIELD(socket_record, "closed.handshake_timeout", count, "{connection}", closed[3]),
    ZLINK_FIELD(socket_record, "closed.malformed", count, "{connection}", closed[4]),
    ZLINK_FIELD(socket_record, "closed.oversize", count, "{connection}", closed[5]),
    ZLINK_FIELD(socket_record, "closed.heartbeat", count, "{connection}", closed[6]),
    ZLINK_FIELD(socket_record, "closed.filtered", count, "{connection}", closed[7]),
    ZLINK_FIELD(socket_record, "closed.no_memory", count, "{connection}", closed[8]),
    ZLINK_FIELD(socket_record, "closed.accept_failed", count, "{connection}", closed[9]),
    ZLINK_FIELD(socket_record, "closed.connect_failed", count, "{connection}", closed[10]),
    ZLINK_FIELD(socket_record, "gone.sent.messages", count, "{message}", gone.sent_messages),
    ZLINK_FIELD(socket_record, "gone.sent.bytes", count, "By", gone.sent_bytes),
    ZLINK_FIELD(socket_record, "gone.received.messages", count, "{message}", gone.received_messages),
    ZLINK_FIELD(socket_record, "gone.received.bytes", count, "By", gone.received_bytes),
    ZLINK_FIELD(socket_record, "gone.dropped.mark_reached", count, "{message}", gone.dropped[0]),
    ZLINK_FIELD(socket_record, "gone.dropped.no_subscriber", count, "{message}", gone.dropped[1]),
    ZLINK_FIELD(socket_record, "gone.dropped.unroutable", count, "{message}", gone.dropped[2]),
    ZLINK_FIELD(socket_record, "gone.dropped.replaced", count, "{message}", gone.dropped[3]),
    ZLINK_FIELD(socket_record, "gone.dropped.linger_expired", count, "{message}", gone.dropped[4]),
    ZLINK_FIELD(socket_record, "gone.dropped.connection_lost", count, "{message}", gone.dropped[5]),
    ZLINK_FIELD(socket_record, "gone.dropped.policy", count, "{message}", gone.dropped[6]),
    ZLINK_FIELD(socket_record, "gone.dropped.unread", count, "{message}", gone.dropped[7]),
    ZLINK_FIELD(socket_record, "gone.dropped.filtered", count, "{message}", gone.dropped[8]),
    ZLINK_FIELD(socket_record, "endpoint", text, "1", endpoint),
    ZLINK_FIELD(pipe_record, "first_socket", number, "1", first_socket),
    ZLINK_FIELD(pipe_record, "second_socket", number, "1", second_socket),
    ZLINK_FIELD(pipe_record, "flags", number, "1", flags),
    ZLINK_FIELD(pipe_record, "forth.written.position", count, "By", forth.written.position),
    ZLINK_FIELD(pipe_record, "forth.written.messages", count, "{message}", forth.written.messages),
    ZLINK_FIELD(pipe_record, "forth.written.outside_bytes", count, "By", forth.written.outside_bytes),
    ZLINK_FIELD(pipe_record, "forth.written.commands", count, "{message}", forth.written.commands),
    ZLINK_FIELD(pipe_record, "forth.written.direct_messages", count, "{message}",
                forth.written.direct_messages),
    ZLINK_FIELD(pipe_record, "forth.written.direct_bytes", count, "By", forth.written.direct_bytes),
    ZLINK_FIELD(pipe_record, "forth.written.dropped_mark", count, "{message}", forth.written.dropped_mark),
    ZLINK_FIELD(pipe_record, "forth.written.replaced", count, "{message}", forth.written.replaced),
    ZLINK_FIELD(pipe_record, "forth.read.messages", count, "{message}", forth.read.messages),
    ZLINK_FIELD(pipe_record, "forth.read.bytes", count, "By", forth.read.bytes),
    ZLINK_FIELD(pipe_record, "forth.read.commands", count, "{message}", forth.read.commands),
    ZLINK_FIELD(pipe_record, "forth.read.skipped", count, "{message}", forth.read.skipped),
    ZLINK_FIELD(pipe_record, "forth.read.filtered", count, "{message}", forth.read.filtered),
    ZLINK_FIELD(pipe_record, "forth.highest", gauge, "{message}", forth.read.highest),
    ZLINK_FIELD(pipe_record, "forth.mark", gauge, "{message}", forth.read.mark),
    ZLINK_FIELD(pipe_record, "back.written.position", count, "By", back.written.position),
    ZLINK_FIELD(pipe_record, "back.written.messages", count, "{message}", back.written.messages),
    ZLINK_FIELD(pipe_record, "back.written.outside_bytes", count, "By", back.written.outside_bytes),
    ZLINK_FIELD(pipe_record, "back.written.commands", count, "{message}", back.written.commands),
    ZLINK_FIELD(pipe_record, "back.written.direct_messages", count, "{message}",
                back.written.direct_messages),
    ZLINK_FIELD(pipe_record, "back.written.direct_bytes", count, "By", back.written.direct_bytes),
    ZLINK_FIELD(pipe_record, "back.written.dropped_mark", count, "{message}", back.written.dropped_mark),
    ZLINK_FIELD(pipe_record, "back.written.replaced", count, "{message}", back.written.replaced),
    ZLINK_FIELD(pipe_record, "back.read.messages", count, "{message}", back.read.messages),
    ZLINK_FIELD(pipe_record, "back.read.bytes", count, "By", back.read.bytes),
    ZLINK_FIELD(pipe_record, "back.read.commands", count, "{message}", back.read.commands),
    ZLINK_FIELD(pipe_record, "back.read.skipped", count, "{message}", back.read.skipped),
    ZLINK_FIELD(pipe_record, "back.read.filtered", count, "{message}", back.read.filtered),
    ZLINK_FIELD(pipe_record, "back.highest", gauge, "{message}", back.read.highest),
    ZLINK_FIELD(pipe_record, "back.mark", gauge, "{message}", back.read.mark),
    ZLINK_FIELD(pipe_record, "address", text, "1", address),
    ZLINK_FIELD(pipe_record, "second_identity", text, "1", second_identity),
    ZLINK_FIELD(pipe_record, "first_identity", text, "1", first_identity),
    ZLINK_FIELD(pipe_record, "mechanism", text, "1", mechanism),
    ZLINK_FIELD(pipe_record, "retries", count, "{connection}", retries),
};

#undef ZLINK_FIELD

} // namespace

std::span<const field_row> fields() noexcept {
    return rows;
}

std::uint64_t queue_counts::queued() const noexcept {
    const std::uint64_t taken = read.messages.get() - read.skipped.get();
    const std::uint64_t left = written.messages.get() - written.replaced.get();
    const std::uint64_t waiting = left > taken ? left - taken : 0;
    return waiting - std::min(waiting, written.commands.get() - read.commands.get());
}

} // namespace zlink::counters
