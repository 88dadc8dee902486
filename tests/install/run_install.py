#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Installs each package of zlink in a clean root, and uses it there as docs/INSTALL.md says.

    run_install.py --work DIR [--packages DIR] [--only c cpp python ...]

Without --packages it makes the packages of the last commit first, if a chosen part needs them. It needs root, mmdebstrap and the
package registries. The times from a clean root to the first message are in DIR/times.txt.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pages
from clean_root import CleanRoot, Failed, base_archive
from recipes import conan, container, vcpkg

TOP = pathlib.Path(__file__).resolve().parents[2]
# Prints which file answers to libzmq's name in a process of the distribution's pyzmq.
WHO = "python3 -c \"import zmq; zmq.Context(); print('\\n'.join(l.split()[-1] for l in open('/proc/self/maps') if 'libzmq.so' in l or 'libzlink' in l))\""


def require(text, wanted):
    if not re.search(wanted, text):
        raise Failed(f"this was not said: {wanted}\nbut:\n{text[-2000:]}")


def refuse(text, unwanted):
    if re.search(unwanted, text):
        raise Failed(f"this was said: {unwanted}\nin:\n{text[-2000:]}")


# Of the page that installs from source, apt's work included. Two processors alone take 206 s for make install: two minutes. Beside other
# work the same instructions take a sixth more.
MOST_PROCESSOR_SECONDS = 270


