# SPDX-License-Identifier: MPL-2.0
"""A clean root: a Debian of nothing but its base and sudo, made once by mmdebstrap and unpacked anew for each test. It needs root.

It has a user `me`, who may use sudo: commands of a page run as a reader would run them.
"""
import os
import pathlib
import platform
import resource
import shlex
import shutil
import subprocess
import time


class Failed(Exception):
    """A command that did not do what it should; the text says which, and what it said."""


def suite():
    """The release of this machine, which the base is of too."""
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


USER = "chroot \"$1\" useradd --create-home --shell /bin/bash me && echo 'me ALL=(ALL) NOPASSWD: ALL' > \"$1/etc/sudoers.d/me\""


def processor_seconds():
    """What all programs that this one started and that have ended took."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def base_archive(work):
    archive = work / f"base-{suite()}-with-user.tar"
    if not archive.exists():
        making = archive.with_suffix(".new.tar")
        subprocess.run(["mmdebstrap", "--variant=minbase", "--include=sudo", f"--customize-hook={USER}", "--quiet", suite(), str(making)], check=True)
        making.rename(archive)
    return archive


class CleanRoot:
    """A directory with a system of its own; `run` runs a script of the shell in it."""

    def __init__(self, work, name):
        self.place = (work / "roots" / name).resolve()
        self.remove()
        self.place.mkdir(parents=True)
        subprocess.run(["tar", "-xf", str(base_archive(work)), "-C", str(self.place), "--exclude=./dev/*"], check=True)
        (self.place / "work").mkdir()
        home = (self.place / "home/me").stat()
        self.user = f"{home.st_uid}:{home.st_gid}"
        os.chown(self.place / "work", home.st_uid, home.st_gid)
        shutil.copy("/etc/resolv.conf", self.place / "etc/resolv.conf", follow_symlinks=True)
        # The clients of registries on this machine may need a certificate or an index of their own.
        self.settings = [f"{key}={value}" for key, value in os.environ.items() if key in ("PIP_INDEX_URL", "GOPROXY")]
        for key, more in (("PIP_CERT", []), ("NODE_EXTRA_CA_CERTS", []), ("SSL_CERT_FILE", ["CARGO_HTTP_CAINFO"])):
            if os.path.isfile(os.environ.get(key, "")):
                shutil.copy(os.environ[key], self.place / f"etc/{key}.pem")
                self.settings += [f"{name}=/etc/{key}.pem" for name in [key, *more]]
        self.processor_seconds = 0.0  # of the last script
        self.log = work / f"{name}.log"
        self.log.write_text("")

    def remove(self):
        if self.place.exists():
            subprocess.run(["rm", "-rf", "--one-file-system", str(self.place)], check=True)

    def give(self, *files):
        """Copies files into the directory /work of the root, where scripts run."""
        for file in map(pathlib.Path, files):
            shutil.copy(file, self.place / "work" / file.name)

    def write(self, name, text):
        (self.place / "work" / name).write_text(text)

    def run(self, script, as_user=False, timeout=900):
        """Runs a script, and gives what it said and how long it took."""
        who = f"--userspec={self.user} \"$0\" env -i HOME=/home/me" if as_user else "\"$0\" env -i HOME=/root"
        inner = (f"mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot {who} LC_ALL=C.UTF-8 "
                 "DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
                 f"{' '.join(map(shlex.quote, self.settings))} sh -c 'cd /work && exec sh -eux /work/.script'")
        (self.place / "work/.script").write_text(script)
        begin, spent = time.monotonic(), processor_seconds()
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inner, str(self.place)], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False)
        self.processor_seconds = processor_seconds() - spent
        with self.log.open("a") as log:
            log.write(done.stdout)
        if done.returncode != 0:
            raise Failed(f"in a clean root, this ended with {done.returncode}:\n{script}\nit said last:\n{done.stdout[-3000:]}")
        return done.stdout, time.monotonic() - begin
