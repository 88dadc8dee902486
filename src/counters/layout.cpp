// SPDX-License-Identifier: MPL-2.0
#include "counters/layout.hpp"

#include <algorithm>
#include <ctime>

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

#define ZLINK_HEADER(record)                                                                                 \
    ZLINK_FIELD(record, "id", number, "1", id), ZLINK_FIELD(record, "since", number, "ns", since_ns)
#define ZLINK_DROPS(record, why)                                                                             \
    ZLINK_FIELD(record, "gone.dropped." #why, count, "{message}",                                            \
                gone.dropped[static_cast<std::size_t>(drop_reason::why)])
#define ZLINK_SUMS(record)                                                                                   \
    ZLINK_FIELD(record, "gone.sent.messages", count, "{message}", gone.sent_messages),                       \
        ZLINK_FIELD(record, "gone.sent.bytes", count, "By", gone.sent_bytes),                                \
        ZLINK_FIELD(record, "gone.received.messages", count, "{message}", gone.received_messages),           \
        ZLINK_FIELD(record, "gone.received.bytes", count, "By", gone.received_bytes),                        \
        ZLINK_DROPS(record, mark_reached), ZLINK_DROPS(record, no_subscriber),                               \
        ZLINK_DROPS(record, unroutable), ZLINK_DROPS(record, replaced), ZLINK_DROPS(record, linger_expired), \
        ZLINK_DROPS(record, connection_lost), ZLINK_DROPS(record, policy), ZLINK_DROPS(record, unread),      \
        ZLINK_DROPS(record, filtered), ZLINK_DROPS(record, conflated),                                       \
        ZLINK_DROPS(record, byte_mark_reached),                                                              \
        ZLINK_FIELD(record, "gone.replayed.messages", count, "{message}", gone.replayed)
#define ZLINK_QUEUE(queue, name)                                                                             \
    ZLINK_FIELD(pipe_record, name ".written.position", count, "By", queue.written.position),                 \
        ZLINK_FIELD(pipe_record, name ".written.messages", count, "{message}", queue.written.messages),      \
        ZLINK_FIELD(pipe_record, name ".written.outside_bytes", count, "By", queue.written.outside_bytes),   \
        ZLINK_FIELD(pipe_record, name ".written.commands", count, "{message}", queue.written.commands),      \
        ZLINK_FIELD(pipe_record, name ".written.direct_messages", count, "{message}",                        \
                    queue.written.direct_messages),                                                          \
        ZLINK_FIELD(pipe_record, name ".written.direct_bytes", count, "By", queue.written.direct_bytes),     \
        ZLINK_FIELD(pipe_record, name ".written.dropped_mark", count, "{message}",                           \
                    queue.written.dropped_mark),                                                             \
        ZLINK_FIELD(pipe_record, name ".written.replaced", count, "{message}", queue.written.replaced),      \
        ZLINK_FIELD(pipe_record, name ".read.messages", count, "{message}", queue.read.messages),            \
        ZLINK_FIELD(pipe_record, name ".read.bytes", count, "By", queue.read.bytes),                         \
        ZLINK_FIELD(pipe_record, name ".read.commands", count, "{message}", queue.read.commands),            \
        ZLINK_FIELD(pipe_record, name ".read.skipped", count, "{message}", queue.read.skipped),              \
        ZLINK_FIELD(pipe_record, name ".read.filtered", count, "{message}", queue.read.filtered),            \
        ZLINK_FIELD(pipe_record, name ".highest", gauge, "{message}", queue.read.highest),                   \
        ZLINK_FIELD(pipe_record, name ".mark", gauge, "{message}", queue.read.mark),                         \
        ZLINK_FIELD(pipe_record, name ".conflated", count, "{message}", queue.read.conflated)