class Tests:
    def __init__(self, options):
        self.options, self.work, self.packages = options, options.work, options.packages
        self.times = {}

    def one(self, pattern):
        found = sorted(self.packages.glob(pattern))
        if len(found) != 1:
            raise Failed(f"{self.packages} should have one {pattern}, and has {found}")
        return found[0]

    def debs(self, *names):
        return [self.one(f"{name}_*.deb") for name in names]

    def page(self, name, *files):
        """The part of the page in a clean root, word for word; gives what it said."""
        root = CleanRoot(self.work, name)
        root.give(*files)
        texts, commands = pages.steps(name)
        for file, text in texts.items():
            root.write(file, text)
        said, seconds = root.run(commands, as_user=True)
        self.times[name] = f"{seconds:.0f} s to the first message, with a load of {os.getloadavg()[0]:.1f}"
        return root, said

    def c(self):
        root, said = self.page("c", *self.debs("libzlink1", "libzlink-dev"))
        require(said, r"(?m)^received: hello$")
        # minbase leaves manual pages out, also those that the package has.
        said, _ = root.run("dpkg-deb --contents libzlink-dev_*.deb")
        require(said, r"man3/zlink_stats_value\.3\.gz")
        require(said, r"man7/zlink_tls\.7\.gz")
        # Beside libzmq's own package, whose header and library stay what they are.
        said, _ = root.run("apt-get install -y libzmq3-dev\nprintf '#include <zmq.h>\\nZMQ_VERSION_PATCH\\n' | gcc -E - | tail -n 1\n"
                           "gcc hello.c -o theirs $(pkg-config --cflags --libs libzmq)\n./theirs\nldd ./theirs\n./hello\nldd ./hello")
        require(said, r"libzmq\.so\.5 => /lib/[^/]+/libzmq\.so\.5")
        require(said, r"libzlink\.so\.1 => ")
        root.remove()

    def cpp(self):
        root, said = self.page("cpp", *self.debs("libzlink1", "libzlink-dev"))
        require(said, r"(?m)^received: hello$")
        root.give(TOP / "tests/package/consumer/use.c", *sorted((TOP / "examples/cpp").glob("*.cpp")))
        root.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES C CXX)\nfind_package(zlink CONFIG REQUIRED)\n"
                   "add_executable(shared use.c)\ntarget_link_libraries(shared PRIVATE zlink::zlink)\n"
                   "add_executable(static use.c)\ntarget_link_libraries(static PRIVATE zlink::zlink_static)\n")
        said, _ = root.run("apt-get install -y cmake make libboost1.81-dev\ncmake -S . -B b\ncmake --build b\nb/shared\nb/static\nldd b/static\n"
                           "g++ -std=c++20 req_rep_coroutine.cpp -o coroutine $(pkg-config --cflags --libs libzlink)\n./coroutine")
        refuse(said.split("+ ldd b/static")[1].split("+ pkg-config")[0], "libzlink")
        # Stripped: what the compiler keeps for links and debuggers is most of an archive.
        said, _ = root.run("readelf --sections --wide /usr/lib/*/libzlink.a")
        require(said, r"\.text")
        refuse(said, r"\.gnu\.lto|\.debug")
        root.remove()

    def python(self):
        root, said = self.page("python", self.one("*.whl"))
        require(said, r"(?m)^received: hello$")
        said, _ = root.run("venv/bin/python -m zlink run --verbose hello.py\nvenv/bin/zlink run --verbose venv/bin/python hello.py\nvenv/bin/zlink info\n"
                           "if venv/bin/zlink run missing.py; then exit 1; fi\nvenv/bin/zlink keygen\n"
                           "venv/bin/python -c 'import zlink, ctypes; print(ctypes.CDLL(str(zlink.library_path())).zmq_has(b\"tls\"))'\n"
                           "venv/bin/pip uninstall -y zlink\nif [ -e venv/bin/zlink ]; then exit 1; fi")
        if len(re.findall("zlink was loaded from /work/venv/.*libzmq", said)) != 2:
            raise Failed(f"the program did not run on the wheel's library:\n{said[-2000:]}")
        root.remove()

    def binding(self, name):
        """A binding of libzmq from the registry of its language, run by the command."""
        root, said = self.page(name, *self.debs("libzlink1", "zlink-tools"))
        require(said, r"(?m)^received: hello( <nil>)?$")
        require(said, "zlink was loaded from /usr/lib/[^/]+/zlink/compat/libzmq.so.5")
        root.remove()

    def node(self):
        self.binding("node")

    def java(self):
        self.binding("java")

    def go(self):
        self.binding("go")

    def rust(self):
        self.binding("rust")

    def tools(self):
        """The command of the package; its coming changes no other program."""
        root = CleanRoot(self.work, "tools")
        root.give(*self.debs("libzlink1", "zlink-tools", "libzlink-zmq5-compat"))
        said, _ = root.run(f"apt-get update\napt-get install -y ./libzlink1_*.deb ./zlink-tools_*.deb python3-zmq\nzlink info\n{WHO}\n"
                           "zlink run --verbose python3 -c 'import zmq, time; zmq.Context(); time.sleep(0.2)'\n"
                           "ls /usr/share/bash-completion/completions/zlink /usr/share/zsh/vendor-completions/_zlink\n"
                           "if dpkg -s libzlink-zmq5-compat; then exit 1; fi")
        require(said, r"(?m)^/usr/lib/[^/]+/libzmq\.so\.5\.")
        refuse(said.split("+ zlink run")[0], r"(?m)^/.*zlink/compat")
        require(said, "zlink was loaded from /usr/lib/[^/]+/zlink/compat/libzmq.so.5")
        said, _ = root.run(f"apt-get install -y ./libzlink-zmq5-compat_*.deb\n{WHO}\ndpkg -s libzmq5 | grep Status")
        require(said, r"(?m)^/usr/lib/[^/]+/zlink/compat/libzmq\.so\.5$")
        require(said, "run on zlink from now on")
        refuse(said, r"(?m)^/usr/lib/[^/]+/libzmq\.so\.5\.")
        said, _ = root.run(f"apt-get remove -y libzlink-zmq5-compat\n{WHO}\nls /etc/ld.so.conf.d\napt-get purge -y zlink-tools libzlink1\n{WHO}")
        refuse(said, r"(?m)^/usr/lib/.*zlink/compat/|00-zlink")
        require(said, r"(?m)^/usr/lib/[^/]+/libzmq\.so\.5\.")
        root.remove()

    def source(self):
        root, said = self.page("source", self.one("zlink-*.tar.xz"))
        self.times["source"] += f", {root.processor_seconds:.0f} s of processor time"
        if root.processor_seconds > MOST_PROCESSOR_SECONDS:
            raise Failed(f"make install took {root.processor_seconds:.0f} s of processor time, more than {MOST_PROCESSOR_SECONDS}")
        require(said, r"0\.1\.0")
        said, _ = root.run("ls /usr/local/bin/zlink /usr/local/lib/libzlink.so.1 /usr/local/share/man/man1/zlink-cat.1\nfind /usr/local\n"
                           "if zlink run true; then exit 1; fi")
        refuse(said.split("+ zlink run")[0], r"libzmq|ZeroMQ|libzlink\.a|/tests/")
        require(said, "make install COMPAT=ON")
        root.write("hello.c", dict((file, text) for name, file, text in pages.blocks() if file)["hello.c"])
        said, _ = root.run("gcc hello.c -o hello $(pkg-config --cflags --libs libzlink)\n./hello")
        require(said, r"(?m)^received: hello$")
        root.remove()

    def rpm(self):
        root = CleanRoot(self.work, "rpm")
        root.give(*[file for file in sorted(self.packages.glob("*.rpm")) if "debug" not in file.name and ".src." not in file.name])
        root.write("hello.c", dict((file, text) for name, file, text in pages.blocks() if file)["hello.c"])
        said, _ = root.run("apt-get update\napt-get install -y --no-install-recommends rpm gcc libc6-dev pkg-config libsodium-dev libssl-dev libc-ares-dev libstdc++6\n"
                           "rpm -i --nodeps zlink-libs-*.rpm zlink-devel-*.rpm zlink-0*.rpm\n"
                           "lib=$(rpm -ql zlink-devel | grep 'libzlink.pc$' | xargs dirname | xargs dirname)\n"
                           "echo $lib > /etc/ld.so.conf.d/rpm.conf\nldconfig\nzlink info\nzlink run --verbose sleep 0.2\n"
                           "export PKG_CONFIG_PATH=$lib/pkgconfig\ngcc hello.c -o hello $(pkg-config --cflags --libs libzlink)\n./hello\n"
                           "rpm -qp --provides zlink-libs-*.rpm\nrpm -qp --requires zlink-0*.rpm")
        require(said, r"(?m)^received: hello$")
        require(said, "zlink was loaded from .*/zlink/compat/libzmq.so.5")
        refuse(said, r"(?m)^libzmq\.so\.5")
        said, _ = root.run("rpm -i --nodeps zlink-zmq5-compat-*.rpm\nldconfig -p | grep libzmq.so.5\nrpm -e zlink-zmq5-compat\nls /etc/ld.so.conf.d")
        require(said, "libzmq.so.5 .*zlink/compat")
        refuse(said.split("+ rpm -e")[1], "00-zlink")
        root.remove()

    def lint(self):
        """Debian's own check of the packages."""
        files = [str(file) for file in sorted(self.packages.glob("*.deb")) if "dbgsym" not in file.name]
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *files], text=True, capture_output=True, check=False)
        (self.work / "lintian.log").write_text(done.stdout)
        if done.returncode != 0:
            raise Failed(done.stdout + done.stderr)

    def conan(self):
        conan(self.work)

    def vcpkg(self):
        vcpkg(self.work)

    def container(self):
        container(self.work, base_archive(self.work))


# The recipes take the tree, the others the packages.
RECIPES = ["conan", "vcpkg", "container"]
NAMES = ["c", "cpp", "python", "node", "java", "go", "rust", "tools", "lint", "source", "rpm", *RECIPES]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=NAMES)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("FAILED: clean roots are made by root: run it as root")
    missing = [tool for tool in ("mmdebstrap", "unshare", "chroot") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"FAILED: these programs are missing: {' '.join(missing)}")
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    chosen = options.only or NAMES
    if options.packages is None and not set(chosen) <= set(RECIPES):
        options.packages = TOP / "build/packages"
        subprocess.run([TOP / "tools/make_packages.py", "--out", options.packages], check=True)
    tests, failed = Tests(options), 0
    for name in chosen:
        try:
            getattr(tests, name)()
            print(f"passed  {name}" + (f": {tests.times[name]}" if name in tests.times else ""), flush=True)
        except (Failed, subprocess.SubprocessError) as error:
            failed += 1
            print(f"FAILED  {name}: {error}", flush=True)
    with (options.work / "times.txt").open("a") as times:
        times.writelines(f"{time.strftime('%F %R')} {name} {taken}\n" for name, taken in tests.times.items())
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
