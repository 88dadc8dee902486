# SPDX-License-Identifier: MPL-2.0
"""pmacctd: its core counts the packets of the loopback interface and hands them over ZeroMQ to a plugin that prints them."""

import os
import socket

import job

CONFIG = """
pcap_interface: lo
pcap_filter: udp dst port {1}
plugins: print[out]
plugin_pipe_zmq[out]: true
plugin_pipe_zmq_profile[out]: micro
aggregate[out]: src_host, dst_host, src_port, dst_port, proto
print_refresh_time[out]: 1
print_output[out]: csv
print_output_file[out]: {0}/out.csv
print_output_file_append[out]: true
"""
PACKETS = 2000


def rows():
    """The counts that the plugin wrote: the words of one row of its file each."""
    return [line.split(",") for line in job.contents("out.csv").splitlines() if line and not line.startswith("SRC_IP")]


def packets():
    return sum(int(row[-2]) for row in rows())


def main():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as takes:
        takes.bind(("127.0.0.1", 0))
        senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(20)]
        for sender in senders:
            sender.bind(("127.0.0.1", 0))

        def send(count):
            for number in range(count):
                senders[number % 20].sendto(b"x" * (number % 50), takes.getsockname())
                takes.recv(100)
        open("pmacctd.conf", "w").write(CONFIG.format(os.getcwd(), takes.getsockname()[1]))
        with job.started("pmacctd", "-f", "pmacctd.conf", log="pmacctd.log") as daemon:
            def counted_first():
                send(20)
                return packets()
            job.until(counted_first, "the first packet is counted")
            settled = job.settled(packets, 3)
            send(PACKETS)
            job.until(lambda: packets() >= settled + PACKETS, "all packets are counted")
            job.case("packets", job.settled(packets, 3) - settled)
            job.case("flows", len({tuple(row[:5]) for row in rows()}))
            daemon.terminate()
            daemon.wait(30)


try:
    main()
finally:
    print(job.contents("pmacctd.log")[-1500:], job.contents("out.csv")[:1000])
