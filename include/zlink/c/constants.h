/* SPDX-License-Identifier: MPL-2.0 */
/*
 * The numbers of the C interface: every value a program may pass to or get from a zmq_* function.
 *
 * They are part of the binary interface and never change. Programs include <zmq.h>, which includes this file.
 * Names between the ZMQ_BUILD_DRAFT_API lines belong to interfaces that libzmq itself still calls drafts. The
 * library accepts their numbers whether or not the program defines that macro.
 */
#ifndef ZLINK_C_CONSTANTS_H
#define ZLINK_C_CONSTANTS_H

#include <errno.h>

/* ---- Error numbers ------------------------------------------------------------------- */
/* Errors that the system has no name for count upwards from a base far away from its own numbers. */
#define ZMQ_HAUSNUMERO 156384712

/* Raised by this library only. */
#define EFSM (ZMQ_HAUSNUMERO + 51)           /* the socket's state does not allow the operation now */
#define ENOCOMPATPROTO (ZMQ_HAUSNUMERO + 52) /* transport and socket type do not go together */
#define ETERM (ZMQ_HAUSNUMERO + 53)          /* the context was terminated or shut down */
#define EMTHREAD (ZMQ_HAUSNUMERO + 54)       /* no I/O thread is available for the operation */

/* POSIX names, for systems that lack them. */
#ifndef ENOTSUP
#define ENOTSUP (ZMQ_HAUSNUMERO + 1)
#endif
#ifndef EPROTONOSUPPORT
#define EPROTONOSUPPORT (ZMQ_HAUSNUMERO + 2)
#endif
#ifndef ENOBUFS
#define ENOBUFS (ZMQ_HAUSNUMERO + 3)
#endif
#ifndef ENETDOWN
#define ENETDOWN (ZMQ_HAUSNUMERO + 4)
#endif
#ifndef EADDRINUSE
#define EADDRINUSE (ZMQ_HAUSNUMERO + 5)
#endif
#ifndef EADDRNOTAVAIL
#define EADDRNOTAVAIL (ZMQ_HAUSNUMERO + 6)
#endif
#ifndef ECONNREFUSED
#define ECONNREFUSED (ZMQ_HAUSNUMERO + 7)
#endif
#ifndef EINPROGRESS
#define EINPROGRESS (ZMQ_HAUSNUMERO + 8)
#endif
#ifndef ENOTSOCK
#define ENOTSOCK (ZMQ_HAUSNUMERO + 9)
#endif
#ifndef EMSGSIZE
#define EMSGSIZE (ZMQ_HAUSNUMERO + 10)
#endif
#ifndef EAFNOSUPPORT
#define EAFNOSUPPORT (ZMQ_HAUSNUMERO + 11)
#endif
#ifndef ENETUNREACH
#define ENETUNREACH (ZMQ_HAUSNUMERO + 12)
#endif
#ifndef ECONNABORTED
#define ECONNABORTED (ZMQ_HAUSNUMERO + 13)
#endif
#ifndef ECONNRESET
#define ECONNRESET (ZMQ_HAUSNUMERO + 14)
#endif
#ifndef ENOTCONN
#define ENOTCONN (ZMQ_HAUSNUMERO + 15)
#endif
#ifndef ETIMEDOUT
#define ETIMEDOUT (ZMQ_HAUSNUMERO + 16)
#endif
#ifndef EHOSTUNREACH
#define EHOSTUNREACH (ZMQ_HAUSNUMERO + 17)
#endif
#ifndef ENETRESET
#define ENETRESET (ZMQ_HAUSNUMERO + 18)
#endif

