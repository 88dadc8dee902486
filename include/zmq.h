/* SPDX-License-Identifier: MPL-2.0 */
/*
 * The C interface of zlink: the functions, types and numbers of libzmq 4.3.5, so that a program compiled for
 * either library runs on the other. The functions are declared in zlink/c, each with what it takes, gives and
 * asks for; docs/api is made of these texts.
 *
 * - Errors. int functions return 0 or a count, and -1 on error; pointer functions return NULL on error. The
 *   reason is in errno, which zmq_errno() reads for the library and zmq_strerror() turns into text. An
 *   argument of the wrong kind is reported (EFAULT for a context or message, ENOTSOCK for a socket).
 * - Threads. A context may be used from any thread at any time. A socket is for one thread at a time, unless
 *   ZMQ_THREAD_SAFE says otherwise: by its type, or by ZLINK_THREAD_SAFE of zlink/options.h. It may move to
 *   another thread with a full fence in between. Messages, timers and pollers belong to whoever holds them.
 *   Atomic counters are free for all. In the texts "@threads socket" and "@threads holder" stand for these
 *   rules.
 * - Units. Sizes are bytes. Times are milliseconds unless a name says otherwise; -1 is "for ever", 0 is "do
 *   not wait".
 * - Lifetimes. An object of a *_new, *_init* or zmq_socket call ends by the matching *_destroy, *_close or
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

#include "zlink/c/context.h"
#include "zlink/c/message.h"
#include "zlink/c/poll.h"
#include "zlink/c/socket.h"
#include "zlink/c/utilities.h"

#ifdef __cplusplus
}
#endif

#ifdef ZMQ_BUILD_DRAFT_API
#include "zlink/c/draft.h"
#endif

#endif /* __ZMQ_H_INCLUDED__ */
