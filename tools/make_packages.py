#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Makes the packages of the tree's last commit: source archive, Debian packages, RPM packages and a Python wheel.

    make_packages.py [--out build/packages] [--jobs N] [--only source deb rpm wheel] [--commit HEAD] [--check]

The other packages are built from the source archive, in folders of their own. What was made lies in OUT. The wheel gets its manylinux
tag, and the libraries that it needs, from auditwheel. --check only compares the versions that the packages' files name.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["source", "deb", "rpm", "wheel"]
# File -> where it names the version.
VERSIONS = {
    "CMakeLists.txt": r"project\(zlink VERSION ([\d.]+)",
    "pyproject.toml": r'^version = "([\d.]+)"',
    "packaging/debian/changelog": r"^zlink \(([\d.]+)-",
    "packaging/rpm/zlink.spec": r"^Version: +([\d.]+)",
    "packaging/conan/conanfile.py": r'version = "([\d.]+)"',
    "packaging/vcpkg/ports/zlink/vcpkg.json": r'"version": "([\d.]+)"',
}


def version_of_tree():
    """The version of the project. Every package's file has to name the same."""
    found = {}
    for name, pattern in VERSIONS.items():
        match = re.search(pattern, (TOP / name).read_text(encoding="utf-8"), re.M)
        found[name] = match.group(1) if match else "none"
    if len(set(found.values())) != 1:
        sys.exit("FAILED: the files name different versions:\n" + "\n".join(f"  {name}: {version}" for name, version in found.items()))
    return found["CMakeLists.txt"]


def run(command, log, **options):
    """Runs a command with its output in a file, which is shown when it fails."""
    print("  " + " ".join(map(str, command)), flush=True)
    with open(log, "ab") as output:
        done = subprocess.run(list(map(str, command)), stdout=output, stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        print(pathlib.Path(log).read_text(errors="replace")[-4000:], file=sys.stderr)
        sys.exit(f"FAILED: {command[0]} ended with {done.returncode}; all it said: {log}")


class Packages:
    def __init__(self, options):
        self.options, self.out = options, options.out.resolve()
        self.work, self.version = self.out / "work", version_of_tree()
        self.name = f"zlink-{self.version}"
        self.archive = self.out / f"{self.name}.tar.xz"
        for folder in (self.out, self.work):
            folder.mkdir(parents=True, exist_ok=True)

    def log(self, kind):
        path = self.work / f"{kind}.log"
        path.unlink(missing_ok=True)
        return path

    def unpacked(self, kind):
        """A fresh tree out of the source archive."""
        place = self.work / kind
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        subprocess.run(["tar", "-xf", self.archive, "-C", place], check=True)
        return place / self.name

    def publish(self, files):
        for file in files:
            shutil.copy(file, self.out)
            print(f"made {self.out / file.name}")

    def source(self):
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=TOP, text=True, capture_output=True, check=True).stdout
        if changed.strip():
            print("note: the packages have the last commit; these changes are not in it:\n" + changed, end="")
        tar = subprocess.run(["git", "archive", f"--prefix={self.name}/", self.options.commit], cwd=TOP, check=True, capture_output=True).stdout
        self.archive.write_bytes(subprocess.run(["xz", "-T1", "-6", "-c"], input=tar, check=True, capture_output=True).stdout)
        print(f"made {self.archive}")

    def deb(self):
        tree = self.unpacked("deb")
        shutil.copy(self.archive, tree.parent / f"zlink_{self.version}.orig.tar.xz")
        shutil.copytree(tree / "packaging/debian", tree / "debian")
        run(["dpkg-buildpackage", "-us", "-uc", f"-j{self.options.jobs}"], self.log("deb"), cwd=tree)
        self.publish(sorted(tree.parent.glob("*.deb")))

    def rpm(self):
        place = self.work / "rpm"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        # On Debian the packages that it needs have other names: --nodeps. Where it is at home, rpmbuild looks for them.
        foreign = ["--nodeps"] if shutil.which("dpkg-query") else []
        run(["rpmbuild", "-ta", *foreign, "--define", f"_topdir {place}", "--define", f"_smp_mflags -j{self.options.jobs}", self.archive],
            self.log("rpm"))
        self.publish(sorted(place.glob("RPMS/*/*.rpm")) + sorted(place.glob("SRPMS/*.rpm")))

    def wheel(self):
        tree, log = self.unpacked("wheel"), self.log("wheel")
        venv = self.work / "venv"
        subprocess.run([TOP / "tools/make_venv.sh", venv, TOP / "packaging/python/requirements.txt"], check=True)
        environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(self.options.jobs), "PATH": f"{venv / 'bin'}:{os.environ['PATH']}"}
        plain, tagged = tree.parent / "plain", tree.parent / "tagged"
        run([venv / "bin/python", "-m", "build", "--wheel", "--no-isolation", "--outdir", plain, tree], log, env=environment)
        run([venv / "bin/auditwheel", "repair", "--wheel-dir", tagged, *plain.glob("*.whl")], log, env=environment)
        wheels = sorted(tagged.glob("*.whl"))
        run([venv / "bin/auditwheel", "show", *wheels], log, env=environment)
        if not all("manylinux" in wheel.name for wheel in wheels):
            sys.exit(f"FAILED: auditwheel gave no manylinux tag: {wheels}; see {log}")
        self.publish(wheels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/packages")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--check", action="store_true", help="compares the versions, and makes nothing")
    options = parser.parse_args()
    packages = Packages(options) if not options.check else None
    if options.check:
        print(f"the packages have version {version_of_tree()}, in {', '.join(VERSIONS)}")
        return
    if "source" not in options.only and not packages.archive.exists():
        sys.exit(f"FAILED: there is no {packages.archive}: add \"source\" to --only")
    for kind in KINDS:
        if kind in options.only:
            print(f"== {kind}", flush=True)
            getattr(packages, kind)()


if __name__ == "__main__":
    main()
