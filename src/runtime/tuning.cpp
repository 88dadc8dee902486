// SPDX-License-Identifier: MPL-2.0
#include "runtime/tuning.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace zlink::runtime {
namespace {

using number = std::int64_t;

constexpr number kib = 1024;
constexpr number mib = 1024 * kib;
constexpr number most_int = std::numeric_limits<int>::max();
// Values of words lie outside of every range.
constexpr number as_engine = -1;
constexpr number by_routers = -2;

constexpr std::array<tuning_word, 0> no_words{};
constexpr std::array<tuning_word, 1> automatic{{{"auto", as_engine}}};
constexpr std::array<tuning_word, 2> sync_modes{{{"auto", as_engine}, {"router", by_routers}}};
constexpr std::array<tuning_word, 1> adaptive{{{"adaptive", as_engine}}};
constexpr std::array<tuning_word, 3> loop_modes{{{"run", static_cast<number>(loop_mode::run)},
                                                 {"run_for", static_cast<number>(loop_mode::run_for)},
                                                 {"poll", static_cast<number>(loop_mode::poll)}}};
constexpr std::array<tuning_word, 5> log_levels{{{"off", static_cast<number>(log_level::off)},
                                                 {"error", static_cast<number>(log_level::error)},
                                                 {"warning", static_cast<number>(log_level::warning)},
                                                 {"info", static_cast<number>(log_level::info)},
                                                 {"debug", static_cast<number>(log_level::debug)}}};
constexpr std::array<tuning_word, 2> log_formats{{{"text", 0}, {"json", 1}}};

std::optional<bool> told(number value) noexcept {
    return value == as_engine ? std::nullopt : std::optional<bool>(value != 0);
}

std::size_t bytes_or_none(number value) noexcept {
    return value == as_engine ? 0 : static_cast<std::size_t>(value);
}

sync_writing sync_writing_of(number value) noexcept {
    switch (value) {
    case 0:
        return sync_writing::by_io_thread;
    case 1:
        return sync_writing::by_sender;
    case by_routers:
        return sync_writing::by_routers;
    default:
        return sync_writing::automatic;
    }
}

constexpr std::array rows{
    tuning_row{"ZMQ_ASIO_TCP_NODELAY", "small segments leave at once (TCP_NODELAY)", no_words, 0, 1, "1", "",
               [](tuning &to, number value) { to.tcp_nodelay = value != 0; }},
    tuning_row{"ZMQ_ASIO_TCP_QUICKACK",
               "1: new connections begin by confirming at once (TCP_QUICKACK); 0: no connection ever does so",
               automatic, 0, 1, "auto", "", [](tuning &to, number value) { to.tcp_quickack = told(value); }},
    tuning_row{"ZMQ_ASIO_TCP_BUSY_POLL",
               "how long the system polls the network card before it sleeps (SO_BUSY_POLL); 0: off", no_words,
               0, 1'000'000, "0", "microseconds",
               [](tuning &to, number value) { to.tcp_busy_poll_us = static_cast<int>(value); }},
    tuning_row{"ZMQ_ASIO_TCP_SYNC_WRITE",
               "1: the sending thread tries to write at once; router: of ROUTER and DEALER only; 0: I/O "
               "threads write",
               sync_modes, 0, 1, "auto", "",
               [](tuning &to, number value) { to.tcp_sync_write = sync_writing_of(value); }},
    tuning_row{"ZMQ_IN_BATCH_SIZE", "the largest read from a connection", automatic, 1, most_int, "auto",
               "bytes", [](tuning &to, number value) { to.in_batch_bytes = bytes_or_none(value); }},
    tuning_row{"ZMQ_OUT_BATCH_SIZE", "the largest write to a connection", automatic, 1, most_int, "auto",
               "bytes", [](tuning &to, number value) { to.out_batch_bytes = bytes_or_none(value); }},
    tuning_row{"ZMQ_ASIO_MIN_OUT_BATCH", "an I/O thread waits a turn for this much before it writes; 0: off",
               no_words, 0, 16 * mib, "0", "bytes",
               [](tuning &to, number value) { to.min_out_batch_bytes = static_cast<std::size_t>(value); }},
    tuning_row{"ZMQ_ASIO_IOCTX_MODE", "how an I/O thread waits: asleep, asleep for a while, or never asleep",
               loop_modes, 0, -1, "run", "",
               [](tuning &to, number value) { to.io_loop = static_cast<loop_mode>(value); }},
    tuning_row{"ZLINK_SPIN_US", "how long a thread spins before it sleeps; 0: never", adaptive, 0, 1'000'000,
               "adaptive", "microseconds",
               [](tuning &to, number value) {
                   to.spin_us = value == as_engine
                                    ? std::nullopt
                                    : std::optional<std::uint32_t>(static_cast<std::uint32_t>(value));
               }},
    tuning_row{"ZLINK_STREAMS",
               "busy readers spare their writers fences, and have the system fence the whole process before "
               "they sleep (membarrier)",
               no_words, 0, 1, "1", "", [](tuning &to, number value) { to.streams = value != 0; }},
    tuning_row{"ZLINK_IN_TURN", "bytes received from one connection before others have their turn", no_words,
               1 * kib, 64 * mib, "262144", "bytes",
               [](tuning &to, number value) { to.in_turn_bytes = static_cast<std::size_t>(value); }},
    tuning_row{"ZLINK_IPC_BUFFER",
               "the system's send buffer of an ipc connection whose socket does not set ZMQ_SNDBUF; 0: the "
               "system's own",
               no_words, 0, 64 * mib, "1048576", "bytes",
               [](tuning &to, number value) { to.ipc_buffer_bytes = static_cast<int>(value); }},
    tuning_row{"ZLINK_TCP_WINDOW",
               "the first size of the receive window of a tcp connection whose socket does not set "
               "ZMQ_RCVBUF; 0: the system's own",
               no_words, 0, 64 * mib, "524288", "bytes",
               [](tuning &to, number value) { to.tcp_window_bytes = static_cast<int>(value); }},
    tuning_row{"ZLINK_TCP_LOOPBACK_RENO",
               "tcp connections over the loopback device use the cheapest congestion control (reno); 0: the "
               "system's own",
               no_words, 0, 1, "1", "", [](tuning &to, number value) { to.tcp_loopback_reno = value != 0; }},
    tuning_row{"ZLINK_COUNTERS",
               "other programs may read the counters of this one; 0: the counters are memory of this process",
               no_words, 0, 1, "1", "", [](tuning &to, number value) { to.counters = value != 0; }},
    tuning_row{"ZLINK_LOG", "which events of connections become lines on stderr or in ZLINK_LOG_FILE",
               log_levels, 1, 0, "off", "",
               [](tuning &to, number value) { to.log = static_cast<log_level>(value); }},
    tuning_row{"ZLINK_LOG_FORMAT", "the form of these lines", log_formats, 1, 0, "text", "",
               [](tuning &to, number value) { to.log_json = value != 0; }},
};

// A program that runs with more rights than its caller does not listen to the caller.
const char *environment(const char *name) noexcept {
    return ::secure_getenv(name);
}

void report(const tuning_row &row, const char *text) {
    std::string takes;
    for (const tuning_word &word : row.words)
        takes.append(takes.empty() ? "" : ", ").append(word.text);
    if (row.low <= row.high)
        takes += (takes.empty() ? "" : ", ") + std::to_string(row.low) + " to " + std::to_string(row.high);
    std::fprintf(stderr, "zlink: %s=%.64s: not a value that it takes (%s); ignored\n", row.name, text,
                 takes.c_str());
}

} // namespace

std::span<const tuning_row> tuning_rows() noexcept {
    return rows;
}

std::optional<std::int64_t> parse_tuning(const tuning_row &row, std::string_view text) noexcept {
    for (const tuning_word &word : row.words)
        if (word.text == text)
            return word.value;
    number value = 0;
    const char *const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stopped != end || value < row.low || value > row.high)
        return std::nullopt;
    return value;
}

tuning read_tuning(const tuning_lookup &lookup, const tuning_refused &refused) {
    tuning found;
    for (const tuning_row &row : rows) {
        const char *const text = lookup(row.name);
        if (text == nullptr || *text == '\0')
            continue;
        if (const auto value = parse_tuning(row, text))
            row.set(found, *value);
        else
            refused(row, text);
    }
    return found;
}

const tuning &process_tuning() {
    static const tuning found = read_tuning(environment, report);
    return found;
}

} // namespace zlink::runtime
