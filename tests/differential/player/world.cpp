// SPDX-License-Identifier: MPL-2.0
#include "world.hpp"

#include "helpers.hpp"
#include "names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <ctime>
#include <utility>

namespace {

constexpr std::size_t made_up_id_size = 5;
constexpr std::size_t request_id_size = 4;

// Ids of ZMQ_REQ_CORRELATE are four bytes of the library's choice. Four bytes of a script are the beginning
// of a content ("12.0"), a subscription, which begins with 0 or 1, or the word "more".
bool is_request_id(std::string_view bytes) {
    if (bytes.size() != request_id_size || bytes == "more") {
        return false;
    }
    const auto is_letter = [](char byte) { return std::isalnum(static_cast<unsigned char>(byte)) != 0; };
    if (bytes[0] == 0 || bytes[0] == 1) {
        return !std::all_of(bytes.begin() + 1, bytes.end(), is_letter);
    }
    const std::size_t digits = bytes.find_first_not_of("0123456789");
    return digits == 0 || digits == std::string_view::npos || bytes[digits] != '.';
}

template <typename Value> std::size_t place_in(std::vector<Value> &all, const Value &value) {
    const auto found = std::find(all.begin(), all.end(), value);
    if (found != all.end()) {
        return static_cast<std::size_t>(found - all.begin());
    }
    all.push_back(value);
    return all.size() - 1;
}

} // namespace

world::world(const api_table &functions, places meeting) : api(functions), where(std::move(meeting)) {}

world::~world() = default;

void *world::context(std::string_view name) const {
    if (name == "null") {
        return nullptr;
    }
    const auto found = contexts.find(name);
    if (found == contexts.end()) {
        throw no_object();
    }
    return found->second;
}

void *world::socket(std::string_view name) const {
    if (name == "null") {
        return nullptr;
    }
    if (const auto found = sockets.find(name); found != sockets.end()) {
        return found->second.handle;
    }
    if (const auto found = monitors.find(name); found != monitors.end()) {
        return found->second.pair;
    }
    throw no_object();
}

socket_object &world::socket_entry(std::string_view name) {
    return find_in(sockets, name);
}

std::string world::name_of(const void *handle) const {
    for (const auto &[name, socket] : sockets) {
        if (socket.handle == handle) {
            return name;
        }
    }
    return handle ? "another" : "null";
}

std::string world::result(long long value) const {
    return value == -1 ? "-1 " + errno_name(api.zmq_errno()) : std::to_string(value);
}

std::string world::pointer_result(const void *value) const {
    return value ? "ok" : "NULL " + errno_name(api.zmq_errno());
}

std::string world::describe_frame(std::string_view bytes) {
    if (bytes.size() == made_up_id_size && bytes[0] == 0) {
        return "<id " + std::to_string(place_in(made_up_ids, std::string(bytes))) + ">";
    }
    return is_request_id(bytes) ? "<request>" : describe_bytes(bytes);
}

std::string world::describe_routing_id(std::uint32_t id) {
    return "<peer " + std::to_string(place_in(routing_ids, id)) + ">";
}

std::string world::frame_bytes(std::string_view token, unsigned message, std::size_t index) const {
    if (token.starts_with('=')) {
        return unescape(token.substr(1));
    }
    if (token.starts_with('@')) {
        const auto place = number(token.substr(1));
        if (!place || *place < 0 || static_cast<std::size_t>(*place) >= made_up_ids.size()) {
            throw no_object();
        }
        return made_up_ids[static_cast<std::size_t>(*place)];
    }
    const auto size = number(token);
    if (!size || *size < 0 || *size > (1 << 24)) {
        throw bad_line();
    }
    return make_content(message, index, static_cast<std::size_t>(*size));
}

bool is_part_of_id(std::string_view shown, std::size_t size) {
    if (shown.empty() || shown.size() == size) {
        return false;
    }
    return size == request_id_size || (size == made_up_id_size && shown[0] == 0);
}

const std::string &word(const words &line, std::size_t index) {
    if (index >= line.size()) {
        throw bad_line();
    }
    return line[index];
}

long long number_word(const words &line, std::size_t index) {
    const auto value = number(word(line, index));
    if (!value) {
        throw bad_line();
    }
    return *value;
}

bool has_word(const words &line, std::string_view wanted) {
    return std::find(line.begin(), line.end(), wanted) != line.end();
}

int flags_of(const words &line) {
    int flags = (has_word(line, "dontwait") ? ZMQ_DONTWAIT : 0) | (has_word(line, "more") ? ZMQ_SNDMORE : 0);
    for (const std::string &each : line) {
        if (each.starts_with("flag=")) {
            flags |= static_cast<int>(number(each.substr(5)).value_or(0));
        }
    }
    return flags;
}

void pause_ms(long duration_ms) {
    timespec left = {duration_ms / 1000, (duration_ms % 1000) * 1000000L};
    while (nanosleep(&left, &left) == -1) {
    }
}
