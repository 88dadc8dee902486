# SPDX-License-Identifier: MPL-2.0
"""pmacctd: packets of a file are counted by the core, which hands them over ZeroMQ to a plugin that prints them."""

import os
import struct
import subprocess

import job

CONFIG = """
pcap_savefile: {0}/in.pcap
pcap_savefile_wait: 3
plugins: print[out]
plugin_pipe_zmq[out]: true
plugin_pipe_zmq_profile[out]: small
aggregate[out]: src_host, dst_host, src_port, dst_port, proto
print_refresh_time[out]: 1
print_output[out]: csv
print_output_file[out]: {0}/out.csv
print_output_file_append[out]: true
"""


def packet(number):
    body = b"x" * (number % 50)
    udp = struct.pack(">HHHH", 1000 + number % 20, 53, 8 + len(body), 0) + body
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), number, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    frame = b"\2" * 6 + b"\4" * 6 + b"\x08\x00" + ip + udp
    return struct.pack("<IIII", 1700000000, number, len(frame), len(frame)) + frame


def main():
    here = os.getcwd()
    with open("in.pcap", "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"".join(packet(number) for number in range(2000)))
    open("pmacctd.conf", "w").write(CONFIG.format(here))

    def rows():
        found = [line.split(",") for line in job.contents("out.csv").splitlines() if line and not line.startswith("SRC_IP")]
        return found if sum(int(row[-2]) for row in found) >= 2000 else None
    with job.started("pmacctd", "-f", "pmacctd.conf", log="pmacctd.log") as daemon:
        found = job.until(rows, "all packets")
        job.case("packets", sum(int(row[-2]) for row in found))
        job.case("bytes", sum(int(row[-1]) for row in found))
        job.case("flows", len({tuple(row[:5]) for row in found}))
        daemon.terminate()
        daemon.wait(30)


try:
    main()
finally:
    print(job.contents("pmacctd.log")[-1500:], job.contents("out.csv")[:1000])
