# SPDX-License-Identifier: MPL-2.0
"""ROUTER/DEALER: the server knows its clients by their names, and answers whom it wants."""
import zmq

with zmq.Context() as context, context.socket(zmq.ROUTER) as server, context.socket(zmq.DEALER) as client:
    port = server.bind_to_random_port("tcp://127.0.0.1")
    client.setsockopt(zmq.ROUTING_ID, b"anna")
    client.connect(f"tcp://127.0.0.1:{port}")

    client.send(b"two questions")
    name, text = server.recv_multipart()  # the first frame is the client's name
    print(name.decode(), "has", text.decode())
    for answer in (b"the first", b"the second"):
        server.send_multipart([name, answer])
        print(client.recv_string())
