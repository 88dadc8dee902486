# SPDX-License-Identifier: MPL-2.0
"""What programs do with Debian's python3-zmq, told on stdout in words that are the same on every libzmq."""

import asyncio
import os
import sys
import tempfile
import threading
import warnings

import zmq
import zmq.asyncio
import zmq.auth
import zmq.auth.thread
import zmq.devices
import zmq.utils.monitor

PATIENCE_MS = 5000
QUIET_MS = 200
ADDRESSES = ("tcp://127.0.0.1:*", "ipc://*", "inproc://job")


def tell_library():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for path in sorted({line.split()[-1] for line in maps if "/libzmq" in line or "/libzlink" in line}):
            print(f"library: {path}", file=sys.stderr)


def join(context, first, second, address=ADDRESSES[0]):
    """A bound socket and one that is connected to it."""
    ends = context.socket(first), context.socket(second)
    for end in ends:
        end.rcvtimeo = end.sndtimeo = PATIENCE_MS
        end.linger = 0
    ends[0].bind(address)
    return ends


def connect(ends):
    ends[1].connect(ends[0].last_endpoint)
    return ends


def close(*ends):
    for end in ends:
        end.close()


def ask(first, second):
    second.send_multipart([b"question", b"", b"x" * 70000])
    frames = first.recv_multipart()
    first.send_multipart(frames[:-1] + [b"answer"])
    return [len(frame) for frame in frames], second.recv_multipart()


def hand_over(first, second):
    first.send_json({"a": [1, 2.5, None]})
    first.send_pyobj({1, 2})
    first.send(memoryview(b"z" * 100000), copy=False, track=True)
    return second.recv_json(), second.recv_pyobj(), len(second.recv(copy=False).buffer)


def publish(first, second):
    topic = b"topic"
    second.subscribe(topic) if second.type == zmq.SUB else second.send(b"\1" + topic)
    if first.type == zmq.XPUB:
        print("  subscription", first.recv())
    poller = zmq.Poller()
    poller.register(second, zmq.POLLIN)
    while not poller.poll(20):
        first.send(b"other")
        first.send_multipart([topic, b"body"])
    return second.recv_multipart()


PATTERNS = (
    (zmq.PAIR, zmq.PAIR, ask), (zmq.REP, zmq.REQ, ask), (zmq.ROUTER, zmq.REQ, ask), (zmq.ROUTER, zmq.DEALER, ask),
    (zmq.DEALER, zmq.DEALER, ask), (zmq.PUSH, zmq.PULL, hand_over), (zmq.PUB, zmq.SUB, publish), (zmq.PUB, zmq.XSUB, publish),
    (zmq.XPUB, zmq.SUB, publish), (zmq.XPUB, zmq.XSUB, publish),
)


def patterns(context):
    for address in ADDRESSES:
        for first, second, play in PATTERNS:
            ends = connect(join(context, first, second, f"{address}{first}{second}" if "inproc" in address else address))
            print(address.split(":")[0], zmq.SocketType(first).name, zmq.SocketType(second).name)
            print("  ", *play(*ends))
            close(*ends)


def stream(context):
    raw, server = context.socket(zmq.STREAM), join(context, zmq.STREAM, zmq.PAIR)[0]
    raw.connect(server.last_endpoint)
    identity = raw.recv_multipart()[0]
    raw.send_multipart([identity, b"raw bytes"])
    server.recv_multipart()
    print("stream", len(identity), server.recv_multipart()[1])
    close(raw, server)


def polling(context):
    ends = connect(join(context, zmq.REP, zmq.REQ))
    poller = zmq.Poller()
    reading, writing = os.pipe()
    poller.register(ends[0], zmq.POLLIN)
    poller.register(ends[1], zmq.POLLIN | zmq.POLLOUT)
    poller.register(reading, zmq.POLLIN)

    def show(what):
        ready = dict(poller.poll(PATIENCE_MS))
        print("poll", what, ready.get(ends[0], 0), ready.get(ends[1], 0), ready.get(reading, 0))

    show("at first")
    os.write(writing, b"x")
    poller.modify(ends[1], zmq.POLLIN)
    show("a file")
    os.read(reading, 1)
    ends[1].send(b"q")
    show("a question")
    print("select", [len(group) for group in zmq.select([ends[0]], [ends[1]], [], 0)], ends[0].poll(0), ends[0].get(zmq.EVENTS))
    os.close(reading)
    os.close(writing)
    close(*ends)


def errors(context):
    rep, router = context.socket(zmq.REP), context.socket(zmq.ROUTER)
    router.router_mandatory = True
    for what, call in (
        ("send on rep", lambda: rep.send(b"x")), ("nothing there", lambda: rep.recv(zmq.DONTWAIT)),
        ("bad address", lambda: rep.bind("tcp://nonsense")), ("unroutable", lambda: router.send_multipart([b"nobody", b"x"])),
        ("bad option", lambda: rep.set(zmq.RECONNECT_IVL_MAX, -7)), ("bad key", lambda: rep.set(zmq.CURVE_SERVERKEY, b"short")),
    ):
        try:
            print(what, call())
        except zmq.ZMQError as problem:
            print(what, type(problem).__name__, problem.errno, problem)
    close(rep, router)


