// SPDX-License-Identifier: MPL-2.0
#include "sim/watcher.hpp"

#include <cstring>

namespace sim {
namespace {

constexpr int wait_ms = 20;

plan plan_of_events(const plan &like) {
    plan made;
    made.how = like.how;
    made.receive_limit_ms = wait_ms;
    return made;
}

} // namespace

watcher::watcher(void *context, program_socket &of, const plan &like)
    : of_(of), events_(context, ZMQ_PAIR, plan_of_events(like)) {
    static int number = 0;
    const std::string name = "inproc://events " + std::to_string(number++);
    while (zmq_socket_monitor(of.get(), name.c_str(), ZMQ_EVENT_ALL) != 0)
        pause_a_while(wait_ms);
    events_.connect(name);
}

watcher::~watcher() {
    zmq_socket_monitor(of_.get(), nullptr, 0);
}

std::uint64_t watcher::count(int event) {
    read_all();
    return counts_[event];
}

// The first frame begins with the event's number.
void watcher::read_all() {
    frames message;
    while (events_.receive(message)) {
        std::uint16_t event = 0;
        if (message.size() != 2 || message.front().size() != 6)
            fail("an event has %zu frames", message.size());
        std::memcpy(&event, message.front().data(), sizeof event);
        ++counts_[event];
    }
}

} // namespace sim
