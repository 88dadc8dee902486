/* SPDX-License-Identifier: MPL-2.0 */
/*
 * The functions that libzmq calls drafts. <zmq.h> includes this file when ZMQ_BUILD_DRAFT_API is defined; the
 * library exports them always. The rules of <zmq.h> on errors, threads, units and lifetimes hold here too.
 */
#ifndef ZLINK_C_DRAFT_H
#define ZLINK_C_DRAFT_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h> with ZMQ_BUILD_DRAFT_API defined"
#endif

#if !defined(_WIN32)
#include <sys/select.h> /* sigset_t, in strict C too */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What zmq_poller_wait reports: which socket or fd, its user_data, and the ZMQ_POLL* bits. */
typedef struct zmq_poller_event_t {
    void *socket;
    zmq_fd_t fd;
    void *user_data;
    short events;
} zmq_poller_event_t;

/* ---- Contexts and sockets ------------------------------------------------------------ */

/* zmq_ctx_set and zmq_ctx_get for options of any type; *optvallen is the room, and then what was used. EINVAL
 * EFAULT. */
ZMQ_EXPORT int zmq_ctx_set_ext(void *context, int option, const void *optval, size_t optvallen);
ZMQ_EXPORT int zmq_ctx_get_ext(void *context, int option, void *optval, size_t *optvallen);
/* DISH: enters or leaves a group, at most ZMQ_GROUP_MAX_LENGTH bytes. EINVAL: longer, or it is a member
 * already, or is none. ENOTSUP: another type. */
ZMQ_EXPORT int zmq_join(void *socket, const char *group);
ZMQ_EXPORT int zmq_leave(void *socket, const char *group);
/* PEER: connects and gives the routing id of the new peer; 0 on error. ENOTSUP: another type. EFAULT: with
 * ZMQ_IMMEDIATE. The errors of zmq_connect. */
ZMQ_EXPORT uint32_t zmq_connect_peer(void *socket, const char *endpoint);
/* PEER, SERVER: drops the peer with that routing id. ENOTSUP, EHOSTUNREACH. */
ZMQ_EXPORT int zmq_disconnect_peer(void *socket, uint32_t routing_id);
/* ROUTER: ZMQ_POLLIN and ZMQ_POLLOUT of one peer. EHOSTUNREACH: unknown peer. ENOTSUP. */
ZMQ_EXPORT int zmq_socket_get_peer_state(void *socket, const void *routing_id, size_t routing_id_size);
/* zmq_socket_monitor with event format 1 or 2 through a PAIR, PUB or PUSH socket. Format 2 is frames of
 * uint64 (event, number of values, the values) and then the local and the remote endpoint. EINVAL
 * EPROTONOSUPPORT ETERM ENOTSOCK. */
ZMQ_EXPORT int zmq_socket_monitor_versioned(void *socket, const char *endpoint, uint64_t events,
                                            int event_version, int type);
/* Asks the monitor for one ZMQ_EVENT_PIPES_STATS per pipe: messages waiting outbound, inbound. ENOTSOCK
 * EAGAIN EINVAL. */
ZMQ_EXPORT int zmq_socket_monitor_pipes_stats(void *socket);

/* ---- Messages ------------------------------------------------------------------------ */

/* The peer a message goes to or came from (SERVER, PEER); 0 is none. EINVAL. */
ZMQ_EXPORT int zmq_msg_set_routing_id(zmq_msg_t *msg, uint32_t routing_id);
ZMQ_EXPORT uint32_t zmq_msg_routing_id(zmq_msg_t *msg);
/* The group of a message (RADIO, DISH). The string lives as long as the message. EINVAL: too long. */
ZMQ_EXPORT int zmq_msg_set_group(zmq_msg_t *msg, const char *group);
ZMQ_EXPORT const char *zmq_msg_group(zmq_msg_t *msg);
/* A message with a copy of `size` bytes. ENOMEM. */
ZMQ_EXPORT int zmq_msg_init_buffer(zmq_msg_t *msg, const void *buf, size_t size);

/* ---- Pollers: a zmq_poll that remembers ---------------------------------------------- */

/* EFAULT: not a poller. EINVAL: a socket or fd that is there already, or is not there. */
ZMQ_EXPORT void *zmq_poller_new(void);
ZMQ_EXPORT int zmq_poller_destroy(void **poller_p);
ZMQ_EXPORT int zmq_poller_size(void *poller);
ZMQ_EXPORT int zmq_poller_add(void *poller, void *socket, void *user_data, short events);
ZMQ_EXPORT int zmq_poller_modify(void *poller, void *socket, short events);
ZMQ_EXPORT int zmq_poller_remove(void *poller, void *socket);
ZMQ_EXPORT int zmq_poller_add_fd(void *poller, zmq_fd_t fd, void *user_data, short events);
ZMQ_EXPORT int zmq_poller_modify_fd(void *poller, zmq_fd_t fd, short events);
ZMQ_EXPORT int zmq_poller_remove_fd(void *poller, zmq_fd_t fd);
/* Waits up to `timeout` ms for one event, or for up to n_events of them (gives their number). EAGAIN: time is
 * over. EFAULT: the poller is empty and the time has no end. ETERM EINTR. */
ZMQ_EXPORT int zmq_poller_wait(void *poller, zmq_poller_event_t *event, long timeout);
ZMQ_EXPORT int zmq_poller_wait_all(void *poller, zmq_poller_event_t *events, int n_events, long timeout);
/* An fd that is readable when the poller should be asked; only with thread-safe sockets in it. EINVAL EFAULT.
 */
ZMQ_EXPORT int zmq_poller_fd(void *poller, zmq_fd_t *fd);

/* zmq_poll during which the signal mask is `sigmask`, as ppoll does it; NULL leaves the mask alone. */
#if defined(_WIN32)
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t *items, int nitems, long timeout, const void *sigmask);
#else
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t *items, int nitems, long timeout, const sigset_t *sigmask);
#endif

#ifdef __cplusplus
}
#endif

#endif /* ZLINK_C_DRAFT_H */
