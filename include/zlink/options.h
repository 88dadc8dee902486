/* SPDX-License-Identifier: MPL-2.0 */
/*
 * Socket options that only zlink has, for zmq_getsockopt and zmq_setsockopt. Their numbers start at 10000,
 * far from those that libzmq goes on to give; another library answers EINVAL. docs/api/zlink_options.md has
 * more.
 */
#ifndef ZLINK_OPTIONS_H
#define ZLINK_OPTIONS_H

/*
 * Why connections of a socket ended or did not come to be: how often since the socket was made. To be read as
 * uint64_t (a size other than 8 is EINVAL), from every type of socket; never set. Read in the socket's thread
 * as every option; counted by the I/O threads, so a count may grow between two reads. inproc is not counted.
 */
#define ZLINK_CLOSED_LOCAL 10000 /* this side: the socket was closing when the handshake was done */
#define ZLINK_CLOSED_PEER 10001  /* the peer closed, or the system lost the connection */
#define ZLINK_CLOSED_HANDSHAKE_FAILED 10002  /* not ZMTP, not a legal peer, or it refused us */
#define ZLINK_CLOSED_HANDSHAKE_TIMEOUT 10003 /* ZMQ_HANDSHAKE_IVL was over */
#define ZLINK_CLOSED_MALFORMED 10004         /* a frame or command that breaks the protocol */
#define ZLINK_CLOSED_OVERSIZE 10005          /* a message above ZMQ_MAXMSGSIZE */
#define ZLINK_CLOSED_HEARTBEAT 10006         /* silence for longer than the heartbeat allows */
#define ZLINK_CLOSED_FILTERED 10007          /* ZMQ_TCP_ACCEPT_FILTER, ZMQ_IPC_FILTER_... */
#define ZLINK_CLOSED_NO_MEMORY 10008         /* for what the peer announced */
#define ZLINK_CLOSED_ACCEPT_FAILED 10009     /* no descriptors left, or the system refused */
#define ZLINK_CLOSED_CONNECT_FAILED 10010    /* refused, unreachable, or the name is unknown; each attempt */

#endif
