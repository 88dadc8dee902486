// SPDX-License-Identifier: MPL-2.0
//
// Sockets, endpoints and options.
#include "commands.hpp"
#include "names.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace {

constexpr std::size_t longest_option = 4096;
constexpr char untouched = '\x5a';

std::string open_with(world &w, const words &line, bool with_timeouts) {
    const auto type = socket_type(word(line, 3));
    if (!type) {
        throw bad_line();
    }
    if (w.sockets.contains(word(line, 1))) {
        throw no_object();
    }
    void *made = w.api.zmq_socket(w.context(word(line, 2)), *type);
    if (!made) {
        return w.pointer_result(made);
    }
    if (with_timeouts) {
        const int timeout_ms = static_cast<int>(number_word(line, 4));
        const int none = 0;
        w.api.zmq_setsockopt(made, ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
        w.api.zmq_setsockopt(made, ZMQ_SNDTIMEO, &timeout_ms, sizeof timeout_ms);
        w.api.zmq_setsockopt(made, ZMQ_LINGER, &none, sizeof none);
    }
    socket_object entry;
    entry.handle = made;
    entry.context = line[2];
    w.sockets[line[1]] = std::move(entry);
    return "ok";
}

// socket s0 c0 PUSH: as the library makes it
std::string make_socket(world &w, const words &line) {
    return open_with(w, line, false);
}

// open s0 c0 PUSH 20: with ZMQ_LINGER 0 and 20 ms for sends and receives
std::string open_socket(world &w, const words &line) {
    return open_with(w, line, true);
}

// close s0
std::string close_socket(world &w, const words &line) {
    const std::string text = w.result(w.api.zmq_close(w.socket(word(line, 1))));
    w.sockets.erase(line[1]);
    w.monitors.erase(line[1]);
    return text;
}

std::string last_endpoint(world &w, void *socket) {
    char text[512] = {};
    std::size_t size = sizeof text;
    return w.api.zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, text, &size) == 0 ? text : "";
}

// Calls a function with an endpoint: a text, "null", or "last:s0" for the last endpoint of a socket.
template <typename Function> auto with_endpoint(world &w, const words &line, Function function) {
    void *socket = w.socket(word(line, 1));
    const std::string &token = word(line, 2);
    if (token == "null") {
        return function(socket, nullptr);
    }
    if (token.starts_with("last:")) {
        const std::string text = last_endpoint(w, w.socket(token.substr(5)));
        return function(socket, text.c_str());
    }
    const std::string text = token == "empty" ? "" : w.where.endpoint(token);
    return function(socket, text.c_str());
}

// bind s0 tcp:1; connect, unbind and disconnect likewise
std::string bind_to(world &w, const words &line) {
    return w.result(with_endpoint(w, line, w.api.zmq_bind));
}

std::string connect_to(world &w, const words &line) {
    return w.result(with_endpoint(w, line, w.api.zmq_connect));
}

std::string unbind_from(world &w, const words &line) {
    return w.result(with_endpoint(w, line, w.api.zmq_unbind));
}

std::string disconnect_from(world &w, const words &line) {
    return w.result(with_endpoint(w, line, w.api.zmq_disconnect));
}

std::string connect_peer(world &w, const words &line) {
    const std::uint32_t id = with_endpoint(w, line, require(w.api.zmq_connect_peer));
    return id ? w.describe_routing_id(id) : "0 " + errno_name(w.api.zmq_errno());
}

// The value of an option as "i4 3" (a number of 4 bytes), "text abc", "null 4" (no pointer, but a size).
struct value {
    bool is_null = false;
    std::string bytes;
    std::size_t size = 0;
};

value value_of(const world &w, const words &line, std::size_t index) {
    value made;
    const std::string &kind = word(line, index);
    if (kind == "null") {
        made.is_null = true;
        made.size = static_cast<std::size_t>(number_word(line, index + 1));
    } else if (kind == "text") {
        made.bytes = index + 1 < line.size() ? w.where.endpoint(line[index + 1]) : "";
        made.size = made.bytes.size();
    } else if (kind.starts_with('i')) {
        made.size = static_cast<std::size_t>(number(kind.substr(1)).value_or(0)) % 17;
        const long long number_given = number_word(line, index + 1);
        made.bytes.assign(16, number_given < 0 ? '\xff' : '\0');
        std::memcpy(made.bytes.data(), &number_given, sizeof number_given);
    } else {
        throw bad_line();
    }
    return made;
}

int option_word(const words &line, std::size_t index) {
    const auto option = socket_option(word(line, index));
    if (!option) {
        throw bad_line();
    }
    return *option;
}

// set s0 SNDHWM i4 3
std::string set_option(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const int option = option_word(line, 2);
    const value given = value_of(w, line, 3);
    return w.result(
        w.api.zmq_setsockopt(socket, option, given.is_null ? nullptr : given.bytes.data(), given.size));
}

std::string show_value(const world &w, int option, const std::string &bytes) {
    if (option == ZMQ_FD) {
        return "fd";
    }
    if (option == ZMQ_LAST_ENDPOINT) {
        return escape(w.where.mask(bytes.c_str()));
    }
    if (bytes.size() == sizeof(int)) {
        int number_held = 0;
        std::memcpy(&number_held, bytes.data(), sizeof number_held);
        return std::to_string(number_held);
    }
    if (bytes.size() == sizeof(std::int64_t)) {
        std::int64_t number_held = 0;
        std::memcpy(&number_held, bytes.data(), sizeof number_held);
        return std::to_string(number_held);
    }
    return escape(bytes);
}

// get s0 SNDHWM 4: the number is the room for the value
std::string get_option(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    const int option = option_word(line, 2);
    const auto room = static_cast<std::size_t>(number_word(line, 3));
    if (room > longest_option) {
        throw bad_line();
    }
    std::string bytes(room + 16, untouched);
    std::size_t size = room;
    const int got = w.api.zmq_getsockopt(socket, option, bytes.data(), &size);
    std::string text = w.result(got);
    if (bytes.substr(room) != std::string(16, untouched)) {
        text += " wrote behind the room";
    }
    if (got == 0) {
        // The length of a tcp endpoint depends on the port.
        text += option == ZMQ_LAST_ENDPOINT ? "" : " size " + std::to_string(size);
        text += " " + show_value(w, option, bytes.substr(0, std::min(size, room)));
    }
    return text;
}

std::string join_group(world &w, const words &line) {
    return w.result(require(w.api.zmq_join)(w.socket(word(line, 1)), unescape(word(line, 2)).c_str()));
}

std::string leave_group(world &w, const words &line) {
    return w.result(require(w.api.zmq_leave)(w.socket(word(line, 1)), unescape(word(line, 2)).c_str()));
}

// peer_state s0 =A
std::string peer_state(world &w, const words &line) {
    const auto function = require(w.api.zmq_socket_get_peer_state);
    const std::string id = w.frame_bytes(word(line, 2), 0, 0);
    const int got = function(w.socket(word(line, 1)), id.data(), id.size());
    return got == -1 ? w.result(got) : poll_letters(static_cast<short>(got));
}

constexpr command commands[] = {{"socket", make_socket},
                                {"open", open_socket},
                                {"close", close_socket},
                                {"bind", bind_to},
                                {"connect", connect_to},
                                {"unbind", unbind_from},
                                {"disconnect", disconnect_from},
                                {"connect_peer", connect_peer},
                                {"set", set_option},
                                {"get", get_option},
                                {"join", join_group},
                                {"leave", leave_group},
                                {"peer_state", peer_state}};

} // namespace

std::span<const command> socket_commands() {
    return commands;
}
