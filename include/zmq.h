/* SPDX-License-Identifier: MPL-2.0 */
/*
 * The C interface of zlink: the functions, types and numbers of libzmq 4.3.5, so that a program compiled for
 * either library runs on the other. Section 3 of the libzmq manual (`man zmq`) specifies each function; what
 * follows is the short form.
 *
 * - Errors. int functions return 0 or a count, and -1 on error; pointer functions return NULL on error. The
 *   reason is in errno, which zmq_errno() reads for the library and zmq_strerror() turns into text. An
 *   argument of the wrong kind is reported (EFAULT for a context or message, ENOTSOCK for a socket).
 * - Threads. A context may be used from any thread at any time. A socket may be used by one thread at a time
 *   and may move to another thread with a full fence in between, unless its type says otherwise
 *   (ZMQ_THREAD_SAFE). Messages, timers and pollers belong to whoever holds them. Atomic counters are free
 *   for all.
 * - Units. Sizes are bytes. Times are milliseconds unless a name says otherwise; -1 is "for ever", 0 is "do
 *   not wait".
 * - Lifetimes. What a *_new, *_init* or zmq_socket call gives is ended by the matching *_destroy, *_close or
 *   *_term call. Memory handed to zmq_send and zmq_msg_init_buffer is copied before they return.
 *
 * ETERM, from any socket call, means that the context is ending: close the socket. EINTR means that a signal
 * arrived: try again.
 */
/* The guard is libzmq's own, so that the two headers never meet in one translation unit. */
#ifndef __ZMQ_H_INCLUDED__
#define __ZMQ_H_INCLUDED__

#define ZMQ_VERSION_MAJOR 4
#define ZMQ_VERSION_MINOR 3
#define ZMQ_VERSION_PATCH 5
#define ZMQ_MAKE_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define ZMQ_VERSION ZMQ_MAKE_VERSION(ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR, ZMQ_VERSION_PATCH)

#define ZMQ_DEFINED_STDINT 1
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "zlink/c/constants.h"

#if defined(_WIN32)
#if defined(ZMQ_STATIC)
#define ZMQ_EXPORT
#elif defined(DLL_EXPORT)
#define ZMQ_EXPORT __declspec(dllexport)
#else
#define ZMQ_EXPORT __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ZMQ_EXPORT __attribute__((visibility("default")))
#else
#define ZMQ_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types --------------------------------------------------------------------------- */

/* A message, in memory of the caller: 64 bytes, aligned like a pointer. Its content is private; use the
 * zmq_msg_* functions. It must be initialised by one of zmq_msg_init* before any other use, must not be
 * copied by assignment, and ends with zmq_msg_close. */
#if defined(_MSC_VER)
typedef struct zmq_msg_t {
    __declspec(align(8)) unsigned char _[64];
} zmq_msg_t;
#else
typedef struct zmq_msg_t {
    unsigned char _[64] __attribute__((aligned(sizeof(void *))));
} zmq_msg_t;
#endif

#if defined(_WIN64)
typedef unsigned long long zmq_fd_t;
#elif defined(_WIN32)
typedef unsigned int zmq_fd_t;
#else
typedef int zmq_fd_t;
#endif

/* One row of zmq_poll: watches `socket`, or `fd` when `socket` is NULL. events, revents: ZMQ_POLL* bits. */
typedef struct zmq_pollitem_t {
    void *socket;
    zmq_fd_t fd;
    short events;
    short revents;
} zmq_pollitem_t;

/* Releases `data`; `hint` is what zmq_msg_init_data was given. Called once, from whatever thread drops the
 * last reference. */
typedef void(zmq_free_fn)(void *data, void *hint);
/* Called by zmq_timers_execute for a timer that is due, in the calling thread. */
typedef void(zmq_timer_fn)(int timer_id, void *arg);
/* The body of a thread of zmq_threadstart. */
typedef void(zmq_thread_fn)(void *arg);

struct iovec; /* POSIX <sys/uio.h> */

/* ---- Library ------------------------------------------------------------------------- */

/* The calling thread's errno as this library sees it. */
ZMQ_EXPORT int zmq_errno(void);
/* Text for an error number, this library's own included. The string is constant. */
ZMQ_EXPORT const char *zmq_strerror(int errnum);
/* The version of the interface that is really loaded, which may differ from ZMQ_VERSION_*. */
ZMQ_EXPORT void zmq_version(int *major, int *minor, int *patch);
/* 1 when the library was built with the named capability ("ipc", "curve", "draft", ...), else 0. */
ZMQ_EXPORT int zmq_has(const char *capability);

