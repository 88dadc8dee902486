// SPDX-License-Identifier: MPL-2.0
#include "connections/event_log.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <unistd.h>

#include "base/socket_traits.hpp"
#include "connections/log_rate.hpp"
#include "connections/log_target.hpp"
#include "runtime/clock.hpp"

namespace zlink::connections {
namespace {

using runtime::log_level;

enum class value_form : std::uint8_t { none, descriptor, error, milliseconds, code };

struct event_row {
    event_kind kind;
    log_level level;
    std::string_view name;
    value_form value;
};
constexpr auto rows = std::to_array<event_row>({
    {event_kind::connected, log_level::info, "connected", value_form::descriptor},
    {event_kind::connect_delayed, log_level::debug, "connect_delayed", value_form::none},
    {event_kind::connect_retried, log_level::debug, "connect_retried", value_form::milliseconds},
    {event_kind::listening, log_level::info, "listening", value_form::descriptor},
    {event_kind::bind_failed, log_level::error, "bind_failed", value_form::error},
    {event_kind::accepted, log_level::info, "accepted", value_form::descriptor},
    {event_kind::accept_failed, log_level::warning, "accept_failed", value_form::error},
    {event_kind::closed, log_level::info, "closed", value_form::descriptor},
    {event_kind::disconnected, log_level::info, "disconnected", value_form::descriptor},
    {event_kind::handshake_failed_no_detail, log_level::warning, "handshake_failed", value_form::error},
    {event_kind::handshake_succeeded, log_level::info, "handshake_succeeded", value_form::none},
    {event_kind::handshake_failed_protocol, log_level::warning, "handshake_failed_protocol",
     value_form::code},
    {event_kind::handshake_failed_auth, log_level::warning, "handshake_failed_auth", value_form::code},
});
static_assert(rows.size() <= log_rate::kinds);

// Null: the event is not about a connection.
const event_row *row_of(event_kind kind) noexcept {
    for (const event_row &row : rows)
        if (row.kind == kind)
            return &row;
    return nullptr;
}

std::string_view name_of(log_level level) noexcept {
    constexpr std::array<std::string_view, 5> names{"off", "error", "warning", "info", "debug"};
    return names[static_cast<std::size_t>(level)];
}

std::string time_of(std::chrono::system_clock::time_point at) {
    const auto since = std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
    const std::time_t seconds = since / 1'000'000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::string micros = std::to_string(since % 1'000'000);
    return std::string(text.data(), size) + '.' + std::string(6 - micros.size(), '0') + micros + 'Z';
}

std::string text_of_error(std::uint32_t code) {
    std::array<char, 128> room{};
    return ::strerror_r(static_cast<int>(code), room.data(), room.size()); // the GNU one
}

constexpr std::size_t most_text = 256;

// An endpoint has what somebody else wrote, and must not end a line or a text, nor begin another value. It is
// cut where it is longer than any that is of use.
std::string escaped(std::string_view text, char first = '!') {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string made;
    for (const char one : text.substr(0, most_text)) {
        const auto byte = static_cast<unsigned char>(one);
        if (one >= first && byte <= '~' && one != '"' && one != '\\')
            made += one;
        else
            made += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
    }
    return made;
}

// Why it happened; empty: the event has no reason.
std::string reason_of(const event_row &row, const socket_event &event) {
    if (event.reason)
        return std::string(to_string(*event.reason));
    if (row.value == value_form::error)
        return escaped(text_of_error(event.value), ' ');
    return row.value == value_form::code ? std::string(meaning_of(event.value).text) : std::string();
}

std::string_view name_of(value_form form) noexcept {
    constexpr std::array<std::string_view, 5> names{"", "descriptor", "errno", "after_ms", "code"};
    return names[static_cast<std::size_t>(form)];
}

struct log_settings {
    log_level most;
    bool json;
    std::string file;
};

// A program that runs with more rights than its caller writes to no file of the caller's.
const log_settings &settings() {
    static const log_settings found = [] {
        const runtime::tuning &asked = runtime::process_tuning();
        const char *const file = ::secure_getenv("ZLINK_LOG_FILE");
        return log_settings{asked.log, asked.log_json, file != nullptr ? file : ""};
    }();
    return found;
}

// They outlive the statics of the program, as contexts may.
log_target &target() {
    static auto *const made = new log_target(settings().file);
    return *made;
}
log_rate &rate() {
    static auto *const made = new log_rate;
    return *made;
}

} // namespace

bool events_are_logged() noexcept {
    if (runtime::process_tuning().log == log_level::off)
        return false;
    try {
        (void)target(); // before the library has a socket of the system
        (void)rate();
        return true;
    } catch (const std::exception &) {
        return false; // no memory
    }
}

// A connector closes a descriptor for each attempt that failed: that is no end of a connection.
log_level level_of(const socket_event &event) noexcept {
    const event_row *const row = row_of(event.kind);
    if (row == nullptr)
        return log_level::off;
    return event.kind == event_kind::closed && event.outgoing ? log_level::debug : row->level;
}

std::string text_line(const logged_event &logged) {
    const event_row &row = *row_of(logged.event.kind);
    std::string line = time_of(logged.at) + " zlink[" + std::to_string(logged.process) + "] ";
    line.append(name_of(level_of(logged.event))).append(" ").append(row.name).append(" socket=");
    line.append(traits_of(logged.type).name).append("#").append(std::to_string(logged.socket));
    if (!logged.event.local.empty())
        line.append(" local=").append(escaped(logged.event.local));
    if (!logged.event.remote.empty())
        line.append(" remote=").append(escaped(logged.event.remote));
    if (row.value != value_form::none)
        line.append(" ").append(name_of(row.value)).append("=").append(std::to_string(logged.event.value));
    if (const std::string reason = reason_of(row, logged.event); !reason.empty())
        line.append(" reason=\"").append(reason).append("\"");
    return line;
}

std::string json_line(const logged_event &logged) {
    const event_row &row = *row_of(logged.event.kind);
    std::string line = R"({"time":")" + time_of(logged.at) + R"(","level":")";
    line.append(name_of(level_of(logged.event))).append(R"(","pid":)").append(std::to_string(logged.process));
    line.append(R"(,"event":")").append(row.name).append(R"(","type":")").append(traits_of(logged.type).name);
    line.append(R"(","socket":)").append(std::to_string(logged.socket));
    line.append(R"(,"local":")").append(escaped(logged.event.local, ' ')).append(R"(","remote":")");
    line.append(escaped(logged.event.remote, ' ')).append("\"");
    if (row.value != value_form::none)
        line.append(",\"")
            .append(name_of(row.value))
            .append("\":")
            .append(std::to_string(logged.event.value));
    if (const std::string reason = reason_of(row, logged.event); !reason.empty())
        line.append(R"(,"reason":")").append(reason).append("\"");
    return line + '}';
}

