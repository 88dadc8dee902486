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

/* Result of zmq_poller_wait: the socket or fd, its user_data, and the ZMQ_POLL* bits. */
typedef struct zmq_poller_event_t {
    void *socket;
    zmq_fd_t fd;
    void *user_data;
    short events;
} zmq_poller_event_t;

/* ---- Contexts ------------------------------------------------------------------------ */

/*
 * Sets a context option of any type.
 *
 * @param context the context
 * @param option a number from the table of context options
 * @param optval an int, or for ZMQ_THREAD_NAME_PREFIX text
 * @param optvallen its size, in bytes
 * @return 0 or -1
 * @error EFAULT it is not a context
 * @error EINVAL unknown option, one that cannot be set, wrong size or value
 * @threads any
 * @source zmq_ctx_set_ext(3)
 */
ZMQ_EXPORT int zmq_ctx_set_ext(void *context, int option, const void *optval, size_t optvallen);

/*
 * Reads a context option of any type.
 *
 * @param context the context
 * @param option a number from the table of context options
 * @param optval where the value is stored
 * @param optvallen in: the room there, in bytes; out: what was used
 * @return 0 or -1
 * @error EFAULT it is not a context
 * @error EINVAL unknown option, one that cannot be read, or too little room
 * @threads any
 * @source zmq_ctx_get_ext(3)
 */
ZMQ_EXPORT int zmq_ctx_get_ext(void *context, int option, void *optval, size_t *optvallen);

/* ---- Sockets ------------------------------------------------------------------------- */

/*
 * Has a DISH receive the messages of a group.
 *
 * @param socket a DISH
 * @param group its name, up to ZMQ_GROUP_MAX_LENGTH bytes and a NUL
 * @return 0 or -1
 * @error EINVAL the name is longer, or the group was joined already
 * @error ENOTSUP not a DISH
 * @error ETERM
 * @error ENOTSOCK
 * @threads any
 * @source RFC 48 (RADIO-DISH)
 */
ZMQ_EXPORT int zmq_join(void *socket, const char *group);

/*
 * Takes zmq_join back.
 *
 * @param socket a DISH
 * @param group its name, up to ZMQ_GROUP_MAX_LENGTH bytes and a NUL
 * @return 0 or -1
 * @error EINVAL the name is longer, or the group was not joined
 * @error ENOTSUP not a DISH
 * @error ETERM
 * @error ENOTSOCK
 * @threads any
 * @source RFC 48 (RADIO-DISH)
 */
ZMQ_EXPORT int zmq_leave(void *socket, const char *group);

/*
 * Connects a PEER and tells the routing id of the connection.
 *
 * Messages may be sent to it at once. The id outlives reconnections.
 * @param socket a PEER
 * @param endpoint as in zmq_connect
 * @return the routing id, from 1; 0 on error
 * @error ENOTSUP not a PEER
 * @error EFAULT the socket has ZMQ_IMMEDIATE
 * @error EINVAL EPROTONOSUPPORT ENOCOMPATPROTO ENAMETOOLONG EMTHREAD ETERM ENOTSOCK as in zmq_connect
 * @threads any
 * @source zmq_connect_peer(3)
 */
ZMQ_EXPORT uint32_t zmq_connect_peer(void *socket, const char *endpoint);

/*
 * Drops the connection of one peer.
 *
 * One of zmq_connect_peer is not made again. Messages that came over it and were not received are dropped.
 * @param socket a PEER or SERVER
 * @param routing_id of the peer
 * @return 0 or -1
 * @error ENOTSUP neither PEER nor SERVER
 * @error EHOSTUNREACH no such peer
 * @error ETERM
 * @error ENOTSOCK
 * @threads any
 * @source the interface of libzmq after 4.3.5
 */
ZMQ_EXPORT int zmq_disconnect_peer(void *socket, uint32_t routing_id);

/*
 * Tells whether something came from one peer of a ROUTER, and whether it can be sent to.
 *
 * @param socket a ROUTER
 * @param routing_id of the peer
 * @param routing_id_size its size, in bytes
 * @return ZMQ_POLLIN, ZMQ_POLLOUT, both or 0; -1 on error
 * @error EHOSTUNREACH no such peer
 * @error ENOTSUP not a ROUTER
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source the draft header of libzmq 4.3.5
 */
ZMQ_EXPORT int zmq_socket_get_peer_state(void *socket, const void *routing_id, size_t routing_id_size);

/* ---- Monitors ------------------------------------------------------------------------ */

