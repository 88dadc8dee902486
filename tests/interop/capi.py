# SPDX-License-Identifier: MPL-2.0
"""The C API of the library under test by ctypes, as far as the scripts of this directory need it."""

import ctypes
import os

SUB, ROUTER, PULL, PUSH, XPUB = 2, 6, 7, 8, 9
SUBSCRIBE, EVENTS, LINGER, RECONNECT_IVL, RCVTIMEO, LAST_ENDPOINT, SNDMORE = 6, 15, 17, 18, 27, 32, 2


class Library:
    """The library, and one context of it."""

    def __init__(self, directory):
        self.api = ctypes.CDLL(os.path.join(directory, "libzmq.so.5"))
        self.api.zmq_ctx_new.restype = self.api.zmq_socket.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.api.zmq_ctx_new())

    def socket(self, kind):
        return Socket(self.api, ctypes.c_void_p(self.api.zmq_socket(self.context, kind)))


class Socket:
    def __init__(self, api, handle):
        self.api, self.handle = api, handle
        for option, value in ((LINGER, 2000), (RCVTIMEO, 10000)):
            self.set(option, value)

    def check(self, result):
        if result < 0:
            raise OSError(self.api.zmq_errno())
        return result

    def set(self, option, value):
        """The value is a number or bytes."""
        is_number = isinstance(value, int)
        data = ctypes.byref(ctypes.c_int(value)) if is_number else value
        self.check(self.api.zmq_setsockopt(self.handle, option, data, 4 if is_number else len(value)))

    def bind(self, endpoint):
        self.check(self.api.zmq_bind(self.handle, endpoint.encode()))
        text, size = ctypes.create_string_buffer(256), ctypes.c_size_t(256)
        self.check(self.api.zmq_getsockopt(self.handle, LAST_ENDPOINT, text, ctypes.byref(size)))
        return text.value.decode()

    def connect(self, endpoint):
        self.check(self.api.zmq_connect(self.handle, endpoint.encode()))

    def send(self, *frames):
        for number, frame in enumerate(frames):
            self.check(self.api.zmq_send(self.handle, frame, len(frame), SNDMORE if number + 1 < len(frames) else 0))

    def receive(self):
        room = ctypes.create_string_buffer(1 << 20)
        size = self.check(self.api.zmq_recv(self.handle, room, len(room), 0))
        return room.raw[:size]

    def handle_events(self):
        """A socket takes news of its connections in calls only."""
        events, size = ctypes.c_int(), ctypes.c_size_t(4)
        self.check(self.api.zmq_getsockopt(self.handle, EVENTS, ctypes.byref(events), ctypes.byref(size)))

    def close(self):
        self.check(self.api.zmq_close(self.handle))
