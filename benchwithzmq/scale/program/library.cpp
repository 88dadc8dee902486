// SPDX-License-Identifier: MPL-2.0
#include "scale/program/library.hpp"

#include "common/fail.hpp"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>
#include <zmq.h>

namespace bench::scale {
namespace {

[[noreturn]] void fail_call(const char *call) {
    fail("%s: %s", call, zmq_strerror(zmq_errno()));
}

void set_context(void *handle, int option, int value) {
    if (zmq_ctx_set(handle, option, value) != 0)
        fail_call("zmq_ctx_set");
}

} // namespace

context::context(int io_threads, int sockets) : handle_(zmq_ctx_new()) {
    if (handle_ == nullptr)
        fail_call("zmq_ctx_new");
    set_context(handle_, ZMQ_IO_THREADS, io_threads);
    set_context(handle_, ZMQ_MAX_SOCKETS, sockets);
}

context::~context() {
    while (zmq_ctx_term(handle_) != 0) {
        if (zmq_errno() != EINTR)
            fail_call("zmq_ctx_term");
    }
}

socket::socket(const context &owner, int type) : handle_(zmq_socket(owner.get(), type)) {
    if (handle_ == nullptr)
        fail_call("zmq_socket");
    unlimit(ZMQ_SNDHWM);
    unlimit(ZMQ_RCVHWM);
    set(ZMQ_LINGER, 0);
    set(ZMQ_BACKLOG, 1024);
    // Without it a ROUTER silently drops what it cannot send.
    if (type == ZMQ_ROUTER)
        set(ZMQ_ROUTER_MANDATORY, 1);
}

socket::~socket() {
    if (handle_ != nullptr && zmq_close(handle_) != 0)
        fail_call("zmq_close");
}

void socket::set(int option, int value) {
    if (zmq_setsockopt(handle_, option, &value, sizeof value) != 0)
        fail("zmq_setsockopt of option %d: %s", option, zmq_strerror(zmq_errno()));
}

// A peer may know no 0 for "no limit": then one that no scenario reaches.
void socket::unlimit(int option) {
    constexpr int none = 0;
    constexpr int never_reached = 20'000'000;
    if (zmq_setsockopt(handle_, option, &none, sizeof none) != 0)
        set(option, never_reached);
}

std::string socket::bind(const std::string &endpoint) {
    if (zmq_bind(handle_, endpoint.c_str()) != 0)
        fail("zmq_bind to %s: %s", endpoint.c_str(), zmq_strerror(zmq_errno()));
    char resolved[256];
    std::size_t size = sizeof resolved;
    if (zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, resolved, &size) != 0)
        fail_call("zmq_getsockopt(ZMQ_LAST_ENDPOINT)");
    return resolved;
}

void socket::connect(const std::string &endpoint) {
    if (zmq_connect(handle_, endpoint.c_str()) != 0)
        fail("zmq_connect to %s: %s", endpoint.c_str(), zmq_strerror(zmq_errno()));
}

void socket::subscribe(std::string_view topic) {
    if (zmq_setsockopt(handle_, ZMQ_SUBSCRIBE, topic.data(), topic.size()) != 0)
        fail_call("zmq_setsockopt(ZMQ_SUBSCRIBE)");
}

void socket::send(const void *bytes, std::size_t size, int flags) {
    if (zmq_send(handle_, bytes, size, flags) != static_cast<int>(size))
        fail_call("zmq_send");
}

void socket::receive(body &message) {
    const std::size_t size = receive(message.data(), message.size());
    if (size != message.size())
        fail("a frame of %zu bytes arrived where one of %zu was due", size, message.size());
}

std::size_t socket::receive(void *bytes, std::size_t capacity) {
    const int size = zmq_recv(handle_, bytes, capacity, 0);
    if (size < 0)
        fail_call("zmq_recv");
    return static_cast<std::size_t>(size);
}

bool socket::try_receive(void *bytes, std::size_t capacity) {
    const int size = zmq_recv(handle_, bytes, capacity, ZMQ_DONTWAIT);
    if (size < 0 && zmq_errno() != EAGAIN)
        fail_call("zmq_recv");
    return size >= 0;
}

void socket::touch() {
    int events = 0;
    std::size_t size = sizeof events;
    if (zmq_getsockopt(handle_, ZMQ_EVENTS, &events, &size) != 0)
        fail_call("zmq_getsockopt(ZMQ_EVENTS)");
}

address::address(const std::string &transport, const std::string &suffix) {
    if (transport == "inproc") {
        endpoint_ = "inproc://scale" + suffix;
    } else if (transport == "tcp") {
        endpoint_ = "tcp://127.0.0.1:*";
    } else if (transport == "ipc") {
        const char *folder = std::getenv("TMPDIR");
        file_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/zmq-scale-" +
                std::to_string(getpid()) + suffix + ".ipc";
        endpoint_ = "ipc://" + file_;
    } else {
        fail("the transport is '%s', not one of inproc, tcp, ipc", transport.c_str());
    }
}

address::~address() {
    if (!file_.empty())
        unlink(file_.c_str());
}

} // namespace bench::scale