/* ---- Contexts ------------------------------------------------------------------------ */

/* A new context; its I/O threads start with its first socket. ENOMEM, EMFILE. */
ZMQ_EXPORT void *zmq_ctx_new(void);
/* Ends a context: calls on its sockets fail with ETERM; waits until all sockets are closed and what they had
 * to send is sent or its linger time is over. EFAULT; EINTR, after which it is to be called again. */
ZMQ_EXPORT int zmq_ctx_term(void *context);
/* Makes calls on the context's sockets fail with ETERM, without waiting. zmq_ctx_term is still due. EFAULT.
 */
ZMQ_EXPORT int zmq_ctx_shutdown(void *context);
/* Sets a context option. EINVAL: unknown option or value out of range. */
ZMQ_EXPORT int zmq_ctx_set(void *context, int option, int value);
/* The value of a context option. EINVAL (-1 otherwise is a value). */
ZMQ_EXPORT int zmq_ctx_get(void *context, int option);

/* Older names: a context with so many I/O threads; zmq_ctx_term, twice. */
ZMQ_EXPORT void *zmq_init(int io_threads);
ZMQ_EXPORT int zmq_term(void *context);
ZMQ_EXPORT int zmq_ctx_destroy(void *context);

/* ---- Messages ------------------------------------------------------------------------ */

/* An empty message. Never fails. */
ZMQ_EXPORT int zmq_msg_init(zmq_msg_t *msg);
/* A message of `size` uninitialised bytes. ENOMEM. */
ZMQ_EXPORT int zmq_msg_init_size(zmq_msg_t *msg, size_t size);
/* A message over memory of the caller, which stays valid until ffn(data, hint) is called; for ever when ffn
 * is NULL. ENOMEM. */
ZMQ_EXPORT int zmq_msg_init_data(zmq_msg_t *msg, void *data, size_t size, zmq_free_fn *ffn, void *hint);
/* Sends a message, which is empty afterwards; on error it is unchanged and still the caller's. Gives its
 * size. Errors as zmq_send. */
ZMQ_EXPORT int zmq_msg_send(zmq_msg_t *msg, void *socket, int flags);
/* Receives one frame into an initialised message, whose old content is released. Gives the frame's size.
 * Errors as zmq_recv. */
ZMQ_EXPORT int zmq_msg_recv(zmq_msg_t *msg, void *socket, int flags);
/* Releases the content. EFAULT: not an initialised message. */
ZMQ_EXPORT int zmq_msg_close(zmq_msg_t *msg);
/* Moves the content of src into dest, whose old content is released; src is empty afterwards. EFAULT. */
ZMQ_EXPORT int zmq_msg_move(zmq_msg_t *dest, zmq_msg_t *src);
/* Makes dest a copy of src; large bodies are shared, not duplicated, so neither may be written to afterwards.
 * EFAULT. */
ZMQ_EXPORT int zmq_msg_copy(zmq_msg_t *dest, zmq_msg_t *src);
/* The first byte of the content; valid until the message is sent, closed, moved or received into. */
ZMQ_EXPORT void *zmq_msg_data(zmq_msg_t *msg);
/* The size of the content. */
ZMQ_EXPORT size_t zmq_msg_size(const zmq_msg_t *msg);
/* 1 when the frame is not the last of its message, else 0. */
ZMQ_EXPORT int zmq_msg_more(const zmq_msg_t *msg);
/* ZMQ_MORE, ZMQ_SHARED (1: the content has several holders), ZMQ_SRCFD. EINVAL. */
ZMQ_EXPORT int zmq_msg_get(const zmq_msg_t *msg, int property);
/* There is no property to set: always EINVAL. */
ZMQ_EXPORT int zmq_msg_set(zmq_msg_t *msg, int property, int optval);
/* A property of the connection the message came by ("Socket-Type", "Routing-Id", "User-Id", "Peer-Address",
 * "X-..."). The string lives as long as the message. EINVAL: no such property. */
ZMQ_EXPORT const char *zmq_msg_gets(const zmq_msg_t *msg, const char *property);

/* ---- Sockets ------------------------------------------------------------------------- */

/* A new socket of a ZMQ_* socket type. EINVAL: unknown type. EFAULT: not a context. EMFILE: ZMQ_MAX_SOCKETS
 * reached. ETERM. */
ZMQ_EXPORT void *zmq_socket(void *context, int type);
/* Gives the socket up at once; what it has yet to send goes on for ZMQ_LINGER, and zmq_ctx_term waits for
 * that. ENOTSOCK. */
