# SPDX-License-Identifier: MPL-2.0
"""PAIR: two threads of a program signal each other by inproc."""
import threading

import zmq


def work(context):
    with context.socket(zmq.PAIR) as parent:
        parent.connect("inproc://work")
        parent.send_string("done")


with zmq.Context() as shared, shared.socket(zmq.PAIR) as child:
    child.bind("inproc://work")
    thread = threading.Thread(target=work, args=(shared,))
    thread.start()
    print("the thread says:", child.recv_string())
    thread.join()
