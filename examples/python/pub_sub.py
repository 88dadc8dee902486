# SPDX-License-Identifier: MPL-2.0
"""PUB/SUB: a subscriber receives the messages that begin with its topic."""
import zmq

# An XPUB is a PUB that also receives the subscriptions.
with zmq.Context() as context, context.socket(zmq.XPUB) as publisher, context.socket(zmq.SUB) as subscriber:
    port = publisher.bind_to_random_port("tcp://127.0.0.1")
    subscriber.subscribe("weather")
    subscriber.connect(f"tcp://127.0.0.1:{port}")
    publisher.recv()  # the subscription is there

    publisher.send_string("sport: 2 to 1")
    publisher.send_string("weather: sunny")
    print(subscriber.recv_string())