ZMQ_EXPORT int zmq_close(void *socket);
/* Sets an option from optvallen bytes at optval; an error changes nothing. EINVAL: unknown option, wrong size
 * or value, or not for this socket type. Most options count for binds and connects that come after. ETERM
 * ENOTSOCK EINTR. */
ZMQ_EXPORT int zmq_setsockopt(void *socket, int option, const void *optval, size_t optvallen);
/* Reads an option into optval; *optvallen is the room, and then what was used. EINVAL: unknown option or too
 * little room. ETERM ENOTSOCK EINTR. */
ZMQ_EXPORT int zmq_getsockopt(void *socket, int option, void *optval, size_t *optvallen);
/* Listens at "transport://address". EINVAL EPROTONOSUPPORT ENOCOMPATPROTO EADDRINUSE EADDRNOTAVAIL ENODEV
 * ETERM ENOTSOCK EMTHREAD. ZMQ_LAST_ENDPOINT gives the resolved form of wildcards. */
ZMQ_EXPORT int zmq_bind(void *socket, const char *endpoint);
/* Connects to an endpoint now and again whenever the connection is lost; returns before there is one. EINVAL
 * EPROTONOSUPPORT ENOCOMPATPROTO ETERM ENOTSOCK EMTHREAD. */
ZMQ_EXPORT int zmq_connect(void *socket, const char *endpoint);
/* Stops listening at an endpoint given as ZMQ_LAST_ENDPOINT gave it. ENOENT: not bound there. EINVAL ETERM
 * ENOTSOCK. */
ZMQ_EXPORT int zmq_unbind(void *socket, const char *endpoint);
/* Drops a connection made by zmq_connect; its messages not yet sent follow ZMQ_LINGER. ENOENT EINVAL ETERM
 * ENOTSOCK. */
ZMQ_EXPORT int zmq_disconnect(void *socket, const char *endpoint);

/* Sends a frame with a copy of len bytes; flags: ZMQ_DONTWAIT, ZMQ_SNDMORE (more frames of this message
 * follow; a message goes out whole or not at all). Gives len. EAGAIN: would block, or ZMQ_SNDTIMEO is over.
 * ENOTSUP: the type does not send. EFSM: not its turn. EHOSTUNREACH: no such peer. EINVAL ETERM ENOTSOCK
 * EINTR. */
ZMQ_EXPORT int zmq_send(void *socket, const void *buf, size_t len, int flags);
/* zmq_send of memory that never changes and never goes away: not copied. */
ZMQ_EXPORT int zmq_send_const(void *socket, const void *buf, size_t len, int flags);
/* Receives a frame into len bytes, cutting off what does not fit, and gives its full size. ZMQ_RCVMORE tells
 * whether more frames follow. EAGAIN: nothing there (ZMQ_DONTWAIT), or ZMQ_RCVTIMEO is over. ENOTSUP EFSM
 * ETERM ENOTSOCK EINTR. */
ZMQ_EXPORT int zmq_recv(void *socket, void *buf, size_t len, int flags);

/* Reports the ZMQ_EVENT_* bits `events` of a socket through a PAIR at an inproc endpoint, two frames each:
 * uint16 event and uint32 value in native order, then the endpoint. NULL endpoint: stop. EPROTONOSUPPORT: not
 * inproc. EINVAL ETERM ENOTSOCK. */
ZMQ_EXPORT int zmq_socket_monitor(void *socket, const char *endpoint, int events);

/* Older forms. zmq_sendmsg and zmq_recvmsg are zmq_msg_send and zmq_msg_recv with the socket first.
 * zmq_sendiov sends `count` buffers, with ZMQ_SNDMORE as the frames of one message and else each as a
 * message, and gives the size of the last. zmq_recviov receives the frames of one message, at most *count,
 * into memory from malloc that the caller frees, and sets *count, which it gives too. EINVAL: none are asked
 * for. */
ZMQ_EXPORT int zmq_sendmsg(void *socket, zmq_msg_t *msg, int flags);
ZMQ_EXPORT int zmq_recvmsg(void *socket, zmq_msg_t *msg, int flags);
ZMQ_EXPORT int zmq_sendiov(void *socket, struct iovec *iov, size_t count, int flags);
ZMQ_EXPORT int zmq_recviov(void *socket, struct iovec *iov, size_t *count, int flags);

/* ---- Waiting and forwarding ---------------------------------------------------------- */

/* Waits up to `timeout` ms until one of the rows is ready; sets every revents and gives the number of ready
 * rows, 0 when the time is over. ETERM: a socket's context ends. EFAULT: items is NULL. EINTR. */
