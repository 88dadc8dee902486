/* SPDX-License-Identifier: MPL-2.0 */
/* Part of <zmq.h>: the library as a whole, and contexts. */
#ifndef ZLINK_C_CONTEXT_H
#define ZLINK_C_CONTEXT_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h>"
#endif

/* ---- Library ------------------------------------------------------------------------- */

/*
 * Gives errno as this library sees it.
 *
 * The result equals errno, except where program and library have C run-time libraries of their own (Windows).
 * @return the calling thread's error number
 * @threads any
 * @source zmq_errno(3)
 */
ZMQ_EXPORT int zmq_errno(void);

/*
 * Gives the text for an error number, those of this library included.
 *
 * @param errnum a number from errno or zmq_errno, or a ZLINK_TLS_FAILED_... of an event; any other is
 * "Unknown error"
 * @return a string that is never NULL and must not be changed or freed
 * @threads any
 * @source zmq_strerror(3)
 */
ZMQ_EXPORT const char *zmq_strerror(int errnum);

/*
 * Tells the version of the interface that is loaded.
 *
 * It may differ from ZMQ_VERSION_*, which the program was compiled with. zlink answers with the version of
 * libzmq whose interface it has; that it is zlink shows in the options of <zlink/options.h>.
 * @param major where the number is stored
 * @param minor likewise
 * @param patch likewise
 * @threads any
 * @source zmq_version(3)
 */
ZMQ_EXPORT void zmq_version(int *major, int *minor, int *patch);

/*
 * Tells whether the library was built with a capability.
 *
 * zlink has "ipc", "curve", "tls", "ws", "wss" and "draft", not "pgm", "tipc", "norm", "gssapi", "vmci".
 * @param capability a name in that spelling
 * @return 1 or 0
 * @threads any
 * @source zmq_has(3)
 */
ZMQ_EXPORT int zmq_has(const char *capability);

/* ---- Contexts ------------------------------------------------------------------------ */

/*
 * Makes a context: the home of sockets, of their I/O threads and of inproc names.
 *
 * The I/O threads start with the first socket; options that concern them are to be set before.
 * @return the context, to be ended with zmq_ctx_term; NULL on error
 * @error ENOMEM
 * @threads any
 * @source zmq_ctx_new(3)
 */
ZMQ_EXPORT void *zmq_ctx_new(void);

/*
 * Ends a context and frees it.
 *
 * Calls on its sockets fail with ETERM from now on, those that wait included, until the sockets are closed.
 * Waits until all of them are closed, and until what they had to send is sent or its ZMQ_LINGER is over.
 * @param context the context; no handle any more after 0
 * @return 0 or -1
 * @error EFAULT it is not a context
 * @error EINTR a signal came; the context is still there: call again
 * @threads any, but not one whose sockets of this context are still open: it would wait for itself
 * @source zmq_ctx_term(3)
 */
ZMQ_EXPORT int zmq_ctx_term(void *context);

/*
 * Makes calls on the context's sockets fail with ETERM, without waiting for anything.
 *
 * zmq_close still works on them. zmq_ctx_term is still due. A second call does nothing.
 * @param context the context
 * @return 0 or -1
 * @error EFAULT it is not a context
 * @threads any
 * @source zmq_ctx_shutdown(3)
 */
ZMQ_EXPORT int zmq_ctx_shutdown(void *context);

/*
 * Sets a context option.
 *
 * Options of threads count for contexts without a socket yet, options of sockets for sockets made later.
 * @param context the context
 * @param option a number from the table of context options
 * @param value in the option's range
 * @return 0 or -1
 * @error EFAULT it is not a context
 * @error EINVAL unknown option, one that cannot be set, or a value out of range
 * @threads any
 * @source zmq_ctx_set(3)
 */
ZMQ_EXPORT int zmq_ctx_set(void *context, int option, int value);

/*
 * Reads a context option.
 *
 * @param context the context
 * @param option a number from the table of context options
 * @return the value, which may be -1 where the option's range has it; -1 on error, with errno set
 * @error EFAULT it is not a context
 * @error EINVAL unknown option, or one that cannot be read
 * @threads any
 * @source zmq_ctx_get(3)
 */
ZMQ_EXPORT int zmq_ctx_get(void *context, int option);

/*
 * Makes a context with that many I/O threads: the older zmq_ctx_new with ZMQ_IO_THREADS.
 *
 * @param io_threads from 0
 * @return the context, NULL on error
 * @error EINVAL a negative number
 * @error ENOMEM
 * @threads any
 * @source zmq_init(3)
 */
ZMQ_EXPORT void *zmq_init(int io_threads);

/* An older name of zmq_ctx_term.
 * @as zmq_ctx_term
 * @source zmq_term(3) */
ZMQ_EXPORT int zmq_term(void *context);

/* An older name of zmq_ctx_term.
 * @as zmq_ctx_term
 * @source zmq_ctx_destroy(3) */
ZMQ_EXPORT int zmq_ctx_destroy(void *context);

#endif /* ZLINK_C_CONTEXT_H */
