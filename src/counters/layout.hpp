// SPDX-License-Identifier: MPL-2.0
// The layout of a region of counters: a head, a table of fields, and records of one size. Other programs read
// it while the owner writes, so the meaning of a field never changes within a version. docs/api/counters.md
// describes it for them.
//
// Threads: each counter has one writer at a time, and stores are plain. Anybody reads. Ownership: none.
// Units: in the table (field_row). Bytes of queues are those of the wire, headers included.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink::counters {

// A count with one writer at a time. An addition is a load, an addition and a store.
class counter {
  public:
    [[nodiscard]] std::uint64_t get(std::memory_order order = std::memory_order_relaxed) const noexcept {
        return value_.load(order);
    }
    void set(std::uint64_t value, std::memory_order order = std::memory_order_relaxed) noexcept {
        value_.store(value, order);
    }
    void add(std::uint64_t count = 1) noexcept { set(get() + count); }
    // For the few counts of events that several threads may have at once.
    void add_shared(std::uint64_t count = 1) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};
static_assert(sizeof(counter) == 8 && std::atomic<std::uint64_t>::is_always_lock_free);

enum class record_kind : std::uint32_t { none, context, io_thread, socket, pipe };

// A text of at most N bytes, in words that are stored one by one. The record's sequence says whether it is
// whole.
template <std::size_t N> struct text { std::array<std::atomic<std::uint64_t>, N / 8> words{}; };

struct record_header {
    std::atomic<std::uint32_t> kind{0};
    std::atomic<std::uint32_t> sequence{0}; // odd while the record begins, ends, or gets another text
    counter id;                             // of the object, never used again in its context
    counter since_ns;                       // CLOCK_REALTIME
};

// The counts of a queue. The first line is its writer's, the second one its reader's; `highest`,
// `mark` and `conflated` are seldom stored.
struct alignas(64) written_counts {
    counter position;        // bytes of committed frames, bodies out of line left out
    counter messages;        // committed
    counter outside_bytes;   // of bodies that do not lie in the queue's log
    counter commands;        // among the messages: subscriptions and the like
    counter direct_messages; // that went to the stream past the queue
    counter direct_bytes;
    counter dropped_mark; // before they were committed: as many messages waited as the mark says
    counter replaced;     // committed, and gave way to newer ones
};
struct alignas(64) read_counts {
    counter messages;  // consumed
    counter bytes;     // stored per segment and payload
    counter commands;  // among the consumed messages
    counter skipped;   // consumed messages that had given way to newer ones
    counter filtered;  // consumed, and not for the application; or a datagram that could not leave
    counter highest;   // messages queued; stored by the writer
    counter mark;      // the high-water mark; 0: none
    counter conflated; // of `replaced`: gave way to one of the same topic; stored by the writer
};
struct queue_counts {
    written_counts written;
    read_counts read;

    // Messages that gave way to newer ones of other topics.
    [[nodiscard]] std::uint64_t replaced_by_others() const noexcept;
    // Messages that were committed and neither read nor replaced, commands left out; a snapshot. The I/O
    // threads do not look for commands in what they send: where both wait, the commands count as the first.
    [[nodiscard]] std::uint64_t queued() const noexcept;
};

// Counts that few queues have. Stored by the writer, but for the mark.
struct seldom_counts {
    // A queue with a mark in bytes, when its writer asks for room. All are 0 without a mark.
    counter byte_mark;         // stored by any thread, seldom
    counter bytes_waiting;     // of the messages that waited then, exactly
    counter bytes_until;       // where these bytes ended: so many had been written
    counter dropped_byte_mark; // as `dropped_mark`: as many bytes waited, and fewer messages
    counter replayed;          // messages that were kept for a late subscriber (ZLINK_LAST_VALUE)
};

// Why a message that was sent will not be received.
enum class drop_reason : std::uint8_t {
    mark_reached,
    no_subscriber,
    unroutable,
    replaced,
    linger_expired,
    connection_lost,
    policy,
    unread,
    filtered,
    conflated,
    byte_mark_reached,
    count_of_reasons
};
inline constexpr std::size_t drop_reasons = static_cast<std::size_t>(drop_reason::count_of_reasons);

// The sums over what is gone: of a socket's pipes, or of a context's sockets.
struct totals {
    counter sent_messages;
    counter sent_bytes;
    counter received_messages;
    counter received_bytes;
    counter dropped[drop_reasons]{};
    counter replayed;