/*
 * zmq_socket_monitor with a choice of format and of the type of socket that writes the events.
 *
 * Format 2 has frames of uint64 in native order: event, number of values, the values; and then the local and
 * the remote endpoint.
 * @param socket the socket
 * @param endpoint "inproc://name"; NULL: stop the monitor
 * @param events ZMQ_EVENT_* bits; those above ZMQ_EVENT_ALL_V1 in format 2 only
 * @param event_version 1 or 2
 * @param type ZMQ_PAIR, ZMQ_PUB or ZMQ_PUSH
 * @return 0 or -1
 * @error EINVAL not an endpoint, unknown events, format or type
 * @error EPROTONOSUPPORT not inproc
 * @error EADDRINUSE the name is taken
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source zmq_socket_monitor_versioned(3)
 */
ZMQ_EXPORT int zmq_socket_monitor_versioned(void *socket, const char *endpoint, uint64_t events,
                                            int event_version, int type);

/*
 * Has the monitor report ZMQ_EVENT_PIPES_STATS for each connection: messages waiting to go out, and to be
 * received.
 *
 * @param socket the socket
 * @return 0 or -1
 * @error EINVAL no monitor asked for that event
 * @error EAGAIN there is no connection
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source the draft header of libzmq 4.3.5
 */
ZMQ_EXPORT int zmq_socket_monitor_pipes_stats(void *socket);

/* ---- Messages ------------------------------------------------------------------------ */

/*
 * Says which peer a message goes to (SERVER, PEER).
 *
 * @param msg an initialised message
 * @param routing_id of the peer, not 0
 * @return 0 or -1
 * @error EINVAL 0 is nobody's
 * @threads holder
 * @source zmq_msg_set_routing_id(3)
 */
ZMQ_EXPORT int zmq_msg_set_routing_id(zmq_msg_t *msg, uint32_t routing_id);

/*
 * Tells which peer a message came from, or goes to (SERVER, PEER).
 *
 * @param msg an initialised message
 * @return the routing id; 0: none
 * @threads holder
 * @source zmq_msg_routing_id(3)
 */
ZMQ_EXPORT uint32_t zmq_msg_routing_id(zmq_msg_t *msg);

/*
 * Says which group a message goes to (RADIO).
 *
 * @param msg an initialised message
 * @param group its name, up to ZMQ_GROUP_MAX_LENGTH bytes and a NUL
 * @return 0 or -1
 * @error EINVAL the name is longer
 * @error ENOMEM
 * @threads holder
 * @source RFC 48 (RADIO-DISH)
 */
ZMQ_EXPORT int zmq_msg_set_group(zmq_msg_t *msg, const char *group);

/*
 * Tells which group a message is of (RADIO, DISH).
 *
 * @param msg an initialised message
 * @return the name, which lives as long as the message; "" where there is none
 * @threads holder
 * @source RFC 48 (RADIO-DISH)
 */
ZMQ_EXPORT const char *zmq_msg_group(zmq_msg_t *msg);

/*
 * Makes a message with a copy of some bytes.
 *
 * @param msg memory of the caller that holds no message; unchanged on error
 * @param buf the bytes
 * @param size their number
 * @return 0 or -1
 * @error ENOMEM
 * @threads holder
 * @source zmq_msg_init_buffer(3)
 */
ZMQ_EXPORT int zmq_msg_init_buffer(zmq_msg_t *msg, const void *buf, size_t size);

/* ---- Pollers ------------------------------------------------------------------------- */

/*
 * Makes an empty poller: a zmq_poll that remembers its rows.
 *
 * @return the poller, to be freed with zmq_poller_destroy; NULL on error
 * @error ENOMEM
 * @threads any
 * @source zmq_poller(3)
 */
ZMQ_EXPORT void *zmq_poller_new(void);

