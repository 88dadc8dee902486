#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Loads zlink under both its names, side by side, and uses both.

    both_names.py LIBZMQ LIBZLINK

Each has its own contexts and its own names of inproc, and they reach each other as two processes do.
"""
import ctypes
import sys

PAIR, RCVTIMEO, SNDTIMEO, LINGER, LAST_ENDPOINT, DONTWAIT = 0, 27, 28, 17, 32, 1
PATIENCE_MS = 10000


class Library:
    """One of the two, with a context and a PAIR socket."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
        for name in ("zmq_ctx_new", "zmq_socket"):
            getattr(self.calls, name).restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.calls.zmq_ctx_new())
        self.socket = ctypes.c_void_p(self.calls.zmq_socket(self.context, PAIR))
        for option in (RCVTIMEO, SNDTIMEO, LINGER):
            value = ctypes.c_int(PATIENCE_MS)
            self.do("zmq_setsockopt", option, ctypes.byref(value), ctypes.sizeof(value))

    def do(self, name, *words):
        answer = getattr(self.calls, name)(self.socket, *words)
        if answer < 0:
            sys.exit(f"{name}: errno {self.calls.zmq_errno()}")
        return answer

    def bind(self, endpoint):
        self.do("zmq_bind", endpoint)
        text = ctypes.create_string_buffer(256)
        size = ctypes.c_size_t(len(text))
        self.do("zmq_getsockopt", LAST_ENDPOINT, text, ctypes.byref(size))
        return text.value

    def receive(self):
        text = ctypes.create_string_buffer(64)
        size = self.do("zmq_recv", text, len(text), 0)
        return text.raw[:size]

    def end(self):
        self.do("zmq_close")
        if self.calls.zmq_ctx_term(self.context) != 0:
            sys.exit("zmq_ctx_term failed")


def main():
    first, second = (Library(path) for path in sys.argv[1:])
    if ctypes.cast(first.calls.zmq_send, ctypes.c_void_p).value == ctypes.cast(second.calls.zmq_send, ctypes.c_void_p).value:
        sys.exit("both names lead to one library")
    for library in (first, second):
        library.bind(b"inproc://one-name")  # EADDRINUSE if they shared the names
    second.do("zmq_connect", first.bind(b"tcp://127.0.0.1:*"))
    first.do("zmq_send", b"question", 8, 0)
    second.do("zmq_send", b"answer", 6, 0)
    if (second.receive(), first.receive()) != (b"question", b"answer"):
        sys.exit("a message was lost between the two")
    first.end()
    second.end()


if __name__ == "__main__":
    main()
