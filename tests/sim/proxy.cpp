// SPDX-License-Identifier: MPL-2.0
#include "sim/proxy.hpp"

#include <cerrno>
#include <cstring>

namespace sim {
namespace {

constexpr const char *control_name = "inproc://control";

// Waits in its calls, without a limit of time.
plan plan_of_control(const plan &of) {
    plan made = of;
    made.waits = waiting::in_call;
    made.send_limit_ms = -1;
    made.linger_ms = -1;
    return made;
}

} // namespace

proxy::proxy(const plan &of, void *context, int front_type, int back_type)
    : context_(context != nullptr ? context : own_.emplace(of).get()) {
    steering_.emplace(context_, ZMQ_PAIR, plan_of_control(of)).bind(control_name);
    thread_ = std::thread([=, this] { pass(of, front_type, back_type); });
}

proxy::~proxy() {
    steering_->send({"TERMINATE"});
    thread_.join();
}

// A signal ends zmq_proxy between two messages.
void proxy::pass(const plan &of, int front_type, int back_type) {
    program_socket front(context_, front_type, of);
    program_socket back(context_, back_type, of);
    program_socket control(context_, ZMQ_PAIR, plan_of_control(of));
    control.connect(control_name);
    attach(front, of, true, proxy_front, 0);
    attach(back, of, true, proxy_back, 0);
    while (zmq_proxy_steerable(front.get(), back.get(), nullptr, control.get()) != 0)
        if (errno != EINTR)
            fail("zmq_proxy_steerable: %s", std::strerror(errno));
}

} // namespace sim