/*
 * Frees a poller. Its sockets stay as they are.
 *
 * @param poller_p where the poller's handle is; set to NULL
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_destroy(void **poller_p);

/*
 * Counts the sockets and descriptors in a poller.
 *
 * @param poller the poller
 * @return their number, or -1
 * @error EFAULT it is not a poller
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_size(void *poller);

/*
 * Adds a socket to a poller.
 *
 * It is to be removed before it is closed.
 * @param poller the poller
 * @param socket the socket
 * @param user_data given back with its events
 * @param events ZMQ_POLL* bits; 0: none for now
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error ENOTSOCK
 * @error EINVAL it is there already, or unknown bits
 * @error ENOMEM
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_add(void *poller, void *socket, void *user_data, short events);

/*
 * Changes what a poller waits for at a socket.
 *
 * @param poller the poller
 * @param socket a socket in it
 * @param events ZMQ_POLL* bits; 0: none for now
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error ENOTSOCK
 * @error EINVAL it is not there, or unknown bits
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_modify(void *poller, void *socket, short events);

/*
 * Takes a socket out of a poller.
 *
 * @param poller the poller
 * @param socket a socket in it
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error ENOTSOCK
 * @error EINVAL it is not there
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_remove(void *poller, void *socket);

/*
 * Adds a descriptor to a poller.
 *
 * @param poller the poller
 * @param fd the descriptor, of any kind that poll(2) takes
 * @param user_data given back with its events
 * @param events ZMQ_POLL* bits; 0: none for now
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error EBADF the descriptor is -1
 * @error EINVAL it is there already, or unknown bits
 * @error ENOMEM
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_add_fd(void *poller, zmq_fd_t fd, void *user_data, short events);

/*
 * Changes what a poller waits for at a descriptor.
 *
 * @param poller the poller
 * @param fd a descriptor in it
 * @param events ZMQ_POLL* bits; 0: none for now
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error EBADF the descriptor is -1
 * @error EINVAL it is not there, or unknown bits
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_modify_fd(void *poller, zmq_fd_t fd, short events);

/*
 * Takes a descriptor out of a poller.
 *
 * @param poller the poller
 * @param fd a descriptor in it
 * @return 0 or -1
 * @error EFAULT it is not a poller
 * @error EBADF the descriptor is -1
 * @error EINVAL it is not there
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_remove_fd(void *poller, zmq_fd_t fd);

/*
 * Waits for one event.
 *
 * @param poller the poller
 * @param event what happened; after an error: no socket, fd -1, no bits
 * @param timeout ms; 0: do not wait; -1: for ever
 * @return 0 or -1
 * @error EAGAIN the time is over
 * @error EFAULT it is not a poller, event is NULL, or there is nothing to wait for and no end of the time
 * @error ENOTSOCK a socket in it was closed
 * @error ETERM
 * @error EINTR
 * @error ENOMEM
 * @threads the thread of all its sockets; any for thread-safe ones
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_wait(void *poller, zmq_poller_event_t *event, long timeout);

/*
 * Waits for events.
 *
 * The first ready items in the order of their registration are reported; the rest of the room is filled with
 * empty events.
 * @param poller the poller
 * @param events room for n_events of them
 * @param n_events from 0
 * @param timeout ms; 0: do not wait; -1: for ever
 * @return how many happened, from 1; or -1
 * @error EAGAIN the time is over, or n_events is 0
 * @error EFAULT it is not a poller, events is NULL, or there is nothing to wait for and no end of the time
 * @error EINVAL n_events is negative
 * @error ENOTSOCK a socket in it was closed
 * @error ETERM
 * @error EINTR
 * @error ENOMEM
 * @threads the thread of all its sockets; any for thread-safe ones
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_wait_all(void *poller, zmq_poller_event_t *events, int n_events, long timeout);

/*
 * Gives a descriptor that is readable when the poller should be asked, for another event loop.
 *
 * It is readable from the moment something may be there until zmq_poller_wait has answered EAGAIN, and stays
 * the same while the poller lives.
 * @param poller a poller with a thread-safe socket in it
 * @param fd where the descriptor is stored
 * @return 0 or -1
 * @error EFAULT it is not a poller, or fd is NULL
 * @error EINVAL no thread-safe socket is in it
 * @error EMFILE no descriptor is left
 * @threads holder
 * @source zmq_poller(3)
 */
ZMQ_EXPORT int zmq_poller_fd(void *poller, zmq_fd_t *fd);

/* ---- Polling ------------------------------------------------------------------------- */

/*
 * zmq_poll with a signal mask for the time of the wait, put in place in one step with it.
 *
 * @param items as in zmq_poll
 * @param nitems as in zmq_poll
 * @param timeout as in zmq_poll
 * @param sigmask signals that are blocked meanwhile; NULL: as zmq_poll
 * @return as zmq_poll
 * @error ETERM EFAULT EINVAL ENOTSOCK ENOMEM as in zmq_poll
 * @error EINTR a signal that the mask lets through came, with a timeout of 0 too
 * @threads the thread of all its sockets; any for thread-safe ones
 * @source zmq_ppoll(3), ppoll(2)
 */
#if defined(_WIN32)
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t *items, int nitems, long timeout, const void *sigmask);
#else
ZMQ_EXPORT int zmq_ppoll(zmq_pollitem_t *items, int nitems, long timeout, const sigset_t *sigmask);
#endif

#ifdef __cplusplus
}
#endif

#endif /* ZLINK_C_DRAFT_H */