/* ---- Context options: zmq_ctx_set, zmq_ctx_get --------------------------------------- */
#define ZMQ_IO_THREADS 1                 /* I/O threads; from the first socket on it is fixed */
#define ZMQ_MAX_SOCKETS 2                /* sockets that may be open at once */
#define ZMQ_SOCKET_LIMIT 3               /* most that MAX_SOCKETS may be; get only */
#define ZMQ_THREAD_PRIORITY 3            /* of the I/O threads; set only, the number is the one above */
#define ZMQ_THREAD_SCHED_POLICY 4        /* of the I/O threads, a SCHED_* number */
#define ZMQ_MAX_MSGSZ 5                  /* kept and read back: use ZMQ_MAXMSGSIZE */
#define ZMQ_MSG_T_SIZE 6                 /* sizeof(zmq_msg_t) */
#define ZMQ_THREAD_AFFINITY_CPU_ADD 7    /* a processor more that I/O threads may use */
#define ZMQ_THREAD_AFFINITY_CPU_REMOVE 8 /* takes that back; EINVAL: it was not added */
#define ZMQ_THREAD_NAME_PREFIX 9         /* before the names of I/O threads: prefix/ZMQbg/... */

/* Their values in a new context. */
#define ZMQ_IO_THREADS_DFLT 1
#define ZMQ_MAX_SOCKETS_DFLT 1023
#define ZMQ_THREAD_PRIORITY_DFLT -1
#define ZMQ_THREAD_SCHED_POLICY_DFLT -1

/* ---- Socket types: zmq_socket -------------------------------------------------------- */
#define ZMQ_PAIR 0
#define ZMQ_PUB 1
#define ZMQ_SUB 2
#define ZMQ_REQ 3
#define ZMQ_REP 4
#define ZMQ_DEALER 5
#define ZMQ_ROUTER 6
#define ZMQ_PULL 7
#define ZMQ_PUSH 8
#define ZMQ_XPUB 9
#define ZMQ_XSUB 10
#define ZMQ_STREAM 11

