// SPDX-License-Identifier: MPL-2.0
//
// zmq_poll, zmq_poller_* and the descriptors they may watch.
#include "commands.hpp"
#include "names.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace {

constexpr std::size_t most_events = 32;

// poll 50 s0:io f0:i null
std::string poll(world &w, const words &line) {
    const long timeout_ms = static_cast<long>(number_word(line, 1));
    std::vector<zmq_pollitem_t> items;
    for (std::size_t i = 2; i < line.size(); i++) {
        const words parts = split(line[i], ':');
        zmq_pollitem_t item = {nullptr, 0, parts.size() > 1 ? poll_bits(parts[1]) : short(0), 0};
        if (const auto found = w.descriptors.find(parts[0]); found != w.descriptors.end()) {
            item.fd = found->second;
        } else if (parts[0] == "badfd") {
            item.fd = -1;
        } else {
            item.socket = w.socket(parts[0]);
        }
        items.push_back(item);
    }
    const int got = w.api.zmq_poll(items.data(), static_cast<int>(items.size()), timeout_ms);
    std::string text = w.result(got);
    for (std::size_t i = 0; got != -1 && i < items.size(); i++) {
        text += " " + split(line[i + 2], ':')[0] + ":" + poll_letters(items[i].revents);
    }
    return text;
}

std::string make_descriptor(world &w, const words &line) {
    if (w.descriptors.contains(word(line, 1))) {
        throw no_object();
    }
    w.descriptors[line[1]] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return "ok";
}

std::string ring(world &w, const words &line) {
    const std::uint64_t one = 1;
    return write(find_in(w.descriptors, word(line, 1)), &one, sizeof one) == sizeof one ? "ok" : "failed";
}

std::string silence(world &w, const words &line) {
    std::uint64_t count = 0;
    return read(find_in(w.descriptors, word(line, 1)), &count, sizeof count) == sizeof count
               ? std::to_string(count)
               : "failed";
}

// events s0: ZMQ_EVENTS
std::string events_of(world &w, const words &line) {
    void *socket = w.socket(word(line, 1));
    int events = 0;
    std::size_t size = sizeof events;
    const int got = w.api.zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size);
    return got == -1 ? w.result(got) : poll_letters(static_cast<short>(events));
}

// fd_readable s0: is the descriptor of ZMQ_FD readable?
std::string fd_readable(world &w, const words &line) {
    zmq_fd_t descriptor = -1;
    std::size_t size = sizeof descriptor;
    const int got = w.api.zmq_getsockopt(w.socket(word(line, 1)), ZMQ_FD, &descriptor, &size);
    if (got == -1) {
        return w.result(got);
    }
    pollfd item = {descriptor, POLLIN, 0};
    return ::poll(&item, 1, 0) == 1 ? "rings" : "silent";
}

std::string make_poller(world &w, const words &line) {
    if (w.pollers.contains(word(line, 1))) {
        throw no_object();
    }
    void *made = require(w.api.zmq_poller_new)();
    w.pollers[line[1]] = made;
    return w.pointer_result(made);
}

void *poller(world &w, const words &line) {
    return word(line, 1) == "null" ? nullptr : find_in(w.pollers, line[1]);
}

// poller_add p0 s0 io: its user data is its name
std::string add(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_add);
    void *socket = w.socket(word(line, 2));
    auto *user = new std::string(line[2]); // the script's end frees it
    return w.result(function(poller(w, line), socket, user, poll_bits(word(line, 3))));
}

std::string modify(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_modify);
    return w.result(function(poller(w, line), w.socket(word(line, 2)), poll_bits(word(line, 3))));
}

std::string remove_socket(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_remove);
    return w.result(function(poller(w, line), w.socket(word(line, 2))));
}

int descriptor(world &w, const std::string &name) {
    return name == "badfd" ? -1 : find_in(w.descriptors, name);
}

std::string add_descriptor(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_add_fd);
    auto *user = new std::string(word(line, 2)); // the script's end frees it
    return w.result(function(poller(w, line), descriptor(w, line[2]), user, poll_bits(word(line, 3))));
}

std::string modify_descriptor(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_modify_fd);
    return w.result(function(poller(w, line), descriptor(w, word(line, 2)), poll_bits(word(line, 3))));
}

std::string remove_descriptor(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_remove_fd);
    return w.result(function(poller(w, line), descriptor(w, word(line, 2))));
}

std::string size_of(world &w, const words &line) {
    return w.result(require(w.api.zmq_poller_size)(poller(w, line)));
}

std::string descriptor_of(world &w, const words &line) {
    zmq_fd_t found = -1;
    const int got = require(w.api.zmq_poller_fd)(poller(w, line), &found);
    return got == 0 ? (found >= 0 ? "fd" : "0 without a descriptor") : w.result(got);
}

std::string describe(const zmq_poller_event_t &event) {
    const auto *user = static_cast<const std::string *>(event.user_data);
    return (user ? *user : "nothing") + ":" + poll_letters(event.events) +
           (event.socket ? "" : " by descriptor");
}

// poller_wait p0 50
std::string wait_one(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_wait);
    zmq_poller_event_t event = {};
    const int got = function(poller(w, line), &event, static_cast<long>(number_word(line, 2)));
    return w.result(got) + (got == -1 ? "" : " " + describe(event));
}

// poller_wait_all p0 50 4: up to 4 events
std::string wait_all(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_wait_all);
    zmq_poller_event_t events[most_events] = {};
    const int count = static_cast<int>(std::min<long long>(number_word(line, 3), most_events));
    const int got = function(poller(w, line), events, count, static_cast<long>(number_word(line, 2)));
    std::string text = w.result(got);
    for (int i = 0; i < got; i++) {
        text += " " + describe(events[i]);
    }
    return text;
}

std::string destroy(world &w, const words &line) {
    const auto function = require(w.api.zmq_poller_destroy);
    void *handle = poller(w, line);
    const int got = function(&handle);
    const std::string text = w.result(got) + (handle ? " kept" : " cleared");
    w.pollers.erase(line[1]);
    return text;
}

constexpr command commands[] = {{"poll", poll},
                                {"events", events_of},
                                {"fd_readable", fd_readable},
                                {"fd", make_descriptor},
                                {"fd_ring", ring},
                                {"fd_silence", silence},
                                {"poller", make_poller},
                                {"poller_add", add},
                                {"poller_modify", modify},
                                {"poller_remove", remove_socket},
                                {"poller_add_fd", add_descriptor},
                                {"poller_modify_fd", modify_descriptor},
                                {"poller_remove_fd", remove_descriptor},
                                {"poller_size", size_of},
                                {"poller_fd", descriptor_of},
                                {"poller_wait", wait_one},
                                {"poller_wait_all", wait_all},
                                {"poller_destroy", destroy}};

} // namespace

std::span<const command> poll_commands() {
    return commands;
}
