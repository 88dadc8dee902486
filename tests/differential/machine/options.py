# SPDX-License-Identifier: MPL-2.0
"""What the machine knows about options: which there are, and values that are worth trying."""

from __future__ import annotations

# Without the options of transports that zlink does not have (docs/DIFFERENCES.md).
INTEGERS = (
    "RATE", "RECOVERY_IVL", "SNDBUF", "RCVBUF", "RCVMORE", "EVENTS", "TYPE", "LINGER", "RECONNECT_IVL", "BACKLOG",
    "RECONNECT_IVL_MAX", "SNDHWM", "RCVHWM", "MULTICAST_HOPS", "RCVTIMEO", "SNDTIMEO", "IPV4ONLY", "ROUTER_MANDATORY",
    "TCP_KEEPALIVE", "TCP_KEEPALIVE_CNT", "TCP_KEEPALIVE_IDLE", "TCP_KEEPALIVE_INTVL", "IMMEDIATE", "XPUB_VERBOSE", "ROUTER_RAW",
    "IPV6", "MECHANISM", "PLAIN_SERVER", "CURVE_SERVER", "PROBE_ROUTER", "REQ_CORRELATE", "REQ_RELAXED", "CONFLATE",
    "ROUTER_HANDOVER", "TOS", "HANDSHAKE_IVL", "XPUB_NODROP", "XPUB_MANUAL", "STREAM_NOTIFY", "INVERT_MATCHING", "HEARTBEAT_IVL",
    "HEARTBEAT_TTL", "HEARTBEAT_TIMEOUT", "XPUB_VERBOSER", "CONNECT_TIMEOUT", "TCP_MAXRT", "THREAD_SAFE", "MULTICAST_MAXTPDU",
    "ZAP_ENFORCE_DOMAIN", "LOOPBACK_FASTPATH", "MULTICAST_LOOP", "XPUB_MANUAL_LAST_VALUE", "ONLY_FIRST_SUBSCRIBE",
    "RECONNECT_STOP", "IPC_FILTER_PID", "IPC_FILTER_UID", "IPC_FILTER_GID", "FD", "USE_FD")
WIDE = ("AFFINITY", "MAXMSGSIZE")
TEXTS = (
    "ROUTING_ID", "SUBSCRIBE", "UNSUBSCRIBE", "LAST_ENDPOINT", "TCP_ACCEPT_FILTER", "PLAIN_USERNAME", "PLAIN_PASSWORD",
    "CURVE_PUBLICKEY", "CURVE_SECRETKEY", "CURVE_SERVERKEY", "ZAP_DOMAIN", "CONNECT_ROUTING_ID", "SOCKS_PROXY", "XPUB_WELCOME_MSG",
    "BINDTODEVICE", "METADATA", "SOCKS_USERNAME", "SOCKS_PASSWORD")
# In the builds of distributions these are not there; zlink has them always (docs/DIFFERENCES.md).
DRAFT_INTEGERS = ("ROUTER_NOTIFY", "IN_BATCH_SIZE", "OUT_BATCH_SIZE", "PRIORITY", "BUSY_POLL", "XSUB_VERBOSE_UNSUBSCRIBE",
                  "TOPICS_COUNT")
DRAFT_TEXTS = ("HELLO_MSG", "DISCONNECT_MSG", "HICCUP_MSG")
# Numbers without a name: retired ones, and some that never were.
UNKNOWN = ("1", "2", "3", "10", "20", "26", "29", "30", "67", "82", "83", "125", "200", "-1", "9999")

VALUES = (-2147483648, -2, -1, 0, 1, 2, 3, 5, 7, 100, 255, 256, 300, 4096, 70000, 6553599, 6553600, 10000000, 2147483647)
TEXT_VALUES = (
    "", "A", "abc", "abcd", "abcdefgh", "%00", "%00abc", "%00%00%00%00%00", "X-key:value", "X-key:", ":v", "key:value", "X-", "X-a",
    "127.0.0.1", "127.0.0.1/8", "127.0.0.1/33", "::1", "::1/64", "nonsense/8", "lo", "nodevice", "127.0.0.1:1080", "host:x",
    "rq:rM>}U?@Lns47E1%25kR.o@n%25FcmmsL/@{H8]yf7", "rq:rM>}U?@Lns47E1%25kR.o@n%25FcmmsL/@{H8]yf7%00", "abcdefghijklmnopqrstuvwxyz012345",
    "a" * 39, "a" * 40, "a" * 41, "b" * 254, "b" * 255, "b" * 256, "b" * 300)
# Sizes that a caller may offer for the value.
ROOMS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 40, 41, 42, 255, 256, 257, 300)

# Options of a socket that other themes may change without keeping it from going on.
HARMLESS = ("BACKLOG", "SNDHWM", "RCVHWM", "IMMEDIATE", "XPUB_VERBOSE", "REQ_CORRELATE", "REQ_RELAXED", "ROUTER_MANDATORY",
            "ROUTER_HANDOVER", "XPUB_NODROP", "INVERT_MATCHING", "XPUB_VERBOSER", "CONFLATE", "PROBE_ROUTER", "MAXMSGSIZE",
            "XPUB_MANUAL", "TCP_KEEPALIVE", "IPV6", "TOS", "HANDSHAKE_IVL", "ONLY_FIRST_SUBSCRIBE")


def integers(drafts: bool) -> tuple[str, ...]:
    return INTEGERS + DRAFT_INTEGERS if drafts else INTEGERS


def texts(drafts: bool) -> tuple[str, ...]:
    return TEXTS + DRAFT_TEXTS if drafts else TEXTS
