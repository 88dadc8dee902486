// SPDX-License-Identifier: MPL-2.0
#include "zlink/peers.h"

#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

namespace {

// Functions that take a text and nothing else: of an endpoint, or the name of a group.
template <class Operation>
int with_endpoint(void *socket, const char *endpoint, Operation operation) noexcept {
    return on_socket(socket, [&](core::socket &used) {
        return endpoint == nullptr ? fail(EINVAL) : answer((used.endpoints().*operation)(endpoint));
    });
}
template <class Operation> int with_group(void *socket, const char *group, Operation operation) noexcept {
    return on_socket(socket, [&](core::socket &used) {
        return group == nullptr ? fail(EINVAL) : answer((used.peers().*operation)(group));
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
    return guarded([&] {
        core::socket *closed = as_socket(socket);
        if (closed == nullptr)
            return -1;
        return answer(core::socket::close(closed));
    });
}

int zmq_setsockopt(void *socket, int option, const void *value, size_t size) {
    return on_socket(socket, [&](core::socket &used) { return set_option(&used, option, value, size); });
}
int zmq_getsockopt(void *socket, int option, void *value, size_t *size) {
    return may_wait_on(socket, [&](core::socket &used) { return get_option(&used, option, value, size); });
}

int zmq_bind(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::endpoint_list::bind);
}
int zmq_connect(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::endpoint_list::connect);
}
int zmq_socket_monitor_versioned(void *socket, const char *endpoint, uint64_t events, int event_version,
                                 int type) {
    return on_socket(socket, [&](core::socket &watched) {
        return answer(endpoint == nullptr ? watched.stop_monitor()
                                          : watched.monitor_at(endpoint, events, event_version, type));
    });
}

int zmq_socket_monitor_pipes_stats(void *socket) {
    return on_socket(socket, [](core::socket &watched) { return answer(watched.report_pipes()); });
}

int zmq_socket_monitor(void *socket, const char *endpoint, int events) {
    return zmq_socket_monitor_versioned(socket, endpoint, static_cast<uint64_t>(events), 1, ZMQ_PAIR);
}

int zmq_unbind(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::endpoint_list::disconnect);
}
int zmq_disconnect(void *socket, const char *endpoint) {
    return with_endpoint(socket, endpoint, &core::endpoint_list::disconnect);
}

uint32_t zmq_connect_peer(void *socket, const char *endpoint) {
    uint32_t number = 0;
    on_socket(socket, [&](core::socket &used) {
        if (endpoint == nullptr)
            return fail(EINVAL);
        const auto connected = used.endpoints().connect_peer(endpoint);
        if (!connected)
            return fail(connected.code());
        number = *connected;
        return 0;
    });
    return number;
}
int zmq_disconnect_peer(void *socket, uint32_t routing_id) {
    return on_socket(
        socket, [&](core::socket &used) { return answer(used.endpoints().disconnect_peer(routing_id)); });
}
int zlink_disconnect_peer(void *socket, const void *routing_id, size_t size) {
    return on_socket(socket, [&](core::socket &used) {
        if (routing_id == nullptr || size == 0)
            return fail(EINVAL);
        return answer(used.endpoints().disconnect_named({static_cast<const char *>(routing_id), size}));
    });
}
int zlink_disconnect_peer_number(void *socket, uint64_t number) {
    return on_socket(socket,
                     [&](core::socket &used) { return answer(used.endpoints().disconnect_counted(number)); });
}
int zmq_socket_get_peer_state(void *socket, const void *routing_id, size_t routing_id_size) {
    return on_socket(socket, [&](core::socket &used) {
        const auto state = used.peers().state_of({static_cast<const char *>(routing_id), routing_id_size});
        return state ? *state : fail(state.code());
    });
}

int zmq_join(void *socket, const char *group) {
    return with_group(socket, group, &core::peer_list::join_group);
}
int zmq_leave(void *socket, const char *group) {
    return with_group(socket, group, &core::peer_list::leave_group);
}

} // extern "C"
