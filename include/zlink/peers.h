/* SPDX-License-Identifier: MPL-2.0 */
/*
 * Peers of a socket: who they are, and how to be rid of one. docs/api/peers.md has more.
 *
 * Errors are as in zmq.h: NULL or -1, with the reason in errno. Threads: as every call on a socket.
 */
#ifndef ZLINK_PEERS_H
#define ZLINK_PEERS_H

#include <zlink/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Takes the values of a socket and its peers, which follow it: subject 0 is the socket. A peer has the texts
 * "identity", "address", "mechanism" and "state", and the numbers "id" and "age" (nanoseconds). ENOTSOCK,
 * ENOMEM; ENODATA: there was no room for its counters.
 */
ZMQ_EXPORT zlink_stats *zlink_stats_of_socket(void *socket);

/*
 * Disconnects the peers that have this routing id, as zmq_disconnect does: messages that came from them and
 * were not received are dropped. A connection that the socket made is not made again. A peer that made its
 * connection may come back. EHOSTUNREACH: there is no such peer. EINVAL: the routing id is empty.
 */
ZMQ_EXPORT int zlink_disconnect_peer(void *socket, const void *routing_id, size_t size);
/* Disconnects the peer with this number: its value `id` in a zlink_stats. */
ZMQ_EXPORT int zlink_disconnect_peer_number(void *socket, uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
