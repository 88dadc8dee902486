// SPDX-License-Identifier: MPL-2.0
//
// A library with the draft functions of Debian's libzmq. Its static library has them, but hidden and under the names that
// C++ gives; this file passes the C names on to them. Only their binary form is used.
#include <cstddef>
#include <cstdint>

struct zmq_msg_t;
struct zmq_poller_event_t;

// As the archive has them.
const char *zmq_msg_group(zmq_msg_t *);
int zmq_msg_set_group(zmq_msg_t *, const char *);
std::uint32_t zmq_msg_routing_id(zmq_msg_t *);
int zmq_msg_set_routing_id(zmq_msg_t *, std::uint32_t);
int zmq_msg_init_buffer(zmq_msg_t *, const void *, std::size_t);
int zmq_ctx_set_ext(void *, int, const void *, std::size_t);
int zmq_ctx_get_ext(void *, int, void *, std::size_t *);
std::uint32_t zmq_connect_peer(void *, const char *);
int zmq_join(void *, const char *);
int zmq_leave(void *, const char *);
int zmq_socket_get_peer_state(void *, const void *, std::size_t);
int zmq_socket_monitor_versioned(void *, const char *, std::uint64_t, int, int);
int zmq_socket_monitor_pipes_stats(void *);
void *zmq_poller_new();
int zmq_poller_destroy(void **);
int zmq_poller_size(void *);
int zmq_poller_add(void *, void *, void *, short);
int zmq_poller_modify(void *, void *, short);
int zmq_poller_remove(void *, void *);
int zmq_poller_wait(void *, zmq_poller_event_t *, long);
int zmq_poller_wait_all(void *, zmq_poller_event_t *, int, long);
int zmq_poller_fd(void *, int *);
int zmq_poller_add_fd(void *, int, void *, short);
int zmq_poller_modify_fd(void *, int, short);
int zmq_poller_remove_fd(void *, int);

// EXPOSE(result, name, (parameters), (arguments)) defines the C function of this name.
#define EXPOSE(result, name, parameters, arguments)                                                          \
    extern "C" __attribute__((visibility("default"))) result exposed_##name parameters __asm__(#name);       \
    result exposed_##name parameters { return name arguments; }

EXPOSE(const char *, zmq_msg_group, (zmq_msg_t * m), (m))
EXPOSE(int, zmq_msg_set_group, (zmq_msg_t * m, const char *group), (m, group))
EXPOSE(std::uint32_t, zmq_msg_routing_id, (zmq_msg_t * m), (m))
EXPOSE(int, zmq_msg_set_routing_id, (zmq_msg_t * m, std::uint32_t id), (m, id))
EXPOSE(int, zmq_msg_init_buffer, (zmq_msg_t * m, const void *data, std::size_t size), (m, data, size))
EXPOSE(int, zmq_ctx_set_ext, (void *c, int option, const void *value, std::size_t size), (c, option, value, size))
EXPOSE(int, zmq_ctx_get_ext, (void *c, int option, void *value, std::size_t *size), (c, option, value, size))
EXPOSE(std::uint32_t, zmq_connect_peer, (void *s, const char *endpoint), (s, endpoint))
EXPOSE(int, zmq_join, (void *s, const char *group), (s, group))
EXPOSE(int, zmq_leave, (void *s, const char *group), (s, group))
EXPOSE(int, zmq_socket_get_peer_state, (void *s, const void *id, std::size_t size), (s, id, size))
EXPOSE(int, zmq_socket_monitor_versioned, (void *s, const char *endpoint, std::uint64_t events, int version, int type),
       (s, endpoint, events, version, type))
EXPOSE(int, zmq_socket_monitor_pipes_stats, (void *s), (s))
EXPOSE(void *, zmq_poller_new, (), ())
EXPOSE(int, zmq_poller_destroy, (void **p), (p))
EXPOSE(int, zmq_poller_size, (void *p), (p))
EXPOSE(int, zmq_poller_add, (void *p, void *s, void *user, short events), (p, s, user, events))
EXPOSE(int, zmq_poller_modify, (void *p, void *s, short events), (p, s, events))
EXPOSE(int, zmq_poller_remove, (void *p, void *s), (p, s))
EXPOSE(int, zmq_poller_wait, (void *p, zmq_poller_event_t *event, long timeout), (p, event, timeout))
EXPOSE(int, zmq_poller_wait_all, (void *p, zmq_poller_event_t *events, int count, long timeout),
       (p, events, count, timeout))
EXPOSE(int, zmq_poller_fd, (void *p, int *fd), (p, fd))
EXPOSE(int, zmq_poller_add_fd, (void *p, int fd, void *user, short events), (p, fd, user, events))
EXPOSE(int, zmq_poller_modify_fd, (void *p, int fd, short events), (p, fd, events))
EXPOSE(int, zmq_poller_remove_fd, (void *p, int fd), (p, fd))
