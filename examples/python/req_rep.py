# SPDX-License-Identifier: MPL-2.0
"""REQ/REP: a client asks, a server answers. Run it on zlink: zlink run python req_rep.py"""
import zmq

with zmq.Context() as context, context.socket(zmq.REP) as server, context.socket(zmq.REQ) as client:
    port = server.bind_to_random_port("tcp://127.0.0.1")
    client.connect(f"tcp://127.0.0.1:{port}")

    client.send_string("Hello")
    print("asked:", server.recv_string())
    server.send_string("World")
    print("answered:", client.recv_string())
