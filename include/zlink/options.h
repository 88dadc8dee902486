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
#define ZLINK_CLOSED_OVER_LIMIT 10011        /* ZLINK_MAX_PEERS */

/*
 * The transport tls (docs/api/tls.md). To be set before zmq_bind or zmq_connect; certificate, key and
 * password also later, for the next handshakes. A certificate or a key is PEM text, or the path of a file
 * with it. An empty value clears a text. The key and its password cannot be read.
 */
#define ZLINK_TLS_CERT 10020         /* text: the own certificate, and its chain behind it */
#define ZLINK_TLS_KEY 10021          /* text: its private key */
#define ZLINK_TLS_KEY_PASSWORD 10022 /* text: of an encrypted key */
#define ZLINK_TLS_CA 10023           /* text: the certificates of the authorities that are trusted */
#define ZLINK_TLS_TRUST_SYSTEM 10024 /* int: 1 those of the system too, 0 not, -1 if there are no others */
#define ZLINK_TLS_VERIFY 10025       /* int: whether a server has to prove who it is */
#define ZLINK_TLS_REQUIRE_CLIENT_CERT 10026 /* int, 0 or 1: whether clients have to prove who they are */
#define ZLINK_TLS_HOSTNAME 10027    /* text: the name in the server's certificate, if not the endpoint's */
#define ZLINK_TLS_MIN_VERSION 10028 /* int: the oldest version of the protocol that is spoken */
#define ZLINK_TLS_ALPN 10029        /* text: protocol names with commas between them; both sides need one */
#define ZLINK_TLS_CRL 10030         /* text: lists of the certificates that authorities have revoked */

/* Values of ZLINK_TLS_VERIFY and ZLINK_TLS_MIN_VERSION. */
#define ZLINK_TLS_VERIFY_NONE 0
#define ZLINK_TLS_VERIFY_PEER 1
#define ZLINK_TLS_1_2 0x0303
#define ZLINK_TLS_1_3 0x0304

/* ws and wss, for binding. docs/api/ws.md has more. */
#define ZLINK_WS_ORIGINS 10040 /* text: the sites whose pages may connect, with commas; empty: all */

/* A proxy of HTTP for connecting by tcp, tls, ws and wss, if there is no ZMQ_SOCKS_PROXY. */
#define ZLINK_HTTP_PROXY 10041       /* text, host:port: it is asked with CONNECT; empty: none */
#define ZLINK_HTTP_PROXY_LOGIN 10042 /* text, user:password: for Basic; empty: none */

/*
 * The fate of a message for a peer whose queue has reached its high-water mark. An int, for connections
 * that are made later. docs/api/slow_peers.md has more.
 */
#define ZLINK_SNDHWM_POLICY 10060 /* PUB, XPUB, PUSH, DEALER: of what is sent */
#define ZLINK_RCVHWM_POLICY 10061 /* SUB, XSUB, PULL, DEALER: of what was received and is not read */
/* Values of both. */
#define ZLINK_HWM_AS_LIBZMQ 0       /* PUB and XPUB drop the new message, the others wait */
#define ZLINK_HWM_DROP_OLDEST 1     /* the oldest message gives way */
#define ZLINK_HWM_LATEST_OF_TOPIC 2 /* as 1; and a message replaces the one with the same first frame */
/* Values of ZLINK_SNDHWM_POLICY of PUB and XPUB. */
#define ZLINK_HWM_BLOCK 3      /* the sender waits, as with ZMQ_XPUB_NODROP */
#define ZLINK_HWM_DISCONNECT 4 /* the connection to the slow peer ends; the peer may connect again */

/*
 * High-water marks in bytes, beside those in messages. As uint64_t, for every type of socket, also for
 * zmq_ctx_set_ext as the values of new sockets. docs/api/slow_peers.md has more.
 */
#define ZLINK_SNDHWM_BYTES 10063 /* bytes that wait to be sent to a peer; 0, the default: no mark */
#define ZLINK_RCVHWM_BYTES 10064 /* bytes from a peer that wait to be received; 0, the default: no mark */

/*
 * PUB and XPUB keep the last message of each topic, and give it to new subscribers. A topic is the whole
 * first frame of a message. docs/api/slow_peers.md has more.
 */
#define ZLINK_LAST_VALUE 10062       /* int: topics that are kept at most; 0, the default: none */
#define ZLINK_LAST_VALUE_BYTES 10065 /* uint64_t: bytes that are kept at most; 0: no bound; else 64 MiB */
/* For endpoints that are bound later. docs/api/peers.md has more. */
#define ZLINK_MAX_PEERS 10070 /* int: connections that an endpoint has at a time; 0: as many as come */
/*
 * The counters of the socket and of its peers as a JSON text, to be read only. EINVAL: the value has no room;
 * zlink/stats.h has functions without that limit. docs/api/counters.md has the names.
 */
#define ZLINK_STATS 10080
/*
 * The peers of the socket as a JSON list: identity, address, mechanism, state and age of each. EINVAL as
 * above.
 */
#define ZLINK_PEERS 10081
/*
 * int, 0 or 1: many threads may use the socket, of whatever type, for every call. To be set before the first
 * zmq_bind, zmq_connect and question for ZMQ_FD or ZLINK_LOOP_FD (else EINVAL); it cannot be taken back.
 * ZLINK_LAST_VALUE sets it. docs/api/thread_safe.md has more.
 */
#define ZLINK_THREAD_SAFE 10090
/*
 * Two answers for an event loop of the program, each an int to be read only. ZLINK_LOOP_EVENTS is like
 * ZMQ_EVENTS, by a thread that is going to wait. ZLINK_LOOP_FD is what the loop then watches for reading, to
 * be asked before each wait; the number stays the same. docs/api/event_loop.md has more.
 */
#define ZLINK_LOOP_FD 10091
#define ZLINK_LOOP_EVENTS 10092

/* Values of ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL with tls. */
#define ZLINK_TLS_FAILED_PROTOCOL 10102 /* the peer does not speak TLS, or breaks its rules */
#define ZLINK_TLS_FAILED_VERSION 10103  /* no version or cipher is common */
#define ZLINK_TLS_FAILED_ALPN 10104     /* no name of ZLINK_TLS_ALPN is common */
/* Values of ZMQ_EVENT_HANDSHAKE_FAILED_AUTH with tls. */
#define ZLINK_TLS_FAILED_REFUSED 10105         /* the peer refused our certificate, or wants one */
#define ZLINK_TLS_FAILED_NO_CERT 10106         /* the client has none */
#define ZLINK_TLS_FAILED_EXPIRED 10107         /* a certificate of the peer */
#define ZLINK_TLS_FAILED_NOT_YET_VALID 10108   /* a certificate of the peer */
#define ZLINK_TLS_FAILED_HOSTNAME 10109        /* the certificate is for another host */
#define ZLINK_TLS_FAILED_UNTRUSTED 10110       /* nobody who is trusted vouches for the certificate */
#define ZLINK_TLS_FAILED_BAD_CERTIFICATE 10111 /* another fault of a certificate */
#define ZLINK_TLS_FAILED_REVOKED 10112         /* a certificate of the peer is in a list of ZLINK_TLS_CRL */
#define ZLINK_TLS_FAILED_NO_CRL 10113 /* an authority of the peer has no list there that holds today */
/* A value of ZMQ_EVENT_HANDSHAKE_FAILED_AUTH with ws and wss. */
#define ZLINK_WS_FAILED_ORIGIN 10120 /* a page of a site that ZLINK_WS_ORIGINS does not name */

#endif
