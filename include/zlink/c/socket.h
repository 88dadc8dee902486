/* SPDX-License-Identifier: MPL-2.0 */
/* Part of <zmq.h>: sockets, sending and receiving, monitors. */
#ifndef ZLINK_C_SOCKET_H
#define ZLINK_C_SOCKET_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h>"
#endif

/* ---- Sockets ------------------------------------------------------------------------- */

/*
 * Makes a socket. It is neither bound nor connected yet.
 *
 * @param context the context
 * @param type one of the socket types ZMQ_PAIR to ZMQ_CHANNEL
 * @return the socket, to be closed with zmq_close; NULL on error
 * @error EINVAL unknown type
 * @error EFAULT it is not a context
 * @error EMFILE ZMQ_MAX_SOCKETS are open, or there is no descriptor for an I/O thread
 * @error ETERM
 * @error ENOMEM
 * @threads any
 * @source zmq_socket(3)
 */
ZMQ_EXPORT void *zmq_socket(void *context, int type);

/*
 * Closes a socket and gives its handle up.
 *
 * Returns at once. Messages that are still to be sent go on for ZMQ_LINGER, which zmq_ctx_term waits for.
 * Messages that arrived and were not received by the application are dropped.
 * @param socket the socket; no handle any more after 0
 * @return 0 or -1
 * @error ENOTSOCK
 * @threads socket
 * @source zmq_close(3)
 */
ZMQ_EXPORT int zmq_close(void *socket);

/*
 * Sets an option. An error changes nothing.
 *
 * Most options count for binds and connects that come after; marks, timeouts, ZMQ_LINGER and what concerns
 * subscriptions take effect at once.
 * @param socket the socket
 * @param option a number from the table of socket options
 * @param optval the value, of the type that the table has. Text needs no final NUL. NULL with a size of 0
 *   clears the option where the table says so
 * @param optvallen its size, in bytes
 * @return 0 or -1
 * @error EINVAL unknown option, one that cannot be set, wrong size or value, or not for this socket type
 * @error ETERM
 * @error ENOTSOCK
 * @error EINTR
 * @error ENOMEM
 * @threads socket
 * @source zmq_setsockopt(3)
 */
ZMQ_EXPORT int zmq_setsockopt(void *socket, int option, const void *optval, size_t optvallen);

/*
 * Reads an option.
 *
 * @param socket the socket
 * @param option a number from the table of socket options
 * @param optval where the value is stored; text with a final NUL
 * @param optvallen in: the room there, in bytes; out: what was used
 * @return 0 or -1
 * @error EINVAL unknown option, one that cannot be read, not of this socket type, or too little room
 * @error ETERM
 * @error ENOTSOCK
 * @error EINTR
 * @threads socket
 * @source zmq_getsockopt(3)
 */
ZMQ_EXPORT int zmq_getsockopt(void *socket, int option, void *optval, size_t *optvallen);

/*
 * Listens at an endpoint.
 *
 * A socket may listen at several endpoints and connect to others as well. When it returns, peers can connect.
 * ZMQ_LAST_ENDPOINT gives the endpoint with wildcards resolved.
 * @param socket the socket
 * @param endpoint "tcp://interface:port", "ipc://path", "ipc://@abstract", "inproc://name", or for DISH and
 *   DGRAM "udp://interface:port". An interface is an address, the name of an interface, or *. Port * is any
 *   free one. Path * is one of the library's choice
 * @return 0 or -1
 * @error EINVAL not "transport://address", or not an address of that transport
 * @error EPROTONOSUPPORT unknown transport, or one that zlink does not have
 * @error ENOCOMPATPROTO not with this type of socket
 * @error EADDRINUSE somebody listens there
 * @error EADDRNOTAVAIL not an address of this machine
 * @error ENODEV no such interface
 * @error ENAMETOOLONG a path longer than the system allows
 * @error EACCES ENOENT ENOTDIR EMFILE what the system says to its bind(2) and socket(2)
 * @error EMTHREAD there is no I/O thread: ZMQ_IO_THREADS is 0, or ZMQ_AFFINITY names none
 * @error ETERM
 * @error ENOTSOCK
 * @error ENOMEM
 * @threads socket
 * @source zmq_bind(3), zmq_tcp(7), zmq_ipc(7), zmq_inproc(7), zmq_udp(7)
 */
