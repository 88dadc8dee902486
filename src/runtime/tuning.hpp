// SPDX-License-Identifier: MPL-2.0
// Tuning by environment variables, one row of a table each. docs/api/tuning.md shows the same table.
//
// Threads: any. The environment is read once per process, by the first call of process_tuning(); later
// changes of it are not seen. A value that a row does not accept is reported and ignored, an empty one is
// none. Not for hot paths: whoever needs a value often copies it when it is made.
// Units: in the names of the fields and in the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace zlink::runtime {

// How an I/O thread waits for Asio. run: sleeps until there is something. run_for: likewise, but looks again
// after a while whether it was woken or not. poll: never sleeps.
enum class loop_mode : std::uint8_t { run, run_for, poll };

// Which sockets write to a tcp stream in the thread that sends. automatic: as the engine decides. by_sender:
// all, at once. by_io_thread: none. by_routers: ROUTER and DEALER at once, others as the engine decides.
enum class sync_writing : std::uint8_t { automatic, by_io_thread, by_sender, by_routers };

// Which events of connections are written down; each has those before it.
enum class log_level : std::uint8_t { off, error, warning, info, debug };

struct tuning {
    bool tcp_nodelay = true;
    std::optional<bool> tcp_quickack; // none: as the engine decides; false: never asked for
    int tcp_busy_poll_us = 0;         // 0: off
    sync_writing tcp_sync_write = sync_writing::automatic;
    std::size_t in_batch_bytes = 0; // 0: as the engine decides
    std::size_t out_batch_bytes = 0;
    std::size_t min_out_batch_bytes = 0;
    loop_mode io_loop = loop_mode::run;
    std::optional<std::uint32_t> spin_us; // none: as the engine decides; 0: never spins
    bool streams = true;
    std::size_t in_turn_bytes = 256 * 1024;
    int ipc_buffer_bytes = 1024 * 1024; // 0: as the system does
    int tcp_window_bytes = 512 * 1024;  // 0: as the system does
    bool tcp_loopback_reno = true;
    bool counters = true; // in shared memory
    log_level log = log_level::off;
    bool log_json = false;
    bool operator==(const tuning &) const = default;
};

// A word that a variable may be set to instead of a number, and the number it stands for.
struct tuning_word {
    std::string_view text;
    std::int64_t value;
};

struct tuning_row {
    const char *name;
    std::string_view meaning;
    std::span<const tuning_word> words;
    std::int64_t low, high; // whole numbers in this range are accepted; low > high: none
    std::string_view standard;
    std::string_view unit; // empty: none
    void (*set)(tuning &, std::int64_t);
};

[[nodiscard]] std::span<const tuning_row> tuning_rows() noexcept;
// The value of `text` for this row; none when the row does not accept it.
[[nodiscard]] std::optional<std::int64_t> parse_tuning(const tuning_row &row, std::string_view text) noexcept;

// `lookup` gives the text of a variable or null; `refused` hears of every text that is ignored.
using tuning_lookup = std::function<const char *(const char *name)>;
using tuning_refused = std::function<void(const tuning_row &row, const char *text)>;
[[nodiscard]] tuning read_tuning(const tuning_lookup &lookup, const tuning_refused &refused);

// Returns the settings that the environment of the process asks for. Ignored values are reported on stderr.
[[nodiscard]] const tuning &process_tuning();

} // namespace zlink::runtime
