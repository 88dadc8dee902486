// SPDX-License-Identifier: MPL-2.0
#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

// Endpoint functions take a text and nothing else.
template <class Operation>
int with_endpoint(void *socket, const char *endpoint, Operation operation) noexcept {
    return guarded([&] {
        core::socket *used = as_socket(socket);
        if (used == nullptr)
            return -1;
        return endpoint == nullptr ? fail(EINVAL) : answer((used->*operation)(endpoint));
    });
}

} // namespace

extern "C" {

void *zmq_socket(void *context, int type) {
    core::socket *made = nullptr;
    guarded([&] {
        core::context *owner = as_context(context);
        if (owner == nullptr)
            return -1;
        const auto socket = owner->create_socket(type);
        if (!socket)
            return fail(socket.code());
        made = *socket;
        return 0;
    });
    return made;
}

int zmq_close(void *socket) {
    core::socket *closed = as_socket(socket);
    if (closed == nullptr)
        return -1;
    try {
        core::socket::close(closed);
        return 0;
    } catch (...) {
        return fail(ENOMEM);
    }
}

int zmq_setsockopt(void *socket, int option, const void *value, size_t size) {
    return set_option(as_socket(socket), option, value, size);
}
int zmq_getsockopt(void *socket, int option, void *value, size_t *size) {
    return get_option(as_socket(socket), option, value, size);
}

int zmq_bind(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::socket::bind);
}
int zmq_connect(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::socket::connect);
}
int zmq_socket_monitor_versioned(void *socket, const char *endpoint, uint64_t events, int event_version,
                                 int type) {
    return guarded([&] {
        core::socket *watched = as_socket(socket);
        if (watched == nullptr)
            return -1;
        return answer(endpoint == nullptr ? watched->stop_monitor()
                                          : watched->monitor_at(endpoint, events, event_version, type));
    });
}

int zmq_socket_monitor_pipes_stats(void *socket) {
    return guarded([&] {
        core::socket *watched = as_socket(socket);
        return watched == nullptr ? -1 : answer(watched->report_pipes());
    });
}

int zmq_socket_monitor(void *socket, const char *endpoint, int events) {
    return zmq_socket_monitor_versioned(socket, endpoint, static_cast<uint64_t>(events), 1, ZMQ_PAIR);
}

int zmq_unbind(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::socket::disconnect);
}
int zmq_disconnect(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::socket::disconnect);
}

} // extern "C"
