// SPDX-License-Identifier: MPL-2.0
#include "common/settings.hpp"

#include "common/fail.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace bench {
namespace {

constexpr std::int64_t most_latency_trips = 100'000'000;

struct transport_row {
    std::string_view name;
    transport is;
};
constexpr transport_row transports[] = {{"inproc", transport::inproc}, {"tcp", transport::tcp},
                                        {"ipc", transport::ipc},       {"tls", transport::tls},
                                        {"ws", transport::ws},         {"wss", transport::wss}};

std::int64_t number(const char *what, const char *text, std::int64_t low, std::int64_t high) {
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high)
        fail("%s is '%s', not a number from %lld to %lld", what, text, static_cast<long long>(low),
             static_cast<long long>(high));
    return value;
}

// Unset and empty both mean the default.
std::int64_t from_environment(const char *name, std::int64_t missing, std::int64_t low, std::int64_t high) {
    const char *text = std::getenv(name);
    return text == nullptr || *text == '\0' ? missing : number(name, text, low, high);
}

transport transport_named(std::string_view name) {
    for (const transport_row &row : transports)
        if (row.name == name)
            return row.is;
    fail("the transport is '%s', not one of inproc, tcp, ipc, tls, ws, wss", std::string(name).c_str());
}

mechanism mechanism_in_environment() {
    const char *text = std::getenv("BENCH_MECHANISM");
    const std::string_view name = text == nullptr ? "" : text;
    if (name.empty() || name == "null")
        return mechanism::null;
    if (name == "curve")
        return mechanism::curve;
    fail("BENCH_MECHANISM is '%s', not one of null, curve", text);
}

page_offset body_offset_in_environment() {
    constexpr const char *name = "BENCH_BODY_OFFSET";
    const char *text = std::getenv(name);
    const std::string_view word = text == nullptr ? "" : text;
    if (word.empty() || word == "page")
        return 0;
    if (word == "malloc")
        return std::nullopt;
    if (word == "good")
        return page_bytes / 2;
    if (word.find_first_not_of("0123456789") != std::string_view::npos)
        fail("%s is '%s', not one of malloc, page, good and the numbers from 0 to 4095", name, text);
    return static_cast<std::size_t>(number(name, text, 0, page_bytes - 1));
}

// A count asks for the same work of each library, so that nothing is left to the clock.
void derive_counts(settings &read) {
    if (read.message_count < 0)
        return;
    const std::int64_t share = std::max<std::int64_t>(read.message_count / 10, 1);
    if (read.warmup_count < 0)
        read.warmup_count = share;
    if (read.latency_count < 0)
        read.latency_count = std::min(share, most_latency_trips);
}

void refuse_what_inproc_lacks(const settings &read) {
    if (read.over != transport::inproc)
        return;
    if (read.two_processes)
        fail("inproc does not leave its process: BENCH_TWO_PROCESSES=1 needs another transport");
    if (read.secured_by != mechanism::null)
        fail("inproc has no handshake: BENCH_MECHANISM=curve needs another transport");
}

} // namespace

settings read_settings(const char *program, int argument_count, char **arguments) {
    if (argument_count != 3)
        fail("usage: %s <label> <inproc|tcp|ipc|tls|ws|wss> <size in bytes>", program);
    constexpr std::int64_t many = INT64_C(1) << 40;
    settings read;
    read.label = arguments[0];
    read.transport_name = arguments[1];
    read.over = transport_named(read.transport_name);
    read.size_bytes = static_cast<std::size_t>(number("the size", arguments[2], 1, INT64_C(1) << 30));
    read.message_count = from_environment("BENCH_MSG_COUNT", read.message_count, 1, many);
    read.warmup_count = from_environment("BENCH_WARMUP_COUNT", read.warmup_count, 0, many);
    read.latency_count = from_environment("BENCH_LAT_COUNT", read.latency_count, 0, most_latency_trips);
    read.run_ms = from_environment("BENCH_RUN_MS", read.run_ms, 10, 3'600'000);
    read.io_threads = static_cast<int>(from_environment("BENCH_IO_THREADS", read.io_threads, 1, 1024));
    read.send_buffer_bytes = static_cast<int>(from_environment("BENCH_SNDBUF", -1, -1, INT_MAX));
    read.receive_buffer_bytes = static_cast<int>(from_environment("BENCH_RCVBUF", -1, -1, INT_MAX));
    read.high_water_mark = static_cast<int>(from_environment("BENCH_HWM", read.high_water_mark, 0, INT_MAX));
    read.secured_by = mechanism_in_environment();
    read.body_offset = body_offset_in_environment();
    read.two_processes = from_environment("BENCH_TWO_PROCESSES", 0, 0, 1) == 1;
    read.debug = from_environment("BENCH_DEBUG", 0, 0, 1) == 1;
    derive_counts(read);
    refuse_what_inproc_lacks(read);
    return read;
}

void debug(const settings &wanted, const char *format, ...) {
    if (!wanted.debug)
        return;
    std::fputs("DEBUG: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
}

} // namespace bench
