// SPDX-License-Identifier: MPL-2.0
#include "mutations.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace {

api_table original;

int is_error(int result, int code) {
    return result == -1 && original.zmq_errno() == code;
}

// Puts a lambda into the table; it calls the function that was there by `original`.
#define MUTATION(name, function, ...)                                                                        \
    {                                                                                                        \
#name, [](api_table & api) { api.function = __VA_ARGS__; }                                           \
    }

struct mutation {
    std::string_view name;
    void (*plant)(api_table &);
};

int message_count = 0;

const mutation mutations[] = {
    MUTATION(poll_order, zmq_poll,
             [](zmq_pollitem_t *items, int count, long timeout) {
                 const int got = original.zmq_poll(items, count, timeout);
                 if (got > 0 && count > 1) {
                     std::swap(items[0].revents, items[1].revents);
                 }
                 return got;
             }),
    MUTATION(drop_message, zmq_msg_recv,
             [](zmq_msg_t *message, void *socket, int flags) {
                 const int got = original.zmq_msg_recv(message, socket, flags);
                 const bool again = got != -1 && ++message_count == 4;
                 return again ? original.zmq_msg_recv(message, socket, flags) : got;
             }),
    MUTATION(again_is_interrupted, zmq_msg_recv,
             [](zmq_msg_t *message, void *socket, int flags) {
                 const int got = original.zmq_msg_recv(message, socket, flags);
                 errno = is_error(got, EAGAIN) ? EINTR : errno;
                 return got;
             }),
    MUTATION(lost_event, zmq_socket_monitor,
             [](void *socket, const char *endpoint, int events) {
                 return original.zmq_socket_monitor(socket, endpoint, events & ~ZMQ_EVENT_LISTENING);
             }),
    MUTATION(wrong_mark, zmq_getsockopt,
             [](void *socket, int option, void *value, size_t *size) {
                 const int got = original.zmq_getsockopt(socket, option, value, size);
                 if (got == 0 && option == ZMQ_SNDHWM) {
                     ++*static_cast<int *>(value);
                 }
                 return got;
             }),
    MUTATION(takes_any_value, zmq_setsockopt,
             [](void *socket, int option, const void *value, size_t size) {
                 const int got = original.zmq_setsockopt(socket, option, value, size);
                 return is_error(got, EINVAL) && size == sizeof(int) ? 0 : got;
             }),
    MUTATION(disconnects_anything, zmq_disconnect,
             [](void *socket, const char *endpoint) {
                 const int got = original.zmq_disconnect(socket, endpoint);
                 return is_error(got, ENOENT) ? 0 : got;
             }),
    MUTATION(lost_more, zmq_msg_more, [](const zmq_msg_t *) { return 0; }),
    MUTATION(wrong_refusal, zmq_connect,
             [](void *socket, const char *endpoint) {
                 const int got = original.zmq_connect(socket, endpoint);
                 errno = got == -1 ? ENOENT : errno;
                 return got;
             }),
    MUTATION(short_send, zmq_send,
             [](void *socket, const void *data, size_t size, int flags) {
                 const int got = original.zmq_send(socket, data, size, flags);
                 return got > 1000 ? got - 1 : got;
             }),
    MUTATION(cancels_anything, zmq_timers_cancel,
             [](void *timers, int id) {
                 original.zmq_timers_cancel(timers, id);
                 return 0;
             }),
    MUTATION(cut_size, zmq_recv,
             [](void *socket, void *data, size_t size, int flags) {
                 const int got = original.zmq_recv(socket, data, size, flags);
                 return got > static_cast<int>(size) ? static_cast<int>(size) : got;
             }),
    MUTATION(state_is_again, zmq_send,
             [](void *socket, const void *data, size_t size, int flags) {
                 const int got = original.zmq_send(socket, data, size, flags);
                 errno = is_error(got, EFSM) ? EAGAIN : errno;
                 return got;
             }),
    MUTATION(deaf_subscriber, zmq_setsockopt,
             [](void *socket, int option, const void *value, size_t size) {
                 const bool deaf = option == ZMQ_SUBSCRIBE && size > 0;
                 return deaf ? 0 : original.zmq_setsockopt(socket, option, value, size);
             }),
    MUTATION(larger_mark, zmq_setsockopt,
             [](void *socket, int option, const void *value, size_t size) {
                 int more = 0;
                 if ((option == ZMQ_SNDHWM || option == ZMQ_RCVHWM) && size == sizeof more) {
                     std::memcpy(&more, value, sizeof more);
                     more += more > 0;
                     value = &more;
                 }
                 return original.zmq_setsockopt(socket, option, value, size);
             }),
    MUTATION(empty_copy, zmq_msg_copy, [](zmq_msg_t *, zmq_msg_t *) { return 0; }),
    MUTATION(unbinds_anything, zmq_unbind,
             [](void *socket, const char *endpoint) {
                 original.zmq_unbind(socket, endpoint);
                 return 0;
             }),
    MUTATION(wrong_context_option, zmq_ctx_get,
             [](void *context, int option) {
                 const int got = original.zmq_ctx_get(context, option);
                 return option == ZMQ_MAX_SOCKETS ? got + 1 : got;
             }),
    MUTATION(lost_count, zlink_stats_value,
             [](const zlink_stats *stats, int subject, const char *name, uint64_t *value) {
                 const int got = original.zlink_stats_value(stats, subject, name, value);
                 if (got == 0 && std::string_view(name) == "received.messages" && *value > 3) {
                     --*value;
                 }
                 return got;
             }),
};

#undef MUTATION

} // namespace

bool mutate(api_table &api, std::string_view name) {
    original = api;
    for (const mutation &each : mutations) {
        if (each.name == name) {
            each.plant(api);
            return true;
        }
    }
    return false;
}

std::vector<std::string_view> mutation_names() {
    std::vector<std::string_view> names;
    for (const mutation &each : mutations) {
        names.push_back(each.name);
    }
    return names;
}
