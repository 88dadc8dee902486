// SPDX-License-Identifier: MPL-2.0
// event_log: a line for each event of a connection, for who runs a program: ZLINK_LOG, ZLINK_LOG_FORMAT and
// ZLINK_LOG_FILE. docs/api/log.md has the lines.
//
// Threads: any. A line is one write(2), so lines of several threads and processes stay whole. One that is not
// taken at once is left out, as is one too many in a second (log_rate); a later line says how many.
#pragma once

#include <chrono>
#include <string>

#include "base/socket_type.hpp"
#include "connections/socket_event.hpp"
#include "runtime/tuning.hpp"

namespace zlink::connections {

struct logged_event {
    const socket_event &event;
    socket_type type;
    std::uint64_t socket; // as the counters number it
    std::chrono::system_clock::time_point at;
    int process;
};

// Is there somebody who wants lines?
[[nodiscard]] bool events_are_logged() noexcept;
// Writes a line if the level wants it.
void log_event(const socket_event &event, socket_type type, std::uint64_t socket) noexcept;

[[nodiscard]] runtime::log_level level_of(const socket_event &event) noexcept;
// Without the end of the line. Throws std::bad_alloc.
[[nodiscard]] std::string text_line(const logged_event &logged);
[[nodiscard]] std::string json_line(const logged_event &logged);
[[nodiscard]] std::string left_out_line(std::uint64_t lines, bool json,
                                        std::chrono::system_clock::time_point at, int process);

} // namespace zlink::connections
