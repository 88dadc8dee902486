/* SPDX-License-Identifier: MPL-2.0 */
/* Part of <zmq.h>: keys and Z85, atomic counters, timers, stopwatches, threads. */
#ifndef ZLINK_C_UTILITIES_H
#define ZLINK_C_UTILITIES_H

#ifndef __ZMQ_H_INCLUDED__
#error "include <zmq.h>"
#endif

/* ---- Encoding and keys --------------------------------------------------------------- */

/*
 * Writes bytes as Z85 text.
 *
 * @param dest room for size * 5 / 4 + 1 characters: the text and a final NUL
 * @param data the bytes
 * @param size their number, a multiple of 4
 * @return dest, or NULL
 * @error EINVAL size is not a multiple of 4
 * @threads any
 * @source zmq_z85_encode(3), RFC 32 (Z85)
 */
ZMQ_EXPORT char *zmq_z85_encode(char *dest, const uint8_t *data, size_t size);

/*
 * Reads Z85 text.
 *
 * @param dest room for strlen(string) * 4 / 5 bytes
 * @param string the text, with a final NUL
 * @return dest, or NULL
 * @error EINVAL the length is not a multiple of 5, or it is not Z85
 * @threads any
 * @source zmq_z85_decode(3), RFC 32 (Z85)
 */
ZMQ_EXPORT uint8_t *zmq_z85_decode(uint8_t *dest, const char *string);

/*
 * Makes a CURVE key pair.
 *
 * @param z85_public_key room for 41 characters: 40 of Z85 and a final NUL
 * @param z85_secret_key likewise
 * @return 0 or -1
 * @error ENOTSUP the library has no CURVE
 * @threads any
 * @source zmq_curve_keypair(3), RFC 26 (CurveZMQ)
 */
ZMQ_EXPORT int zmq_curve_keypair(char *z85_public_key, char *z85_secret_key);

/*
 * Gives the public key that belongs to a secret one.
 *
 * @param z85_public_key room for 41 characters: 40 of Z85 and a final NUL
 * @param z85_secret_key 40 characters of Z85 and a final NUL
 * @return 0 or -1
 * @error EINVAL z85_secret_key is not a key
 * @error ENOTSUP the library has no CURVE
 * @threads any
 * @source zmq_curve_public(3), RFC 26 (CurveZMQ)
 */
ZMQ_EXPORT int zmq_curve_public(char *z85_public_key, const char *z85_secret_key);

/* ---- Atomic counters ----------------------------------------------------------------- */

/*
 * Makes an atomic counter that stands at 0.
 *
 * @return the counter, to be freed with zmq_atomic_counter_destroy; NULL for want of memory
 * @threads any
 * @source zmq_atomic_counter_new(3)
 */
ZMQ_EXPORT void *zmq_atomic_counter_new(void);

/*
 * Sets a counter.
 *
 * @param counter the counter
 * @param value what it is set to
 * @threads any
 * @source zmq_atomic_counter_set(3)
 */
ZMQ_EXPORT void zmq_atomic_counter_set(void *counter, int value);

/*
 * Adds 1 to a counter.
 *
 * @param counter the counter
 * @return its value before
 * @threads any
 * @source zmq_atomic_counter_inc(3)
 */
ZMQ_EXPORT int zmq_atomic_counter_inc(void *counter);

/*
 * Takes 1 from a counter.
 *
 * @param counter the counter
 * @return 0 when it has reached 0, else 1
 * @threads any
 * @source zmq_atomic_counter_dec(3)
 */
ZMQ_EXPORT int zmq_atomic_counter_dec(void *counter);

/*
 * Reads a counter.
 *
 * @param counter the counter
 * @return its value
 * @threads any
 * @source zmq_atomic_counter_value(3)
 */
ZMQ_EXPORT int zmq_atomic_counter_value(void *counter);

/*
 * Frees a counter.
 *
 * @param counter_p where the counter's handle is; set to NULL
 * @threads any, when no other uses the counter
 * @source zmq_atomic_counter_destroy(3)
 */
ZMQ_EXPORT void zmq_atomic_counter_destroy(void **counter_p);

/* ---- Timers -------------------------------------------------------------------------- */