ZMQ_EXPORT int zmq_poll(zmq_pollitem_t *items, int nitems, long timeout);
/* Carries messages both ways between two sockets, each also to `capture` when not NULL. Ends with the
 * context: -1 and ETERM. */
ZMQ_EXPORT int zmq_proxy(void *frontend, void *backend, void *capture);
/* zmq_proxy that obeys "PAUSE", "RESUME", "TERMINATE" (gives 0) and "STATISTICS" (answers 8 frames of uint64:
 * messages and bytes, received and sent, frontend then backend) received on `control`, which may be NULL. */
ZMQ_EXPORT int zmq_proxy_steerable(void *frontend, void *backend, void *capture, void *control);
/* Older form of zmq_proxy; `type` is not looked at. */
ZMQ_EXPORT int zmq_device(int type, void *frontend, void *backend);

/* ---- Encoding and keys --------------------------------------------------------------- */

/* Writes `size` bytes as Z85 text and a final zero: size * 5 / 4 + 1 characters. Gives dest. EINVAL: size is
 * not a multiple of 4. */
ZMQ_EXPORT char *zmq_z85_encode(char *dest, const uint8_t *data, size_t size);
/* Decodes Z85 text into strlen * 4 / 5 bytes. Gives dest. EINVAL: length not a multiple of 5, or not Z85. */
ZMQ_EXPORT uint8_t *zmq_z85_decode(uint8_t *dest, const char *string);
/* A new CURVE key pair as Z85, 41 characters each with the final zero. ENOTSUP: built without CURVE. */
ZMQ_EXPORT int zmq_curve_keypair(char *z85_public_key, char *z85_secret_key);
/* The public key that belongs to a secret one. ENOTSUP; EINVAL: not a key. */
ZMQ_EXPORT int zmq_curve_public(char *z85_public_key, const char *z85_secret_key);

/* ---- Atomic counters ----------------------------------------------------------------- */

/* A counter that starts at 0; any thread may use it. inc gives the value before; dec gives 0 when it reached
 * zero, else 1. */
ZMQ_EXPORT void *zmq_atomic_counter_new(void);
ZMQ_EXPORT void zmq_atomic_counter_set(void *counter, int value);
ZMQ_EXPORT int zmq_atomic_counter_inc(void *counter);
ZMQ_EXPORT int zmq_atomic_counter_dec(void *counter);
ZMQ_EXPORT int zmq_atomic_counter_value(void *counter);
ZMQ_EXPORT void zmq_atomic_counter_destroy(void **counter_p);

/* ---- Timers -------------------------------------------------------------------------- */

/* A set of repeating timers for one thread, which asks zmq_timers_timeout how long it may wait (ms; -1: no
 * timer) and then calls zmq_timers_execute. EFAULT: not a timer set. EINVAL: no such timer. */
ZMQ_EXPORT void *zmq_timers_new(void);
ZMQ_EXPORT int zmq_timers_destroy(void **timers_p);
/* Gives the new timer's id. `interval` in ms. */
ZMQ_EXPORT int zmq_timers_add(void *timers, size_t interval, zmq_timer_fn *handler, void *arg);
ZMQ_EXPORT int zmq_timers_cancel(void *timers, int timer_id);
ZMQ_EXPORT int zmq_timers_set_interval(void *timers, int timer_id, size_t interval);
/* Starts the timer's interval anew. */
ZMQ_EXPORT int zmq_timers_reset(void *timers, int timer_id);
ZMQ_EXPORT long zmq_timers_timeout(void *timers);
ZMQ_EXPORT int zmq_timers_execute(void *timers);

/* ---- Helpers ------------------------------------------------------------------------- */

/* A running stopwatch; elapsed microseconds, going on; elapsed microseconds, and the stopwatch is freed. */
ZMQ_EXPORT void *zmq_stopwatch_start(void);
ZMQ_EXPORT unsigned long zmq_stopwatch_intermediate(void *watch);
ZMQ_EXPORT unsigned long zmq_stopwatch_stop(void *watch);
/* Sleeps for whole seconds. */
ZMQ_EXPORT void zmq_sleep(int seconds);
/* Runs func(arg) in a new thread; zmq_threadclose waits for its end and frees it. */
ZMQ_EXPORT void *zmq_threadstart(zmq_thread_fn *func, void *arg);
ZMQ_EXPORT void zmq_threadclose(void *thread);

#ifdef __cplusplus
}
#endif

#ifdef ZMQ_BUILD_DRAFT_API
#include "zlink/c/draft.h"
#endif

#endif /* __ZMQ_H_INCLUDED__ */