ZMQ_EXPORT int zmq_bind(void *socket, const char *endpoint);

/*
 * Connects to an endpoint, now and again whenever the connection is lost.
 *
 * Returns before there is a connection; messages may be sent at once (but see ZMQ_IMMEDIATE) and wait. Names
 * are looked up in the background. A second connect of a DEALER, SUB, PUB or REQ to an endpoint does nothing.
 * @param socket the socket
 * @param endpoint "tcp://host:port", "tcp://source:port;host:port", "ipc://path", "ipc://@abstract",
 *   "inproc://name" (bound now or later), or for RADIO "udp://host:port"
 * @return 0 or -1
 * @error EINVAL not "transport://address", or not an address of that transport
 * @error EPROTONOSUPPORT unknown transport, or one that zlink does not have
 * @error ENOCOMPATPROTO not with this type of socket
 * @error ENAMETOOLONG a path longer than the system allows
 * @error EMTHREAD there is no I/O thread: ZMQ_IO_THREADS is 0, or ZMQ_AFFINITY names none
 * @error ETERM
 * @error ENOTSOCK
 * @error ENOMEM
 * @threads socket
 * @source zmq_connect(3), zmq_tcp(7), zmq_ipc(7), zmq_inproc(7), zmq_udp(7)
 */
ZMQ_EXPORT int zmq_connect(void *socket, const char *endpoint);

/*
 * Stops listening at an endpoint. Connections that were accepted there end, too.
 *
 * @param socket the socket
 * @param endpoint as ZMQ_LAST_ENDPOINT gave it after zmq_bind; for tcp another spelling of the address works
 * @return 0 or -1
 * @error ENOENT not bound there
 * @error EINVAL EPROTONOSUPPORT ENOCOMPATPROTO not an endpoint, as in zmq_bind
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source zmq_unbind(3)
 */
ZMQ_EXPORT int zmq_unbind(void *socket, const char *endpoint);

/*
 * Drops a connection of zmq_connect; it is not made again.
 *
 * Messages still to be sent over it follow ZMQ_LINGER; messages that came over it and were not received are
 * dropped.
 * @param socket the socket
 * @param endpoint as it was given to zmq_connect; for tcp another spelling of the address works
 * @return 0 or -1
 * @error ENOENT not connected there
 * @error EINVAL EPROTONOSUPPORT ENOCOMPATPROTO not an endpoint, as in zmq_connect
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source zmq_disconnect(3)
 */
ZMQ_EXPORT int zmq_disconnect(void *socket, const char *endpoint);

/* ---- Sending and receiving ----------------------------------------------------------- */

/*
 * Sends one frame with a copy of some bytes.
 *
 * A message of several frames is queued with its last one; it goes out whole or not at all. Success means
 * that it was queued, not that it was delivered. Where nobody can take it, each type does as zmq_socket(3)
 * has it: wait, drop, or report.
 * @param socket the socket
 * @param buf the bytes; may be NULL when len is 0
 * @param len their number
 * @param flags 0 or ZMQ_DONTWAIT (do not wait: EAGAIN), with ZMQ_SNDMORE (more frames of this message follow)
 * @return len, at most INT_MAX, or -1
 * @error EAGAIN it would have to wait, or ZMQ_SNDTIMEO is over
 * @error ENOTSUP sockets of this type do not send
 * @error EINVAL several frames from a thread-safe type; of DGRAM a message that is not address and body
 * @error EFSM it is not this socket's turn to send (REP; REQ without ZMQ_REQ_RELAXED)
 * @error EHOSTUNREACH no such peer: ROUTER with ZMQ_ROUTER_MANDATORY, STREAM, SERVER, PEER
 * @error ETERM
 * @error ENOTSOCK
 * @error EINTR
 * @error ENOMEM
 * @threads socket
 * @source zmq_send(3)
 */
ZMQ_EXPORT int zmq_send(void *socket, const void *buf, size_t len, int flags);

