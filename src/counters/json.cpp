// SPDX-License-Identifier: MPL-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "counters/snapshot.hpp"

namespace zlink::counters {
namespace {

bool is_plain(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char one) { return one >= ' ' && one <= '~'; });
}

// Bytes that are no text, as a routing id may be, become a hexadecimal number.
void append_text(std::string &to, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    to += '"';
    if (!is_plain(text)) {
        to += "0x";
        for (const char one : text) {
            const auto byte = static_cast<unsigned char>(one);
            to += digits[byte >> 4];
            to += digits[byte & 15];
        }
    } else {
        for (const char one : text) {
            if (one == '"' || one == '\\')
                to += '\\';
            to += one;
        }
    }
    to += '"';
}

void append_name(std::string &to, std::string_view name) {
    append_text(to, name);
    to += ':';
}

void append_number(std::string &to, std::string_view name, std::uint64_t value) {
    append_name(to, name);
    to += std::to_string(value);
    to += ',';
}

// Without the closing brace.
void append_values(std::string &to, const subject_values &of) {
    to += '{';
    for (const auto &[name, value] : of.texts) {
        append_name(to, name);
        append_text(to, value);
        to += ',';
    }
    for (const auto &[name, value] : of.numbers)
        if (name != "type")
            append_number(to, name, value);
    to.pop_back();
}

void append_all(std::string &to, const snapshot &of, subject_kind kind, std::uint64_t parent) {
    to += '[';
    bool first = true;
    for (const subject_values &one : of.subjects) {
        if (one.kind != kind || one.parent != parent)
            continue;
        if (!std::exchange(first, false))
            to += ',';
        append_values(to, one);
        if (kind == subject_kind::socket) {
            to += ",\"peer_list\":";
            append_all(to, of, subject_kind::peer, one.id);
        }
        to += '}';
    }
    to += ']';
}

void append_context(std::string &to, const snapshot &of) {
    if (of.subjects.empty() || of.subjects.front().kind != subject_kind::context)
        to += "{\"id\":0";
    else
        append_values(to, of.subjects.front());
    to += ',';
    append_number(to, "pid", of.pid);
    append_number(to, "started", of.started_ns);
    append_name(to, "program");
    append_text(to, of.program);
    to += ",\"io_thread_list\":";
    append_all(to, of, subject_kind::io_thread, 0);
    to += ",\"socket_list\":";
    append_all(to, of, subject_kind::socket, 0);
    to += '}';
}

} // namespace

std::string to_json(std::span<const snapshot> contexts) {
    std::string made = "{\"contexts\":[";
    for (const snapshot &one : contexts) {
        append_context(made, one);
        made += ',';
    }
    if (!contexts.empty())
        made.pop_back();
    return made + "]}";
}

std::string peers_to_json(const snapshot &of_socket) {
    std::string made;
    for (const subject_values &one : of_socket.subjects)
        if (one.kind == subject_kind::socket)
            append_all(made, of_socket, subject_kind::peer, one.id);
    return made.empty() ? "[]" : made;
}

} // namespace zlink::counters
