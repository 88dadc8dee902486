/* SPDX-License-Identifier: MPL-2.0 */
/*
 * Counters of contexts, sockets and peers, as values of one moment. They may be those of this process, or of
 * another one of the same user. The process that is looked at does nothing for it. A process leaves a file
 * behind if it dies, where ZLINK_RUNTIME_DIR says so. docs/api/counters.md has the names of the values.
 *
 * A zlink_stats is a constant table of subjects: contexts, I/O threads, sockets and peers. The subjects of a
 * context follow it, and the peers of a socket follow the socket. Each subject has values with names.
 *
 * Errors are as in zmq.h: NULL or -1, with the reason in errno. Threads: any; a table may be read by several.
 */
#ifndef ZLINK_STATS_H
#define ZLINK_STATS_H

#include <zmq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of subjects. */
#define ZLINK_STATS_CONTEXT 0
#define ZLINK_STATS_IO_THREAD 1
#define ZLINK_STATS_SOCKET 2
#define ZLINK_STATS_PEER 3

typedef struct zlink_stats zlink_stats;

/* Takes the values of a context of this process. EFAULT, ENOMEM; ENODATA: it has had no socket yet. */
ZMQ_EXPORT zlink_stats *zlink_stats_of_context(void *context);
/* Takes the values of all contexts of a process. ESRCH, EACCES, ENOMEM; ENODATA: it has none. */
ZMQ_EXPORT zlink_stats *zlink_stats_of_process(int pid);
/* Takes the values from a file that a process has made, also after its death. ENOENT, EACCES, ENOMEM;
 * EPROTO: it is no such file. */
ZMQ_EXPORT zlink_stats *zlink_stats_of_file(const char *path);
/* Puts the subjects of `more` behind those of `stats`, and ends `more`. The JSON text of `stats` ends, too.
 * EINVAL; ENOMEM: nothing has changed. */
ZMQ_EXPORT int zlink_stats_join(zlink_stats *stats, zlink_stats *more);
/* Ends a table, and all texts that were got from it. NULL is none. */
ZMQ_EXPORT void zlink_stats_free(zlink_stats *stats);

/* Writes the processes that have contexts, at most `most` of them. Returns how many there are. */
ZMQ_EXPORT int zlink_stats_processes(int *pids, int most);

/* ---- subjects are numbered from 0 */
/* Returns how many subjects the table has. */
ZMQ_EXPORT int zlink_stats_count(const zlink_stats *stats);
/* Returns ZLINK_STATS_CONTEXT or another kind. EINVAL: there is no such subject, as below. */
ZMQ_EXPORT int zlink_stats_kind(const zlink_stats *stats, int subject);
/* Returns the number of the subject that this one is part of; -1 without an error: it is no part. */
ZMQ_EXPORT int zlink_stats_parent(const zlink_stats *stats, int subject);

/* ---- values of a subject */
/* Gives a number. ENOENT: the subject has none of this name. */
ZMQ_EXPORT int zlink_stats_value(const zlink_stats *stats, int subject, const char *name, uint64_t *value);
/* Gives a text, as bytes with a final NUL that `size` does not count. `size` may be NULL. ENOENT. */
ZMQ_EXPORT const char *zlink_stats_text(const zlink_stats *stats, int subject, const char *name,
                                        size_t *size);
/* Gives the name of a number, counted from 0. ENOENT: there are no more. */
ZMQ_EXPORT const char *zlink_stats_name(const zlink_stats *stats, int subject, int index);

/* Gives all values as a JSON text. NULL: ENOMEM. */
ZMQ_EXPORT const char *zlink_stats_json(zlink_stats *stats);

/* Gives the values of the sockets in the text format of Prometheus. NULL: EINVAL, ENOMEM. */
ZMQ_EXPORT const char *zlink_stats_prometheus(zlink_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
