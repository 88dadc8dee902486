# SPDX-License-Identifier: MPL-2.0
"""xeus-python's kernel, a C++ program on cppzmq: cells executed through Debian's jupyter-client, all five sockets used."""

import jupyter_client

import job

CELLS = {"text": "print('a')", "value": "6 * 7", "large": "print('x' * 2000000)", "many": "for i in range(500): print(i)", "error": "1 / 0",
         "state": "value = 1", "after": "value + 1"}


def executed(client, code):
    seen = {}

    def hook(message):
        content = message["content"]
        if message["msg_type"] == "stream":
            seen["stream"] = seen.get("stream", 0) + len(content["text"])
        elif message["msg_type"] == "execute_result":
            seen["result"] = content["data"]["text/plain"]
        elif message["msg_type"] == "error":
            seen["error"] = content["ename"]
    reply = client.execute_interactive(code, timeout=30, output_hook=hook)
    return f"{reply['content']['status']} {sorted(seen.items())}"


def main():
    for transport in ("tcp",):
        manager = jupyter_client.KernelManager(kernel_name="xpython", transport=transport)
        manager.start_kernel()
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=40)
        for name, code in CELLS.items():
            job.case(f"{name} over {transport}", executed(client, code))
        reply = client.complete("impo", reply=True, timeout=20)
        job.case("completion", "import" in reply["content"]["matches"])
        client.kernel_info()
        job.case("information", client.get_shell_msg(timeout=20)["content"]["implementation"])
        job.case("heartbeat", client.hb_channel.is_beating())
        job.case("inspection", client.inspect("len", reply=True, timeout=20)["content"]["status"])
        client.shutdown()
        job.case("shutdown", bool(job.until(lambda: not manager.is_alive(), "the kernel's end")))
        client.stop_channels()
        manager.cleanup_resources()


main()