/*
 * Makes an empty set of repeating timers.
 *
 * Nothing runs by itself: wait for zmq_timers_timeout at most, in zmq_poll for example, and then call
 * zmq_timers_execute.
 * @return the set, to be freed with zmq_timers_destroy; NULL on error
 * @error ENOMEM
 * @threads any
 * @source zmq_timers(3)
 */
ZMQ_EXPORT void *zmq_timers_new(void);

/*
 * Frees a set of timers, with its timers.
 *
 * @param timers_p where the set's handle is; set to NULL
 * @return 0 or -1
 * @error EFAULT it is not a set of timers
 * @error EBUSY the call comes from a handler of the set
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_destroy(void **timers_p);

/*
 * Adds a timer, which goes off again and again.
 *
 * @param timers the set
 * @param interval ms from now, and from each time on
 * @param handler called as handler(timer_id, arg) by zmq_timers_execute; it may add, change and cancel timers
 * @param arg handed to the handler
 * @return the new timer's id, from 1; or -1
 * @error EFAULT it is not a set of timers, or there is no handler
 * @error ENOMEM
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_add(void *timers, size_t interval, zmq_timer_fn *handler, void *arg);

/*
 * Removes a timer.
 *
 * @param timers the set
 * @param timer_id of zmq_timers_add
 * @return 0 or -1
 * @error EFAULT it is not a set of timers
 * @error EINVAL no such timer
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_cancel(void *timers, int timer_id);

/*
 * Changes a timer's interval, which begins anew.
 *
 * @param timers the set
 * @param timer_id of zmq_timers_add
 * @param interval ms
 * @return 0 or -1
 * @error EFAULT it is not a set of timers
 * @error EINVAL no such timer
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_set_interval(void *timers, int timer_id, size_t interval);

/*
 * Begins a timer's interval anew.
 *
 * @param timers the set
 * @param timer_id of zmq_timers_add
 * @return 0 or -1
 * @error EFAULT it is not a set of timers
 * @error EINVAL no such timer
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_reset(void *timers, int timer_id);

/*
 * Tells how long to wait for the next timer.
 *
 * @param timers the set
 * @return ms; 0: one is due; -1: there is no timer, or an error, with errno set
 * @error EFAULT it is not a set of timers
 * @threads holder
 * @source zmq_timers(3)
 */
ZMQ_EXPORT long zmq_timers_timeout(void *timers);

/*
 * Calls the handlers of all timers that are due, each once.
 *
 * @param timers the set
 * @return 0 or -1
 * @error EFAULT it is not a set of timers
 * @threads holder; the handlers run in the calling thread
 * @source zmq_timers(3)
 */
ZMQ_EXPORT int zmq_timers_execute(void *timers);

/* ---- Stopwatches and threads --------------------------------------------------------- */

/*
 * Starts a stopwatch.
 *
 * @return the stopwatch, to be ended with zmq_stopwatch_stop; NULL for want of memory
 * @threads any
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT void *zmq_stopwatch_start(void);

/*
 * Reads a stopwatch, which goes on.
 *
 * @param watch the stopwatch
 * @return microseconds since its start
 * @threads any
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT unsigned long zmq_stopwatch_intermediate(void *watch);

/*
 * Reads a stopwatch and frees it.
 *
 * @param watch the stopwatch; no handle any more
 * @return microseconds since its start
 * @threads holder
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT unsigned long zmq_stopwatch_stop(void *watch);

/*
 * Sleeps.
 *
 * @param seconds whole seconds
 * @threads any
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT void zmq_sleep(int seconds);

/*
 * Runs a function in a new thread, which blocks signals.
 *
 * @param func called as func(arg)
 * @param arg handed to the function
 * @return the thread, to be ended with zmq_threadclose; NULL on error
 * @error EAGAIN the system has no room for a thread
 * @threads any
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT void *zmq_threadstart(zmq_thread_fn *func, void *arg);

/*
 * Waits until a thread's function has returned, and frees the thread.
 *
 * @param thread of zmq_threadstart; no handle any more
 * @threads any but that thread
 * @source observed behaviour of libzmq, which has no page for it
 */
ZMQ_EXPORT void zmq_threadclose(void *thread);

#endif /* ZLINK_C_UTILITIES_H */