/* ---- Socket options: zmq_setsockopt, zmq_getsockopt ---------------------------------- */
#define ZMQ_AFFINITY 4                   /* bits of the I/O threads for later connections; 0: all */
#define ZMQ_ROUTING_ID 5                 /* name of this socket at a ROUTER; not with a 0 in front */
#define ZMQ_SUBSCRIBE 6                  /* receive messages that begin with this; "": all */
#define ZMQ_UNSUBSCRIBE 7                /* takes one ZMQ_SUBSCRIBE back */
#define ZMQ_RATE 8                       /* of multicast, kbit/s */
#define ZMQ_RECOVERY_IVL 9               /* of multicast, ms */
#define ZMQ_SNDBUF 11                    /* the system's buffer (SO_SNDBUF), bytes; -1: its own choice */
#define ZMQ_RCVBUF 12                    /* the system's buffer (SO_RCVBUF), bytes; -1: its own choice */
#define ZMQ_RCVMORE 13                   /* 1: more frames of the message are to be received */
#define ZMQ_FD 14                        /* descriptor: readable when ZMQ_EVENTS is to be asked */
#define ZMQ_EVENTS 15                    /* ZMQ_POLLIN, ZMQ_POLLOUT */
#define ZMQ_TYPE 16                      /* the socket's type */
#define ZMQ_LINGER 17                    /* ms after zmq_close for what is not sent; -1: for ever */
#define ZMQ_RECONNECT_IVL 18             /* ms before connecting again; -1: never */
#define ZMQ_BACKLOG 19                   /* of listen(2) */
#define ZMQ_RECONNECT_IVL_MAX 21         /* ms up to which the interval doubles; 0: it does not */
#define ZMQ_MAXMSGSIZE 22                /* bytes of a received frame; above it the connection ends */
#define ZMQ_SNDHWM 23                    /* messages that may wait to go out, per peer; 0: any number */
#define ZMQ_RCVHWM 24                    /* messages that may wait to be received, per peer; 0: any */
#define ZMQ_MULTICAST_HOPS 25            /* time to live of multicast datagrams */
#define ZMQ_RCVTIMEO 27                  /* ms that a receive may wait; -1: for ever */
#define ZMQ_SNDTIMEO 28                  /* ms that a send may wait; -1: for ever */
#define ZMQ_LAST_ENDPOINT 32             /* of the last bind or connect, wildcards resolved */
#define ZMQ_ROUTER_MANDATORY 33          /* 1: report what cannot be delivered, instead of dropping it */
#define ZMQ_TCP_KEEPALIVE 34             /* SO_KEEPALIVE; -1: as the system has it */
#define ZMQ_TCP_KEEPALIVE_CNT 35         /* TCP_KEEPCNT; -1: as the system has it */
#define ZMQ_TCP_KEEPALIVE_IDLE 36        /* TCP_KEEPIDLE, s; -1: as the system has it */
#define ZMQ_TCP_KEEPALIVE_INTVL 37       /* TCP_KEEPINTVL, s; -1: as the system has it */
#define ZMQ_IMMEDIATE 39                 /* 1: messages wait on finished connections only */
#define ZMQ_XPUB_VERBOSE 40              /* 1: also pass subscriptions on that are there already */
#define ZMQ_ROUTER_RAW 41                /* 1: bare tcp, without ZMTP; deprecated, see ZMQ_STREAM */
#define ZMQ_IPV6 42                      /* 1: IPv6 too; as a context option for new sockets */
#define ZMQ_MECHANISM 43                 /* ZMQ_NULL, ZMQ_PLAIN, ZMQ_CURVE */
#define ZMQ_PLAIN_SERVER 44              /* 1: this side checks user names; 0: back to ZMQ_NULL */
#define ZMQ_PLAIN_USERNAME 45            /* of a client; NULL with 0: back to ZMQ_NULL */
#define ZMQ_PLAIN_PASSWORD 46            /* of a client; NULL with 0: back to ZMQ_NULL */
#define ZMQ_CURVE_SERVER 47              /* 1: this side checks keys; 0: back to ZMQ_NULL */
#define ZMQ_CURVE_PUBLICKEY 48           /* 32 bytes or Z85: this side's key */
#define ZMQ_CURVE_SECRETKEY 49           /* 32 bytes or Z85: this side's key */
#define ZMQ_CURVE_SERVERKEY 50           /* 32 bytes or Z85: the server's key, for a client */
#define ZMQ_PROBE_ROUTER 51              /* 1: an empty message goes to each new peer */
#define ZMQ_REQ_CORRELATE 52             /* 1: requests carry an id that their answers must have */
#define ZMQ_REQ_RELAXED 53               /* 1: a request may follow one that was not answered */
#define ZMQ_CONFLATE 54                  /* 1: keep the last message only; none of several frames */
#define ZMQ_ZAP_DOMAIN 55                /* what the authenticator is told; see docs/SECURITY.md */
#define ZMQ_ROUTER_HANDOVER 56           /* 1: a new peer takes over the routing id of an old one */
#define ZMQ_TOS 57                       /* IP_TOS, IPV6_TCLASS */
#define ZMQ_CONNECT_ROUTING_ID 61        /* name for the peer of the next zmq_connect */
#define ZMQ_GSSAPI_SERVER 62             /* zlink has no GSSAPI */
#define ZMQ_GSSAPI_PRINCIPAL 63          /* zlink has no GSSAPI */
#define ZMQ_GSSAPI_SERVICE_PRINCIPAL 64  /* zlink has no GSSAPI */
#define ZMQ_GSSAPI_PLAINTEXT 65          /* zlink has no GSSAPI */
#define ZMQ_HANDSHAKE_IVL 66             /* ms that a handshake may take; 0: any time */
#define ZMQ_SOCKS_PROXY 68               /* host:port of a SOCKS5 proxy for tcp; NULL with 0: none */
#define ZMQ_XPUB_NODROP 69               /* 1: EAGAIN instead of dropping for a full subscriber */
#define ZMQ_BLOCKY 70                    /* 0: new sockets have ZMQ_LINGER 0 */
#define ZMQ_XPUB_MANUAL 71               /* 1: subscribe for a peer by ZMQ_SUBSCRIBE */
#define ZMQ_XPUB_WELCOME_MSG 72          /* sent to new subscribers of it */
#define ZMQ_STREAM_NOTIFY 73             /* 1: an empty message tells of each new or lost peer */
#define ZMQ_INVERT_MATCHING 74           /* 1: what matches is left out; both sides must set it */
#define ZMQ_HEARTBEAT_IVL 75             /* ms between PINGs; 0: none */
#define ZMQ_HEARTBEAT_TTL 76             /* ms of silence after which the peer gives up; in 1/10 s */
#define ZMQ_HEARTBEAT_TIMEOUT 77         /* ms of silence after a PING; -1: HEARTBEAT_IVL */
#define ZMQ_XPUB_VERBOSER 78             /* as XPUB_VERBOSE, and unsubscriptions too */
#define ZMQ_CONNECT_TIMEOUT 79           /* ms that connecting may take; 0: as the system has it */
#define ZMQ_TCP_MAXRT 80                 /* TCP_USER_TIMEOUT, ms; 0: as the system has it */
#define ZMQ_THREAD_SAFE 81               /* 1: many threads may use the socket */
#define ZMQ_MULTICAST_MAXTPDU 84         /* kept and read back, bytes */
#define ZMQ_VMCI_BUFFER_SIZE 85          /* kept, without effect */
#define ZMQ_VMCI_BUFFER_MIN_SIZE 86      /* kept, without effect */
#define ZMQ_VMCI_BUFFER_MAX_SIZE 87      /* kept, without effect */
#define ZMQ_VMCI_CONNECT_TIMEOUT 88      /* kept, without effect */
#define ZMQ_USE_FD 89                    /* a listening descriptor for the next zmq_bind; -1: none */
#define ZMQ_GSSAPI_PRINCIPAL_NAMETYPE 90 /* zlink has no GSSAPI */
#define ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE 91 /* zlink has no GSSAPI */
#define ZMQ_BINDTODEVICE 92                      /* SO_BINDTODEVICE; NULL with 0: none */

