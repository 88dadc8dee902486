// SPDX-License-Identifier: MPL-2.0
//
// The objects of one running script, by name, and what commands share. One thread uses it.
//
// A name that stands for no object throws no_object; a line that cannot be read throws bad_line. The script
// then goes on: thus any line of a script may be taken out.
#pragma once

#include "api.hpp"
#include "text.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct no_object {};
struct bad_line {};
struct absent_function {};

struct socket_object {
    void *handle = nullptr;
    std::string context;
    std::vector<std::string> last_message; // the frames that were received last
    std::uint32_t last_routing_id = 0;
};

struct monitor_object {
    void *pair = nullptr;
    int version = 1;
};

struct message_object {
    zmq_msg_t message;
    bool live = false;
};

struct timers_object {
    void *handle = nullptr;
    std::vector<int> fired;
};

class helper_thread; // an authenticator or a proxy, helpers.hpp

template <typename Object> using objects = std::map<std::string, Object, std::less<>>;

struct world {
    world(const api_table &functions, places where);
    ~world();
    world(const world &) = delete;
    world &operator=(const world &) = delete;

    const api_table &api;
    places where;
    objects<void *> contexts;
    objects<socket_object> sockets;
    objects<monitor_object> monitors;
    objects<void *> pollers;
    objects<timers_object> timers;
    objects<message_object> messages;
    objects<void *> counters;
    objects<int> descriptors;
    objects<std::unique_ptr<helper_thread>> helpers;
    std::vector<std::string> made_up_ids;   // of ROUTER and STREAM, in the order of their first appearance
    std::vector<std::uint32_t> routing_ids; // of SERVER and PEER, likewise
    unsigned messages_made = 0;

    // The handle of a name; nullptr for the name "null".
    void *context(std::string_view name) const;
    void *socket(std::string_view name) const;
    socket_object &socket_entry(std::string_view name);
    // The name of a socket or descriptor.
    std::string name_of(const void *socket) const;

    // "-1 EAGAIN", or the number.
    std::string result(long long value) const;
    // "ok", or "NULL EINVAL".
    std::string pointer_result(const void *value) const;
    // A frame in short; ids that a library made up get a number.
    std::string describe_frame(std::string_view bytes);
    std::string describe_routing_id(std::uint32_t id);
    // The bytes of "40" (a size), "=text", "@0" (a made-up id).
    std::string frame_bytes(std::string_view token, unsigned message, std::size_t index) const;
};

// Are these bytes a part of a frame of this size that may be an id which the library made up? Another part of
// the message follows such an id.
bool is_part_of_id(std::string_view shown, std::size_t size);

// An argument of a line, or bad_line.
const std::string &word(const words &line, std::size_t index);
long long number_word(const words &line, std::size_t index);
// Is this word somewhere in the line?
bool has_word(const words &line, std::string_view wanted);
// ZMQ_DONTWAIT and ZMQ_SNDMORE from the words "dontwait", "more" and "flag=N".
int flags_of(const words &line);

// Throws absent_function where the library does not have it.
template <typename Function> Function require(Function function) {
    if (!function) {
        throw absent_function();
    }
    return function;
}

template <typename Object> Object &find_in(objects<Object> &all, std::string_view name) {
    const auto found = all.find(name);
    if (found == all.end()) {
        throw no_object();
    }
    return found->second;
}

void pause_ms(long duration_ms);
