// SPDX-License-Identifier: MPL-2.0
//
// Monitors of both versions. A monitor is made and read by one name; descriptors and intervals are told in
// words.
#include "commands.hpp"
#include "names.hpp"

#include <cstring>

namespace {

constexpr int most_events = 60;

// Which events carry which kind of value, by the manual page of zmq_socket_monitor.
constexpr std::uint64_t with_descriptor = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_LISTENING | ZMQ_EVENT_ACCEPTED |
                                          ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED;
constexpr std::uint64_t with_errno = ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_BIND_FAILED |
                                     ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_CLOSE_FAILED |
                                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

std::string describe_value(std::uint64_t event, std::uint64_t value) {
    if (event & with_descriptor) {
        return "fd";
    }
    if (event & with_errno) {
        return errno_name(static_cast<int>(value));
    }
    return event == ZMQ_EVENT_CONNECT_RETRIED ? "ms" : std::to_string(value);
}

// The name of a monitor's endpoint.
std::string address(const std::string &name) {
    return "inproc://monitor-" + name;
}

int start(world &w, const words &line, void *socket) {
    const std::string endpoint = address(line[1]);
    const auto mask = event_mask(word(line, 4));
    if (!mask) {
        throw bad_line();
    }
    if (word(line, 3) == "v1") {
        return w.api.zmq_socket_monitor(socket, endpoint.c_str(), static_cast<int>(*mask));
    }
    const int version = static_cast<int>(number(word(line, 3).substr(1)).value_or(0));
    const auto type = socket_type(line.size() > 5 ? line[5] : "PAIR");
    return require(w.api.zmq_socket_monitor_versioned)(socket, endpoint.c_str(), *mask, version,
                                                       type.value_or(0));
}

int reading_type(const words &line) {
    const std::string type = line.size() > 5 ? line[5] : "PAIR";
    return type == "PUB" ? ZMQ_SUB : type == "PUSH" ? ZMQ_PULL : ZMQ_PAIR;
}

// monitor m0 s0 v1 ALL: v2 with the type of socket that writes the events as a last word
std::string monitor(world &w, const words &line) {
    if (w.monitors.contains(word(line, 1)) || w.sockets.contains(line[1])) {
        throw no_object();
    }
    const socket_object &entry = w.socket_entry(word(line, 2));
    const int started = start(w, line, entry.handle);
    if (started == -1) {
        return w.result(started);
    }
    void *pair = w.api.zmq_socket(w.context(entry.context), reading_type(line));
    if (!pair) {
        return "no pair " + w.pointer_result(pair);
    }
    const int none = 0;
    w.api.zmq_setsockopt(pair, ZMQ_LINGER, &none, sizeof none);
    if (reading_type(line) == ZMQ_SUB) {
        w.api.zmq_setsockopt(pair, ZMQ_SUBSCRIBE, "", 0);
    }
    w.monitors[line[1]] = {pair, line[3] == "v1" || line[3] == "w1" ? 1 : 2};
    const std::string text = w.result(started);
    return text + " " + w.result(w.api.zmq_connect(pair, address(line[1]).c_str()));
}

// unmonitor s0
std::string unmonitor(world &w, const words &line) {
    return w.result(w.api.zmq_socket_monitor(w.socket(word(line, 1)), nullptr, 0));
}

// All frames of one message, without waiting; none when there is no message.
std::vector<std::string> frames_of(world &w, void *pair) {
    std::vector<std::string> frames;
    int more = 1;
    while (more) {
        zmq_msg_t message;
        w.api.zmq_msg_init(&message);
        if (w.api.zmq_msg_recv(&message, pair, ZMQ_DONTWAIT) == -1) {
            w.api.zmq_msg_close(&message);
            break;
        }
        frames.emplace_back(static_cast<const char *>(w.api.zmq_msg_data(&message)),
                            w.api.zmq_msg_size(&message));
        more = w.api.zmq_msg_more(&message);
        w.api.zmq_msg_close(&message);
    }
    return frames;
}

template <typename Number> std::uint64_t number_at(const std::string &bytes, std::size_t place) {
    Number value = 0;
    if (bytes.size() >= place + sizeof value) {
        std::memcpy(&value, bytes.data() + place, sizeof value);
    }
    return value;
}

std::string describe_first(const world &w, const std::vector<std::string> &frames) {
    const std::uint64_t event = number_at<std::uint16_t>(frames[0], 0);
    const std::uint64_t value = number_at<std::uint32_t>(frames[0], 2);
    return event_name(event) + "(" + describe_value(event, value) + " " +
           (frames.size() == 2 && frames[0].size() == 6 ? escape(w.where.mask(frames[1])) : "malformed") +
           ")";
}

std::string describe_second(const world &w, const std::vector<std::string> &frames) {
    const std::uint64_t event = number_at<std::uint64_t>(frames[0], 0);
    if (frames.size() < 4) {
        return event_name(event) + "(malformed)";
    }
    std::string text =
        event_name(event) + "(" + std::to_string(number_at<std::uint64_t>(frames[1], 0)) + " values";
    for (std::size_t i = 2; i + 2 < frames.size(); i++) {
        text += " " + describe_value(event, number_at<std::uint64_t>(frames[i], 0));
    }
    return text + " " + escape(w.where.mask(frames[frames.size() - 2])) + " " +
           escape(w.where.mask(frames.back())) + ")";
}

// heard m0 20: all events until none came for 20 ms
std::string heard(world &w, const words &line) {
    const monitor_object &entry = find_in(w.monitors, word(line, 1));
    const long quiet_ms = static_cast<long>(number_word(line, 2));
    std::string text;
    for (int i = 0; i < most_events; i++) {
        zmq_pollitem_t item = {entry.pair, 0, ZMQ_POLLIN, 0};
        if (w.api.zmq_poll(&item, 1, quiet_ms) <= 0) {
            break;
        }
        const std::vector<std::string> frames = frames_of(w, entry.pair);
        if (frames.empty()) {
            break;
        }
        text +=
            (i ? " " : "") + (entry.version == 1 ? describe_first(w, frames) : describe_second(w, frames));
    }
    return text.empty() ? "nothing" : text;
}

// pipes_stats s0
std::string pipes_stats(world &w, const words &line) {
    return w.result(require(w.api.zmq_socket_monitor_pipes_stats)(w.socket(word(line, 1))));
}

constexpr command commands[] = {
    {"monitor", monitor}, {"unmonitor", unmonitor}, {"heard", heard}, {"pipes_stats", pipes_stats}};

} // namespace

std::span<const command> monitor_commands() {
    return commands;
}
