# SPDX-License-Identifier: MPL-2.0
"""PUSH/PULL: tasks are dealt to the workers in turn. A poller waits for both workers."""
import zmq

with zmq.Context() as context, context.socket(zmq.PUSH) as tasks, context.socket(zmq.PULL) as anna, context.socket(zmq.PULL) as bert:
    port = tasks.bind_to_random_port("tcp://127.0.0.1")
    poller = zmq.Poller()
    for worker in (anna, bert):
        worker.connect(f"tcp://127.0.0.1:{port}")
        poller.register(worker, zmq.POLLIN)

    for task in range(1, 5):
        tasks.send_string(f"task {task}")
    done = 0
    while done < 4:
        for worker, _ in poller.poll():
            print("a worker got", worker.recv_string())
            done += 1