/* zmq_send of memory that never changes and never goes away: it is not copied.
 * @as zmq_send
 * @source zmq_send_const(3) */
ZMQ_EXPORT int zmq_send_const(void *socket, const void *buf, size_t len, int flags);

/*
 * Receives one frame into memory of the caller.
 *
 * Bytes beyond len are cut off and lost; the result tells. ZMQ_RCVMORE tells whether more frames follow: they
 * are there already.
 * @param socket the socket
 * @param buf room for len bytes; may be NULL when len is 0
 * @param len the room
 * @param flags 0 or ZMQ_DONTWAIT (do not wait: EAGAIN)
 * @return the frame's whole size in bytes, which may be more than len, at most INT_MAX; or -1
 * @error EAGAIN nothing is there, or ZMQ_RCVTIMEO is over
 * @error ENOTSUP sockets of this type do not receive
 * @error EFSM it is not this socket's turn to receive (REQ)
 * @error ETERM
 * @error ENOTSOCK
 * @error EINTR
 * @error ENOMEM
 * @threads socket
 * @source zmq_recv(3)
 */
ZMQ_EXPORT int zmq_recv(void *socket, void *buf, size_t len, int flags);

/* zmq_msg_send with the socket first.
 * @as zmq_msg_send
 * @source zmq_sendmsg(3) */
ZMQ_EXPORT int zmq_sendmsg(void *socket, zmq_msg_t *msg, int flags);

/* zmq_msg_recv with the socket first.
 * @as zmq_msg_recv
 * @source zmq_recvmsg(3) */
ZMQ_EXPORT int zmq_recvmsg(void *socket, zmq_msg_t *msg, int flags);

/*
 * Sends several buffers: with ZMQ_SNDMORE as the frames of one message, else each as a message. Deprecated.
 *
 * @param socket the socket
 * @param iov the buffers, which are copied
 * @param count how many, from 1
 * @param flags as in zmq_send
 * @return the size of the last, or -1; then some may have been sent
 * @error EINVAL no buffers
 * @error EAGAIN ENOTSUP EFSM EHOSTUNREACH ETERM ENOTSOCK EINTR ENOMEM as in zmq_send
 * @threads socket
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT int zmq_sendiov(void *socket, struct iovec *iov, size_t count, int flags);

/*
 * Receives the frames of one message into memory from malloc. Deprecated.
 *
 * @param socket the socket
 * @param iov filled with the frames; iov_base is the caller's to free()
 * @param count in: the most frames to take, from 1; out: how many were taken, on error too
 * @param flags as in zmq_recv
 * @return the number of frames, or -1
 * @error EINVAL no room for frames
 * @error EAGAIN ENOTSUP EFSM ETERM ENOTSOCK EINTR ENOMEM as in zmq_recv
 * @threads socket
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT int zmq_recviov(void *socket, struct iovec *iov, size_t *count, int flags);

/* ---- Monitors ------------------------------------------------------------------------ */

/*
 * Reports what happens to a socket's connections, as messages of a PAIR that this call binds.
 *
 * A message has two frames: uint16 event and uint32 value in native order without a gap (6 bytes), then the
 * endpoint. Connect a PAIR of the same context to read them. The value is a descriptor, an errno, an interval
 * in ms, a protocol error or a ZAP status. A monitor that is not read loses events and holds nobody up. The
 * last event is ZMQ_EVENT_MONITOR_STOPPED. A monitor that is there already is replaced.
 * @param socket the socket
 * @param endpoint "inproc://name"; NULL: stop the monitor
 * @param events ZMQ_EVENT_* bits, or ZMQ_EVENT_ALL
 * @return 0 or -1
 * @error EINVAL not an endpoint, or unknown events
 * @error EPROTONOSUPPORT not inproc
 * @error EADDRINUSE the name is taken
 * @error ETERM
 * @error ENOTSOCK
 * @threads socket
 * @source zmq_socket_monitor(3)
 */
ZMQ_EXPORT int zmq_socket_monitor(void *socket, const char *endpoint, int events);

#endif /* ZLINK_C_SOCKET_H */