std::string left_out_line(std::uint64_t lines, bool json, std::chrono::system_clock::time_point at,
                          int process) {
    if (json)
        return R"({"time":")" + time_of(at) + R"(","level":"warning","pid":)" + std::to_string(process) +
               R"(,"event":"lines_left_out","count":)" + std::to_string(lines) + '}';
    return time_of(at) + " zlink[" + std::to_string(process) +
           "] warning lines_left_out count=" + std::to_string(lines);
}

void log_event(const socket_event &event, socket_type type, std::uint64_t socket) noexcept {
    const event_row *const row = row_of(event.kind);
    try {
        const log_settings &wanted = settings();
        if (row == nullptr || level_of(event) > wanted.most)
            return;
        const auto second = static_cast<std::uint64_t>(runtime::now_ms()) / 1000;
        if (!rate().admits(static_cast<std::size_t>(row - rows.data()), second))
            return;
        const logged_event logged{event, type, socket, std::chrono::system_clock::now(), ::getpid()};
        const std::uint64_t before = rate().take_left_out(second);
        std::string lines =
            before == 0 ? "" : left_out_line(before, wanted.json, logged.at, logged.process) + '\n';
        lines += (wanted.json ? json_line(logged) : text_line(logged)) + '\n';
        if (!target().write(lines))
            rate().leave_out(before + 1);
    } catch (const std::exception &) {
        return; // no memory: a line less
    }
}

} // namespace zlink::connections
