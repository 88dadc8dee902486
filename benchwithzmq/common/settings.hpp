// SPDX-License-Identifier: MPL-2.0
// What one measurement is asked to do: three arguments and the BENCH_* environment, read once at the start.
//
// Threads: immutable after read_settings(). Units are in the names; a count of -1 and a size of -1 mean "not
// set".
#pragma once

#include "common/block.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

enum class transport { inproc, tcp, ipc, tls, ws, wss };
enum class mechanism { null, curve };

struct settings {
    std::string label; // first column of RESULT lines, as the caller named it
    transport over = transport::inproc;
    std::string transport_name;
    std::size_t size_bytes = 0;
    std::int64_t message_count = -1; // BENCH_MSG_COUNT; -1: send for run_ms
    std::int64_t warmup_count = -1;  // BENCH_WARMUP_COUNT; -1: for a tenth of run_ms
    std::int64_t latency_count = -1; // BENCH_LAT_COUNT; -1: for 2/5 of run_ms; 0: do not measure latency
                                     // With a message_count, a tenth of it is the default of both.
    std::int64_t run_ms = 250;       // BENCH_RUN_MS
    int io_threads = 1;              // BENCH_IO_THREADS
    int send_buffer_bytes = -1;      // BENCH_SNDBUF
    int receive_buffer_bytes = -1;   // BENCH_RCVBUF
    int high_water_mark = 0;         // BENCH_HWM; 0: none, the window of the sender bounds memory
    mechanism secured_by = mechanism::null; // BENCH_MECHANISM
    page_offset body_offset = 0;            // BENCH_BODY_OFFSET
    bool two_processes = false;             // BENCH_TWO_PROCESSES
    bool debug = false;                     // BENCH_DEBUG

    [[nodiscard]] bool over_tls() const { return over == transport::tls || over == transport::wss; }

    [[nodiscard]] std::int64_t warmup_ms() const { return run_ms / 10; }
    [[nodiscard]] std::int64_t latency_ms() const { return run_ms * 2 / 5; }
};

// Arguments: <label> <transport> <size>. Fails with a usage line when they are wrong, and on an environment
// value that is not a number in range: a typing error must not measure something else.
settings read_settings(const char *program, int argument_count, char **arguments);

// A line on stderr when BENCH_DEBUG=1.
__attribute__((format(printf, 2, 3))) void debug(const settings &wanted, const char *format, ...);

} // namespace bench
