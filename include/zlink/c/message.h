/* SPDX-License-Identifier: MPL-2.0 */
/* Part of <zmq.h>: messages. */
#ifndef ZLINK_C_MESSAGE_H
#define ZLINK_C_MESSAGE_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h>"
#endif

/* ---- Messages ------------------------------------------------------------------------ */

/*
 * Makes an empty message.
 *
 * @param msg memory of the caller that holds no message
 * @return 0: it cannot fail
 * @threads holder
 * @source zmq_msg_init(3)
 */
ZMQ_EXPORT int zmq_msg_init(zmq_msg_t *msg);

/*
 * Makes a message of uninitialised bytes.
 *
 * @param msg memory of the caller that holds no message; unchanged on error
 * @param size of the content, in bytes
 * @return 0 or -1
 * @error ENOMEM
 * @threads holder
 * @source zmq_msg_init_size(3)
 */
ZMQ_EXPORT int zmq_msg_init_size(zmq_msg_t *msg, size_t size);

/*
 * Makes a message over memory of the caller, without a copy.
 *
 * The library releases the memory through ffn exactly once, when nobody needs it any more. For a message that
 * was sent, that is when it has left or was dropped. If this call fails, ffn is never called.
 * @param msg memory of the caller that holds no message
 * @param data the content; not to be changed from now on
 * @param size of the content, in bytes
 * @param ffn called as ffn(data, hint) to release the memory; NULL: it is valid for ever
 * @param hint handed to ffn
 * @return 0 or -1
 * @error ENOMEM
 * @threads holder; ffn runs in any thread that sends or receives, and in I/O threads, so it must not use
 *   sockets or wait
 * @source zmq_msg_init_data(3)
 */
ZMQ_EXPORT int zmq_msg_init_data(zmq_msg_t *msg, void *data, size_t size, zmq_free_fn *ffn, void *hint);

/*
 * Sends a message as one frame.
 *
 * On success the message is empty and is still to be closed; on error it is unchanged and the caller's.
 * A success means that the message was queued, not that it was delivered.
 * @param msg the message
 * @param socket the socket
 * @param flags 0, or ZMQ_DONTWAIT and ZMQ_SNDMORE as in zmq_send
 * @return the size in bytes, at most INT_MAX, or -1
 * @error EFAULT the message was not initialised, or is closed
 * @error EAGAIN ENOTSUP EINVAL EFSM ETERM ENOTSOCK EINTR EHOSTUNREACH ENOMEM as in zmq_send
 * @threads socket
 * @source zmq_msg_send(3)
 */
ZMQ_EXPORT int zmq_msg_send(zmq_msg_t *msg, void *socket, int flags);

/*
 * Receives one frame into a message.
 *
 * Releases the previous content of the message. Whether more frames follow says zmq_msg_more. On error the
 * message is as it was, but empty after EAGAIN.
 * @param msg an initialised message
 * @param socket the socket
 * @param flags 0 or ZMQ_DONTWAIT
 * @return the size in bytes, at most INT_MAX, or -1
 * @error EFAULT the message was not initialised, or is closed
 * @error EAGAIN ENOTSUP EFSM ETERM ENOTSOCK EINTR ENOMEM as in zmq_recv
 * @threads socket
 * @source zmq_msg_recv(3)
 */
ZMQ_EXPORT int zmq_msg_recv(zmq_msg_t *msg, void *socket, int flags);

/*
 * Releases a message's content; the memory is then no message.
 *
 * Due for every initialised message, after zmq_msg_send too.
 * @param msg the message
 * @return 0 or -1
 * @error EFAULT it was not initialised, or is closed
 * @threads holder
 * @source zmq_msg_close(3)
 */
ZMQ_EXPORT int zmq_msg_close(zmq_msg_t *msg);

/*
 * Moves a content from one message to another.
 *
 * @param dest an initialised message; what it held is released
 * @param src an initialised message; empty afterwards
 * @return 0 or -1
 * @error EFAULT one of them was not initialised, or is closed
 * @threads holder
 * @source zmq_msg_move(3)
 */
ZMQ_EXPORT int zmq_msg_move(zmq_msg_t *dest, zmq_msg_t *src);

/*
 * Makes a message a copy of another.
 *
 * Small contents are duplicated and large ones shared, so neither may be written to afterwards. Each is to be
 * closed.
 * @param dest an initialised message; what it held is released
 * @param src an initialised message
 * @return 0 or -1
 * @error EFAULT one of them was not initialised, or is closed
 * @threads holder
 * @source zmq_msg_copy(3)
 */
ZMQ_EXPORT int zmq_msg_copy(zmq_msg_t *dest, zmq_msg_t *src);

/*
 * Gives the first byte of the content.
 *
 * @param msg an initialised message
 * @return a pointer that is valid until the message is sent, closed, moved or received into; for small
 *   contents it points into the message itself
 * @threads holder
 * @source zmq_msg_data(3)
 */
ZMQ_EXPORT void *zmq_msg_data(zmq_msg_t *msg);

/*
 * Gives the size of the content.
 *
 * @param msg an initialised message
 * @return bytes
 * @threads holder
 * @source zmq_msg_size(3)
 */
ZMQ_EXPORT size_t zmq_msg_size(const zmq_msg_t *msg);

/*
 * Tells whether the frame that was received into a message is not the last of its message.
 *
 * @param msg an initialised message
 * @return 1: more frames follow; 0: this was the last
 * @threads holder
 * @source zmq_msg_more(3)
 */
ZMQ_EXPORT int zmq_msg_more(const zmq_msg_t *msg);

/*
 * Reads a number about a message.
 *
 * @param msg an initialised message
 * @param property ZMQ_MORE: as zmq_msg_more. ZMQ_SHARED: 1 when the content may have other holders.
 * ZMQ_SRCFD: the descriptor of the connection it came by, -1 when there is none; deprecated
 * @return the value, or -1
 * @error EINVAL unknown property, or no descriptor
 * @threads holder
 * @source zmq_msg_get(3)
 */
ZMQ_EXPORT int zmq_msg_get(const zmq_msg_t *msg, int property);

/*
 * Sets a number of a message: there is none that could be set.
 *
 * @param msg not looked at
 * @param property not looked at
 * @param optval not looked at
 * @return -1
 * @error EINVAL always
 * @threads holder
 * @source zmq_msg_set(3)
 */
ZMQ_EXPORT int zmq_msg_set(zmq_msg_t *msg, int property, int optval);

/*
 * Reads a property of the connection that a message came by.
 *
 * @param msg an initialised message
 * @param property "Socket-Type", "Routing-Id" ("Identity" is the same), "Peer-Address", "User-Id" (what the
 *   authenticator called the peer), another name the authenticator gave, or "X-..." of the peer's
 * ZMQ_METADATA
 * @return a string that lives as long as the message's content; NULL when there is no such property
 * @error EINVAL no such property
 * @threads holder
 * @source zmq_msg_gets(3), RFC 23 (ZMTP), RFC 27 (ZAP)
 */
ZMQ_EXPORT const char *zmq_msg_gets(const zmq_msg_t *msg, const char *property);

#endif /* ZLINK_C_MESSAGE_H */
