/* SPDX-License-Identifier: MPL-2.0 */
/* Part of <zmq.h>: waiting for several sockets, and forwarding between two. */
#ifndef ZLINK_C_POLL_H
#define ZLINK_C_POLL_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h>"
#endif

/* ---- Polling ------------------------------------------------------------------------- */

/*
 * Waits until one of several sockets and descriptors is ready.
 *
 * The state of each row is reported, not its changes: what is not taken is reported again. Descriptors may be
 * of any kind that poll(2) takes; they report ZMQ_POLLERR unasked.
 * @param items the rows: socket, or fd where socket is NULL; events to wait for; revents is set
 * @param nitems how many, from 0
 * @param timeout ms; 0: do not wait; -1: for ever
 * @return the number of rows whose revents is not 0; 0 when the time is over; or -1
 * @error ETERM the context of one of the sockets is ending
 * @error EFAULT items is NULL
 * @error EINVAL nitems is negative
 * @error ENOTSOCK a row's socket is none
 * @error EINTR
 * @error ENOMEM
 * @threads the thread of all its sockets; any for thread-safe ones
 * @source zmq_poll(3)
 */
ZMQ_EXPORT int zmq_poll(zmq_pollitem_t *items, int nitems, long timeout);

/* ---- Proxies ------------------------------------------------------------------------- */

/*
 * Carries messages both ways between two sockets, until their context ends.
 *
 * A side whose other side has no room is not read, and nothing spins meanwhile.
 * @param frontend a socket
 * @param backend another, or the same: what it receives it sends back
 * @param capture a socket that gets a copy of each message (PUB, DEALER, PUSH, PAIR); NULL: none
 * @return -1
 * @error ETERM the context is ending
 * @error EFAULT frontend or backend is NULL
 * @error ENOTSOCK
 * @error EINTR
 * @threads the thread of all its sockets, which it keeps
 * @source zmq_proxy(3)
 */
ZMQ_EXPORT int zmq_proxy(void *frontend, void *backend, void *capture);

/*
 * zmq_proxy that takes commands.
 *
 * Commands are messages of one frame: "PAUSE", "RESUME", "TERMINATE", "STATISTICS". The answer to the last
 * one has 8 frames of uint64 in native order. They are the messages and bytes received by the frontend, sent
 * by it, received by the backend, and sent by it. A REP gets an empty answer to the others. A message that is
 * no command is ignored.
 * @param frontend as in zmq_proxy
 * @param backend as in zmq_proxy
 * @param capture as in zmq_proxy
 * @param control the socket commands come by (PAIR, REP, PULL, SUB); NULL: none
 * @return 0 after TERMINATE, or -1
 * @error ETERM EFAULT ENOTSOCK EINTR as in zmq_proxy
 * @threads the thread of all its sockets, which it keeps
 * @source zmq_proxy_steerable(3)
 */
ZMQ_EXPORT int zmq_proxy_steerable(void *frontend, void *backend, void *capture, void *control);

/*
 * The older zmq_proxy without a capture.
 *
 * @param type ZMQ_STREAMER, ZMQ_FORWARDER or ZMQ_QUEUE; not looked at
 * @param frontend as in zmq_proxy
 * @param backend as in zmq_proxy
 * @return -1
 * @error ETERM EFAULT ENOTSOCK EINTR as in zmq_proxy
 * @threads the thread of both sockets, which it keeps
 * @source the manual of libzmq 2
 */
ZMQ_EXPORT int zmq_device(int type, void *frontend, void *backend);

#endif /* ZLINK_C_POLL_H */
