# SPDX-License-Identifier: MPL-2.0
"""monerod on a chain of its own: blocks are announced over its PUB socket, and its ROUTER answers JSON-RPC."""

import json

import zmq

import job

WALLET = ("44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A")


def main():
    rpc, zmq_rpc, zmq_pub, p2p = (job.free_port() for _ in range(4))
    words = ["monerod", "--regtest", "--offline", "--data-dir", "chain", "--non-interactive", "--fixed-difficulty", "1", "--rpc-bind-port", rpc,
             "--zmq-rpc-bind-port", zmq_rpc, "--zmq-pub", f"tcp://127.0.0.1:{zmq_pub}", "--p2p-bind-port", p2p, "--log-level", "0",
             "--max-concurrency", "1"]

    def call(method, **parameters):
        body = json.dumps({"jsonrpc": "2.0", "id": "0", "method": method, "params": parameters}).encode()
        return json.loads(job.http(f"http://127.0.0.1:{rpc}/json_rpc", body, 30)[1])

    context = zmq.Context()
    with job.started(*words, log="monerod.log") as daemon:
        job.until(lambda: job.listens(rpc), "monerod listens", 60)
        sub, asks = context.socket(zmq.SUB), context.socket(zmq.REQ)
        sub.rcvtimeo = asks.rcvtimeo = 20000
        sub.linger = asks.linger = 0
        sub.connect(f"tcp://127.0.0.1:{zmq_pub}")
        sub.subscribe(b"json-minimal-chain_main")
        asks.connect(f"tcp://127.0.0.1:{zmq_rpc}")

        def ask(method, **parameters):
            asks.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode())
            return json.loads(asks.recv())
        job.case("height over zmq", ask("get_height")["result"]["height"])

        def announced():
            call("generateblocks", amount_of_blocks=1, wallet_address=WALLET)
            return sub.poll(500)
        job.until(announced, "the first announcement")
        while sub.poll(300):
            topic, _, body = sub.recv().partition(b":")
        job.case("topic", topic.decode())
        base = json.loads(body)["first_height"]
        heights = []
        for _ in range(20):
            call("generateblocks", amount_of_blocks=1, wallet_address=WALLET)
            heights.append(json.loads(sub.recv().partition(b":")[2])["first_height"] - base)
        job.case("heights of 20 blocks", heights)
        call("generateblocks", amount_of_blocks=30, wallet_address=WALLET)
        job.case("announcements of 30 blocks", sum(1 for _ in range(30) if sub.recv()))
        job.case("height follows", ask("get_height")["result"]["height"] - base)
        job.case("unknown method", sorted(ask("no_such_method")))
        sub.subscribe(b"json-full-chain_main")
        sub.unsubscribe(b"json-minimal-chain_main")

        def other():
            call("generateblocks", amount_of_blocks=1, wallet_address=WALLET)
            return sub.poll(500) and sub.recv().startswith(b"json-full-chain_main")
        job.case("another topic", bool(job.until(other, "the other topic")))
        daemon.terminate()
        job.case("ends", daemon.wait(30))


main()
