# SPDX-License-Identifier: MPL-2.0
"""Runs one command on one library: how the library gets in, how it is known that it answered, and that nothing is left behind.

- A program that is linked with, or loads, the system's libzmq.so.5 gets zlink by LD_LIBRARY_PATH.
- An addon that has a libzmq inside itself and exports it, or loads one by its whole path, gets zlink by LD_PRELOAD.
- A Python wheel has a libzmq inside. A link to zlink takes the place of that file for the time of the run.
The dynamic loader writes down for every process of the run which libraries it initialised (LD_DEBUG=libs). A run counts only if
at least one process loaded the intended library and none loaded another libzmq.
Each run has a network of its own with nothing but the loopback interface, where the system lets it.
"""

import contextlib
import ctypes
import dataclasses
import fcntl
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

CLONE_NEWNET = 0x40000000
PR_SET_CHILD_SUBREAPER = 36
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
LIBRARY = re.compile(r"/[^/\s]*lib(zmq|zlink)[^/\s]*\.so[^/\s]*$")
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclasses.dataclass
class Library:
    name: str
    file: pathlib.Path = None  # None: the program's own

    def environment(self, home):
        """The environment of a run. Whatever the program keeps in a home directory goes into the run's."""
        kept = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH")}
        if self.file:
            kept["LD_LIBRARY_PATH"] = kept["FFI_CHECKLIB_PATH"] = str(self.file.parent)  # the second is for Perl, which asks for whole paths
        return {**kept, "HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8"}


@contextlib.contextmanager
def wheel_with(library, wheel):
    """The wheel's libzmq is the library's file until the block ends. `wheel`: the directory pyzmq.libs, or None."""
    if wheel is None or library.file is None:
        yield
        return
    inside = next(wheel.glob("libzmq-*.so*"))
    original = wheel / "original"
    os.rename(inside, original)
    try:
        inside.symlink_to(library.file)
        yield
    finally:
        os.replace(original, inside)


def mend_wheel(wheel):
    """A run that was killed may have left the link."""
    original = wheel / "original"
    if original.exists():
        os.replace(original, next(wheel.glob("libzmq-*.so*")))


def own_network():
    """Leaves the child alone with a loopback interface. Without the rights for it the child stays where it is."""
    if LIBC.unshare(CLONE_NEWNET) != 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def descendants():
    """All processes below this one. Orphans are among them, since this process takes them in."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                status = pathlib.Path("/proc", entry, "stat").read_text()
                parents[int(entry)] = int(status.rpartition(")")[2].split()[1])
    below, found = {os.getpid()}, set()
    while below:
        below = {child for child, parent in parents.items() if parent in below} - found
        found |= below
    return found


def end_all():
    """Ends what a run left running."""
    for _ in range(50):
        left = descendants()
        if not left:
            return
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.02)


def ends_within(process, limit_s):
    """subprocess looks only every 50 ms, which is much of a short run."""
    ends = os.pidfd_open(process.pid)
    try:
        return bool(select.select([ends], [], [], limit_s)[0])
    finally:
        os.close(ends)


def bound_libraries(traces, addon):
    """The files that the addon has its zmq functions from."""
    found = set()
    for trace in traces.glob("libs.*"):
        for match in re.finditer(rf"binding file \S*{addon} \[\d+\] to (\S+) \[\d+\]: normal symbol `zmq_\w+'", trace.read_text(errors="replace")):
            found.add(os.path.realpath(match.group(1)))
    return found


def loaded_libraries(traces):
    files = set()
    for trace in traces.glob("libs.*"):
        for line in trace.read_text(errors="replace").splitlines():
            name = line.partition("calling init: ")[2]
            if LIBRARY.search(name):
                files.add(os.path.realpath(name))
    return files


@dataclasses.dataclass
class Run:
    output: str
    errors: str
    status: object  # the exit status, or "timeout"
    seconds: float
    libraries: set
    place: pathlib.Path


@contextlib.contextmanager
def run(command, library, limit_s, wheel=None, files=(), environment=(), addon=None, traced=True):
    """Runs the command in a new directory, where the files are, and yields a Run. The directory goes afterwards.

    A run whose time counts is not traced: then nothing is known of the libraries that it loaded.
    """
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    place = pathlib.Path(tempfile.mkdtemp(prefix="zw-"))  # short: ipc endpoints have a limit
    traces = place / ".traces"
    try:
        traces.mkdir()
        for file in files:
            target = place / file.name
            shutil.copytree(file, target, symlinks=True) if file.is_dir() else shutil.copy(file, target)
        chosen = {**library.environment(place), **dict(environment)}
        if traced:
            chosen.update(LD_DEBUG="bindings" if addon else "libs", LD_DEBUG_OUTPUT=str(traces / "libs"))
        if addon and library.file:
            chosen["LD_PRELOAD"] = str(library.file)
        started = time.monotonic()
        with wheel_with(library, wheel), open(place / ".output", "wb") as output, open(place / ".errors", "wb") as errors:
            process = subprocess.Popen([str(word) for word in command], cwd=place, env=chosen, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=errors, start_new_session=True, preexec_fn=own_network)
            status = process.wait() if ends_within(process, limit_s) else "timeout"
            seconds = time.monotonic() - started
            end_all()
            libraries = bound_libraries(traces, addon) if addon else loaded_libraries(traces)
        texts = [(place / name).read_text(errors="replace") for name in (".output", ".errors")]
        yield Run(*texts, status, seconds, libraries, place)
    finally:
        end_all()
        shutil.rmtree(place, ignore_errors=True)


def wrong_library(run_, library):
    """Says which library answered if it is not the intended one."""
    names = {str(library.file.resolve())} if library.file else None
    if not run_.libraries:
        return "no process of the run loaded a libzmq"
    if names is not None and run_.libraries != names:
        return f"loaded {sorted(run_.libraries)}, not only {sorted(names)}"
    if names is None and any(not re.match(r"/(usr/)?lib/", file) and "libzmq-" not in file and not file.endswith(".node") for file in run_.libraries):
        return f"loaded {sorted(run_.libraries)} where the program's own libzmq was to answer"
    return None