#define ZLINK_SELDOM(seldom, name)                                                                           \
    ZLINK_FIELD(pipe_record, name ".bytes.mark", gauge, "By", seldom.byte_mark),                             \
        ZLINK_FIELD(pipe_record, name ".bytes.waiting", gauge, "By", seldom.bytes_waiting),                  \
        ZLINK_FIELD(pipe_record, name ".bytes.until", count, "By", seldom.bytes_until),                      \
        ZLINK_FIELD(pipe_record, name ".written.dropped_byte_mark", count, "{message}",                      \
                    seldom.dropped_byte_mark),                                                               \
        ZLINK_FIELD(pipe_record, name ".written.replayed", count, "{message}", seldom.replayed)

constexpr field_row rows[] = {
    ZLINK_HEADER(context_record),
    ZLINK_HEADER(io_thread_record),
    ZLINK_HEADER(socket_record),
    ZLINK_HEADER(pipe_record),
    ZLINK_SUMS(context_record),
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
    ZLINK_FIELD(socket_record, "handshakes", count, "{connection}", handshakes.done),
    ZLINK_FIELD(socket_record, "handshakes.failed", count, "{connection}", handshakes.failed),
    ZLINK_FIELD(socket_record, "handshakes.failed.protocol", count, "{connection}", handshakes.protocol),
    ZLINK_FIELD(socket_record, "handshakes.failed.auth", count, "{connection}", handshakes.auth),
    ZLINK_FIELD(socket_record, "handshakes.failed.tls", count, "{connection}", handshakes.tls),
    ZLINK_FIELD(socket_record, "handshakes.failed.curve", count, "{connection}", handshakes.curve),
    ZLINK_FIELD(socket_record, "handshakes.failed.zap", count, "{connection}", handshakes.zap),
    ZLINK_FIELD(socket_record, "handshakes.failed.mechanism", count, "{connection}", handshakes.mechanism),
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
    ZLINK_FIELD(socket_record, "closed.over_limit", count, "{connection}", closed[11]),
    ZLINK_FIELD(socket_record, "heartbeats.missed", count, "{heartbeat}", heartbeats_missed),
    ZLINK_SUMS(socket_record),
    ZLINK_FIELD(socket_record, "endpoint", text, "1", endpoint),
    ZLINK_FIELD(pipe_record, "first_socket", number, "1", first_socket),
    ZLINK_FIELD(pipe_record, "second_socket", number, "1", second_socket),
    ZLINK_FIELD(pipe_record, "flags", number, "1", flags),
    ZLINK_FIELD(pipe_record, "left", gauge, "1", left),
    ZLINK_QUEUE(forth, "forth"),
    ZLINK_QUEUE(back, "back"),
    ZLINK_FIELD(pipe_record, "address", text, "1", address),
    ZLINK_FIELD(pipe_record, "second_identity", text, "1", second_identity),
    ZLINK_FIELD(pipe_record, "first_identity", text, "1", first_identity),
    ZLINK_FIELD(pipe_record, "mechanism", text, "1", mechanism),
    ZLINK_FIELD(pipe_record, "retries", count, "{connection}", retries),
    ZLINK_FIELD(pipe_record, "receive_calls", count, "{call}", receive_calls),
    ZLINK_FIELD(pipe_record, "send_calls", count, "{call}", send_calls),
    ZLINK_SELDOM(forth_seldom, "forth"),
    ZLINK_SELDOM(back_seldom, "back"),
};

#undef ZLINK_SELDOM
#undef ZLINK_QUEUE
#undef ZLINK_SUMS
#undef ZLINK_DROPS
#undef ZLINK_HEADER
#undef ZLINK_FIELD

} // namespace

std::uint64_t now_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::span<const field_row> fields() noexcept {
    return rows;
}

std::uint64_t queue_counts::replaced_by_others() const noexcept {
    const std::uint64_t conflated = read.conflated.get();
    const std::uint64_t all = written.replaced.get();
    return all - std::min(all, conflated);
}

std::uint64_t queue_counts::queued() const noexcept {
    const std::uint64_t taken = read.messages.get() - read.skipped.get();
    const std::uint64_t left = written.messages.get() - written.replaced.get();
    const std::uint64_t waiting = left > taken ? left - taken : 0;
    return waiting - std::min(waiting, written.commands.get() - read.commands.get());
}

} // namespace zlink::counters