def monitor(context):
    ends = join(context, zmq.ROUTER, zmq.DEALER)
    watcher = ends[1].get_monitor_socket()
    watcher.rcvtimeo = PATIENCE_MS
    connect(ends)
    ends[1].send(b"x")
    ends[0].recv_multipart()
    ends[1].disconnect(ends[0].last_endpoint)
    while True:
        event = zmq.utils.monitor.recv_monitor_message(watcher)
        if event["event"] in (zmq.EVENT_CONNECT_DELAYED, zmq.EVENT_CONNECTED, zmq.EVENT_HANDSHAKE_SUCCEEDED):
            print("monitor", zmq.Event(event["event"]).name, event["endpoint"] == ends[0].last_endpoint)
        if event["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            break
    ends[1].disable_monitor()
    close(watcher, *ends)


def devices(context):
    proxy = zmq.devices.ThreadProxy(zmq.PULL, zmq.PUSH, zmq.PUSH)
    ports = [getattr(proxy, f"bind_{side}_to_random_port")("tcp://127.0.0.1") for side in ("in", "out", "mon")]
    proxy.start()
    ends = [context.socket(kind) for kind in (zmq.PUSH, zmq.PULL, zmq.PULL)]
    for end, port in zip(ends, ports):
        end.rcvtimeo = PATIENCE_MS
        end.connect(f"tcp://127.0.0.1:{port}")
    for number in range(3):
        ends[0].send(b"%d" % number)
    for end in ends[1:]:
        print("proxy", [end.recv() for _ in range(3)])
    close(*ends)
    device = zmq.devices.ThreadDevice(zmq.QUEUE, zmq.ROUTER, zmq.DEALER)
    ports = [device.bind_in_to_random_port("tcp://127.0.0.1"), device.bind_out_to_random_port("tcp://127.0.0.1")]
    device.start()
    req, rep = context.socket(zmq.REQ), context.socket(zmq.REP)
    for end, port in zip((req, rep), ports):
        end.rcvtimeo = PATIENCE_MS
        end.connect(f"tcp://127.0.0.1:{port}")
    req.send(b"through the device")
    rep.send(rep.recv().upper())
    print("device", req.recv())
    close(req, rep)


def try_security(what, ends, patience_ms):
    connect(ends)
    ends[0].rcvtimeo = patience_ms
    try:
        ends[1].send(b"sealed", zmq.DONTWAIT)  # one that has been refused already has nowhere to send
        frame = ends[0].recv(copy=False)
        print(what, frame.bytes, len(frame.get("User-Id")))
    except zmq.Again:
        print(what, "refused")
    close(*ends)


def security(context):
    with tempfile.TemporaryDirectory() as directory:
        keys = {name: zmq.auth.load_certificate(zmq.auth.create_certificates(directory, name)[1]) for name in ("server", "known")}
        keys["stranger"] = zmq.curve_keypair()
        authenticator = zmq.auth.thread.ThreadAuthenticator(context)
        authenticator.start()
        authenticator.configure_plain(domain="*", passwords={"admin": "right"})
        authenticator.configure_curve(domain="*", location=directory)
        for password in ("right", "wrong"):
            ends = context.socket(zmq.PULL), context.socket(zmq.PUSH)
            ends[0].plain_server, ends[1].plain_username, ends[1].plain_password = True, b"admin", password.encode()
            ends[1].linger = 0
            ends[0].bind(ADDRESSES[0])
            try_security(f"plain, {password}", ends, PATIENCE_MS if password == "right" else QUIET_MS)
        for name in ("known", "stranger"):
            ends = context.socket(zmq.PULL), context.socket(zmq.PUSH)
            ends[0].curve_secretkey, ends[0].curve_server = keys["server"][1], True
            ends[1].curve_publickey, ends[1].curve_secretkey = keys[name]
            ends[1].curve_serverkey = keys["server"][0]
            ends[1].linger = 0
            ends[0].bind(ADDRESSES[0])
            try_security(f"curve, {name}", ends, PATIENCE_MS if name == "known" else QUIET_MS)
        authenticator.stop()
    print("public key of a secret one", zmq.curve_public(keys["known"][1]) == keys["known"][0])


async def converse():
    context = zmq.asyncio.Context()
    rep, req = connect(join(context, zmq.REP, zmq.REQ))
    push, pull = connect(join(context, zmq.PUSH, zmq.PULL))
    rep.rcvtimeo = req.rcvtimeo = pull.rcvtimeo = -1

    async def serve():
        for _ in range(100):
            await rep.send_multipart([b"re:"] + await rep.recv_multipart())

    async def request():
        answers = []
        for number in range(100):
            await req.send(b"%d" % number)
            answers.append(await req.recv_multipart())
        return answers[0], answers[99]

    async def take():
        return sum([int(await pull.recv()) for _ in range(1000)])

    async def give():
        for number in range(1000):
            await push.send(b"%d" % number)

    print("asyncio", await asyncio.wait_for(asyncio.gather(serve(), request(), take(), give()), 30))
    try:
        await asyncio.wait_for(pull.recv(), QUIET_MS / 1000)
    except asyncio.TimeoutError:
        print("asyncio nothing comes")
    print("asyncio poll", await pull.poll(10), await push.poll(1000, zmq.POLLOUT))
    context.destroy()


def threads():
    """A context that ends lets those who wait go."""
    context, outcomes = zmq.Context(), []

    def wait(socket):
        try:
            socket.recv()
        except zmq.ContextTerminated:
            outcomes.append("terminated")
            socket.close()

    waiting = [threading.Thread(target=wait, args=(context.socket(zmq.PULL),)) for _ in range(3)]
    for thread in waiting:
        thread.start()
    context.term()
    for thread in waiting:
        thread.join()
    print("threads", outcomes, "closed", context.closed)


def main():
    warnings.simplefilter("ignore")
    sys.stdout.reconfigure(line_buffering=True)
    tell_library()
    print("has", [name for name in ("ipc", "curve") if zmq.has(name)])
    context = zmq.Context()
    for play in (patterns, stream, polling, errors, monitor, devices, security):
        play(context)
    asyncio.run(converse())
    threads()
    context.destroy(linger=0)


if __name__ == "__main__":
    main()