/* ---- Values that options and functions take or give ---------------------------------- */
/* Flags of sending and receiving. */
#define ZMQ_DONTWAIT 1
#define ZMQ_SNDMORE 2

/* Message properties: zmq_msg_get. */
#define ZMQ_MORE 1
#define ZMQ_SHARED 3

/* Bits of zmq_pollitem_t and of ZMQ_EVENTS. */
#define ZMQ_POLLIN 1
#define ZMQ_POLLOUT 2
#define ZMQ_POLLERR 4
#define ZMQ_POLLPRI 8
#define ZMQ_POLLITEMS_DFLT 16

/* ZMQ_MECHANISM. */
#define ZMQ_NULL 0
#define ZMQ_PLAIN 1
#define ZMQ_CURVE 2
#define ZMQ_GSSAPI 3

/* ZMQ_GSSAPI_*_NAMETYPE. */
#define ZMQ_GSSAPI_NT_HOSTBASED 0
#define ZMQ_GSSAPI_NT_USER_NAME 1
#define ZMQ_GSSAPI_NT_KRB5_PRINCIPAL 2

/* Longest group name of RADIO and DISH, bytes. */
#define ZMQ_GROUP_MAX_LENGTH 255

/* Capabilities of this header, for programs that ask the preprocessor. */
#define ZMQ_HAS_CAPABILITIES 1
#define ZMQ_HAVE_TIMERS

/* ---- Monitor events: zmq_socket_monitor ---------------------------------------------- */
#define ZMQ_EVENT_CONNECTED 0x0001
#define ZMQ_EVENT_CONNECT_DELAYED 0x0002
#define ZMQ_EVENT_CONNECT_RETRIED 0x0004
#define ZMQ_EVENT_LISTENING 0x0008
#define ZMQ_EVENT_BIND_FAILED 0x0010
#define ZMQ_EVENT_ACCEPTED 0x0020
#define ZMQ_EVENT_ACCEPT_FAILED 0x0040
#define ZMQ_EVENT_CLOSED 0x0080
#define ZMQ_EVENT_CLOSE_FAILED 0x0100
#define ZMQ_EVENT_DISCONNECTED 0x0200
#define ZMQ_EVENT_MONITOR_STOPPED 0x0400
#define ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL 0x0800 /* value: an errno */
#define ZMQ_EVENT_HANDSHAKE_SUCCEEDED 0x1000
#define ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL 0x2000 /* value: a ZMQ_PROTOCOL_ERROR_* */
#define ZMQ_EVENT_HANDSHAKE_FAILED_AUTH 0x4000     /* value: the ZAP status, 300, 400 or 500 */
#define ZMQ_EVENT_ALL 0xFFFF