    [[nodiscard]] counter &drops(drop_reason why) noexcept { return dropped[static_cast<std::size_t>(why)]; }
};

inline constexpr std::size_t closings = 12; // as connections::closed_reason

struct context_record : record_header {
    static constexpr record_kind own_kind = record_kind::context;
    totals gone;
    counter sockets; // open
    counter io_threads;
};

struct io_thread_record : record_header {
    static constexpr record_kind own_kind = record_kind::io_thread;
    counter thread_id; // of the system: /proc/PID/task/ID/schedstat has the time that it was busy
    counter wakeups;
    counter load; // streams and listeners served
};

struct handshake_counts {
    counter done;
    counter failed;
    counter protocol; // of those that failed, as the events of a monitor tell; likewise the next one
    counter auth;
    counter tls; // of these two, by the part that was at fault
    counter curve;
    counter zap;
    counter mechanism;
};

struct socket_record : record_header {
    static constexpr record_kind own_kind = record_kind::socket;
    counter type;
    counter closing; // 1: zmq_close was called, and something is still to be sent
    // The socket's thread.
    counter subscriptions;
    counter send_blocked; // sends that found no room
    counter send_blocked_ns;
    counter receive_empty; // receives that found nothing
    counter wakeups;       // sleeps of its thread that ended
    // Any thread, seldom.
    counter accepted;
    counter connected;
    counter retries;
    handshake_counts handshakes;
    counter closed[closings]{};
    counter heartbeats_missed; // a PING had no answer within its time, and the connection ended
    totals gone;
    text<64> endpoint; // the newest
};

struct pipe_record : record_header {
    static constexpr record_kind own_kind = record_kind::pipe;
    counter first_socket; // the id of the socket that has the first end; 0: none, or it has let go
    counter second_socket;
    counter flags;         // of pipe_flag
    counter receive_calls; // by whoever reads the stream
    queue_counts forth;    // written by the first end
    queue_counts back;
    text<64> address;         // of the peer, or the inproc name
    text<48> second_identity; // the routing id of the first socket's peer
    text<48> first_identity;
    text<8> mechanism;
    counter left;       // 1: the first socket has let go, and what it has sent still waits; 2: the second one
    counter retries;    // connections after the first one
    counter send_calls; // by whoever writes the stream
    seldom_counts forth_seldom;
    seldom_counts back_seldom;
};

namespace pipe_flag {
inline constexpr std::uint64_t connected = 1; // there is a peer
inline constexpr std::uint64_t inproc = 2;    // the peer is a socket of the context
inline constexpr std::uint64_t outgoing = 4;  // the first socket has connected
} // namespace pipe_flag

// Two lines at a time go to a processor: the lines of a record keep their partners.
inline constexpr std::size_t record_bytes = 640;
static_assert(record_bytes % 128 == 0);
static_assert(sizeof(context_record) <= record_bytes && sizeof(io_thread_record) <= record_bytes);
static_assert(sizeof(socket_record) <= record_bytes && sizeof(pipe_record) <= record_bytes);

// ---- the table of fields

enum class field_type : std::uint16_t { count, gauge, text, number };

// A row as other programs read it.
struct field_row {
    char name[40];
    std::uint16_t kind; // record_kind
    std::uint16_t type; // field_type; all but texts are 8 bytes in the machine's order
    std::uint16_t offset;
    std::uint16_t size; // bytes
    char unit[16];      // as UCUM writes them
};
static_assert(sizeof(field_row) == 64);

[[nodiscard]] std::span<const field_row> fields() noexcept;

// ---- the head

struct head {
    static constexpr std::uint64_t right_magic = 0x31544E434B4E4C5A; // "ZLNKCNT1" in little-endian order
    static constexpr std::uint32_t right_version = 1;

    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t head_size;    // bytes before the first record
    std::uint32_t record_size;  // bytes
    std::uint32_t fields_begin; // bytes from the beginning
    std::uint32_t field_count;
    std::uint32_t pid;
    std::uint64_t started_ns; // CLOCK_REALTIME
    counter records;          // so many records may be looked at
    counter changes;          // odd while sums move from one record to another
    char program[64];
};
inline constexpr std::size_t fields_begin = 128;
static_assert(sizeof(head) <= fields_begin);

// The time of the fields `since` and `started`.
[[nodiscard]] std::uint64_t now_ns() noexcept;

} // namespace zlink::counters