#define ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED 0x10000000
#define ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND 0x10000001
#define ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE 0x10000002
#define ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE 0x10000003
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED 0x10000011
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE 0x10000012
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO 0x10000013
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE 0x10000014
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR 0x10000015
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY 0x10000016
#define ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME 0x10000017
#define ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA 0x10000018
#define ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC 0x11000001
#define ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH 0x11000002
#define ZMQ_PROTOCOL_ERROR_ZAP_UNSPECIFIED 0x20000000
#define ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY 0x20000001
#define ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID 0x20000002
#define ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION 0x20000003
#define ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE 0x20000004
#define ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA 0x20000005
#define ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED 0x30000000

/* ---- Older names, still accepted ----------------------------------------------------- */
#define ZMQ_XREQ ZMQ_DEALER
#define ZMQ_XREP ZMQ_ROUTER
#define ZMQ_NOBLOCK ZMQ_DONTWAIT
#define ZMQ_SRCFD 2 /* message property */
#define ZMQ_IDENTITY ZMQ_ROUTING_ID
#define ZMQ_CONNECT_RID ZMQ_CONNECT_ROUTING_ID
#define ZMQ_FAIL_UNROUTABLE ZMQ_ROUTER_MANDATORY
#define ZMQ_ROUTER_BEHAVIOR ZMQ_ROUTER_MANDATORY
#define ZMQ_DELAY_ATTACH_ON_CONNECT ZMQ_IMMEDIATE
#define ZMQ_IPV4ONLY 31          /* 1: IPv4 only, the opposite of ZMQ_IPV6 */
#define ZMQ_TCP_ACCEPT_FILTER 38 /* address/bits that may connect, added; NULL with 0: all */
#define ZMQ_IPC_FILTER_PID 58    /* pid_t that may connect, added; NULL with 0: all */
#define ZMQ_IPC_FILTER_UID 59    /* uid_t that may connect, added; NULL with 0: all */
#define ZMQ_IPC_FILTER_GID 60    /* gid_t that may connect, added; NULL with 0: all */
#define ZMQ_STREAMER 1
#define ZMQ_FORWARDER 2
#define ZMQ_QUEUE 3

#ifdef ZMQ_BUILD_DRAFT_API

#define ZMQ_HAVE_POLLER
#ifndef _WIN32
#define ZMQ_HAVE_PPOLL
#endif

/* Context option. */
#define ZMQ_ZERO_COPY_RECV 10 /* kept and read back */

/* Socket types. All but DGRAM may be used from several threads at once. */
#define ZMQ_SERVER 12
#define ZMQ_CLIENT 13
#define ZMQ_RADIO 14
#define ZMQ_DISH 15
#define ZMQ_GATHER 16
#define ZMQ_SCATTER 17
#define ZMQ_DGRAM 18
#define ZMQ_PEER 19
#define ZMQ_CHANNEL 20

/* Socket options. */
#define ZMQ_ZAP_ENFORCE_DOMAIN 93        /* 1: no domain, no authenticator: no connection */
#define ZMQ_LOOPBACK_FASTPATH 94         /* kept and read back: of Windows */
#define ZMQ_METADATA 95                  /* "X-name:value" for the peer's zmq_msg_gets, added */
#define ZMQ_MULTICAST_LOOP 96            /* 1: multicast datagrams come back to this machine */
#define ZMQ_ROUTER_NOTIFY 97             /* ZMQ_NOTIFY_* bits: empty messages tell of peers */
#define ZMQ_XPUB_MANUAL_LAST_VALUE 98    /* as XPUB_MANUAL; sends go to the last subscriber */
#define ZMQ_SOCKS_USERNAME 99            /* for the SOCKS5 proxy */
#define ZMQ_SOCKS_PASSWORD 100           /* for the SOCKS5 proxy */
#define ZMQ_IN_BATCH_SIZE 101            /* bytes that one read from a connection takes at most */
#define ZMQ_OUT_BATCH_SIZE 102           /* bytes that one write to a connection takes at most */
#define ZMQ_WSS_KEY_PEM 103              /* wss: the private key, see docs/api/ws.md */
#define ZMQ_WSS_CERT_PEM 104             /* wss: the certificate */
#define ZMQ_WSS_TRUST_PEM 105            /* wss: the authorities that are trusted */
#define ZMQ_WSS_HOSTNAME 106             /* wss: the name in the server's certificate */
#define ZMQ_WSS_TRUST_SYSTEM 107         /* wss: trust the authorities of the system too */
#define ZMQ_ONLY_FIRST_SUBSCRIBE 108     /* 1: later frames of a message are no subscriptions */
#define ZMQ_RECONNECT_STOP 109           /* ZMQ_RECONNECT_STOP_* bits: when not to connect again */
#define ZMQ_HELLO_MSG 110                /* sent to each new peer; of size 0: none */
#define ZMQ_DISCONNECT_MSG 111           /* received when an accepted peer is gone; of size 0: none */
#define ZMQ_PRIORITY 112                 /* SO_PRIORITY */
#define ZMQ_BUSY_POLL 113                /* SO_BUSY_POLL, us */
#define ZMQ_HICCUP_MSG 114               /* received when a connection is lost; of size 0: none */
#define ZMQ_XSUB_VERBOSE_UNSUBSCRIBE 115 /* 1: every cancellation is sent on */
#define ZMQ_TOPICS_COUNT 116             /* subscriptions that the socket knows */
#define ZMQ_NORM_MODE 117                /* kept and read back */
#define ZMQ_NORM_UNICAST_NACK 118        /* kept and read back */
#define ZMQ_NORM_BUFFER_SIZE 119         /* kept and read back */
#define ZMQ_NORM_SEGMENT_SIZE 120        /* kept and read back */
#define ZMQ_NORM_BLOCK_SIZE 121          /* kept and read back */
#define ZMQ_NORM_NUM_PARITY 122          /* kept and read back */
#define ZMQ_NORM_NUM_AUTOPARITY 123      /* kept and read back */
#define ZMQ_NORM_PUSH 124                /* kept and read back */

/* Bits of ZMQ_ROUTER_NOTIFY. */
#define ZMQ_NOTIFY_CONNECT 1
#define ZMQ_NOTIFY_DISCONNECT 2

/* Bits of ZMQ_RECONNECT_STOP. */
#define ZMQ_RECONNECT_STOP_CONN_REFUSED 0x1
#define ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED 0x2
#define ZMQ_RECONNECT_STOP_AFTER_DISCONNECT 0x4

/* ZMQ_NORM_MODE. */
#define ZMQ_NORM_FIXED 0
#define ZMQ_NORM_CC 1
#define ZMQ_NORM_CCL 2
#define ZMQ_NORM_CCE 3
#define ZMQ_NORM_CCE_ECNONLY 4

/* Names for zmq_msg_gets. */
#define ZMQ_MSG_PROPERTY_ROUTING_ID "Routing-Id"
#define ZMQ_MSG_PROPERTY_SOCKET_TYPE "Socket-Type"
#define ZMQ_MSG_PROPERTY_USER_ID "User-Id"
#define ZMQ_MSG_PROPERTY_PEER_ADDRESS "Peer-Address"

/* Monitor events: zmq_socket_monitor_versioned. */
#define ZMQ_EVENT_PIPES_STATS 0x10000
#define ZMQ_CURRENT_EVENT_VERSION 1
#define ZMQ_CURRENT_EVENT_VERSION_DRAFT 2
#define ZMQ_EVENT_ALL_V1 ZMQ_EVENT_ALL
#define ZMQ_EVENT_ALL_V2 (ZMQ_EVENT_ALL_V1 | ZMQ_EVENT_PIPES_STATS)

#endif /* ZMQ_BUILD_DRAFT_API */

#endif /* ZLINK_C_CONSTANTS_H */
