# SPDX-License-Identifier: MPL-2.0
"""The recipes for Conan and vcpkg and the container file, each used where its own registry is not needed."""
import json
import os
import pathlib
import shutil
import subprocess

from clean_root import Failed, suite

TOP = pathlib.Path(__file__).resolve().parents[2]
# The system's packages stand in for Conan's, so that no remote is asked.
PROFILE = """\
[settings]
os=Linux
arch={arch}
build_type=Release
compiler=gcc
compiler.version={gcc}
compiler.libcxx=libstdc++11
compiler.cppstd=20
[platform_requires]
boost/1.81.0
libsodium/1.0.18
openssl/3.0.0
c-ares/1.18.1
cli11/2.1.2
nlohmann_json/3.11.2
"""


def run(command, log, **options):
    with log.open("ab") as output:
        done = subprocess.run(list(map(str, command)), stdout=output, stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{log.read_text(errors='replace')[-3000:]}")
    return log.read_text(errors="replace")


def conan(work):
    """conan create, whose test_package builds and runs a program; shared and static."""
    log, venv = work / "conan.log", work / "conan-venv"
    log.unlink(missing_ok=True)
    requirements = work / "conan.txt"
    requirements.write_text("conan>=2.12,<3\n")
    subprocess.run([TOP / "tools/make_venv.sh", venv, requirements], check=True)
    gcc = subprocess.run(["gcc", "-dumpversion"], text=True, capture_output=True, check=True).stdout.split(".")[0].strip()
    profile = work / "conan.profile"
    profile.write_text(PROFILE.format(arch={"aarch64": "armv8"}.get(os.uname().machine, os.uname().machine), gcc=gcc))
    environment = {**os.environ, "CONAN_HOME": str(work / "conan-home")}
    run([venv / "bin/conan", "remote", "disable", "*"], log, env=environment)
    for shared in ("True", "False"):
        said = run([venv / "bin/conan", "create", TOP / "packaging/conan", "-pr:a", profile, "-o", f"zlink/*:shared={shared}"], log, env=environment)
        if "\nhello\n" not in said:
            raise Failed(f"the program of test_package did not run:\n{said[-2000:]}")


def vcpkg(work):
    """The port with a stand-in for the functions of vcpkg that it calls, which do by CMake what vcpkg's own do."""
    log, place = work / "vcpkg.log", (work / "vcpkg").resolve()
    log.unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    port = TOP / "packaging/vcpkg/ports/zlink"
    manifest = json.loads((port / "vcpkg.json").read_text())
    for features in ([], ["compat", "dns", "tools"]):
        if not set(features) <= set(manifest["features"]):
            raise Failed(f"the port has not the features {features}")
        prefix = place / ("-".join(features) or "plain")
        run(["cmake", f"-DPORT_FILE={port / 'portfile.cmake'}", f"-DCURRENT_PACKAGES_DIR={prefix}", f"-DFEATURES={';'.join(features)}",
             f"-DBUILD={place / 'build'}", "-P", TOP / "tests/install/vcpkg_functions.cmake"], log)
        for name in ("share/zlink/zlinkConfig.cmake", "share/zlink/usage", "share/zlink/copyright", "include/zmq.h", "lib/libzlink.so"):
            if not (prefix / name).exists():
                raise Failed(f"the port with {features} does not install {name}")
        if (prefix / "share/ZeroMQ/ZeroMQConfig.cmake").exists() != ("compat" in features):
            raise Failed("libzmq's names are there without the feature compat, or not there with it")
        if (prefix / "lib/libzlink.a").exists():
            raise Failed("the static library is there in a triplet for shared libraries")


def container(work, base):
    """The container file, with the base of the clean roots under the name of the image that it begins with."""
    log = work / "container.log"
    log.unlink(missing_ok=True)
    storage = (work / "containers").resolve()
    # No driver of the kernel, and no engine that runs: the image is a directory, and its commands run by chroot.
    buildah = ["buildah", "--root", storage / "root", "--runroot", storage / "run", "--storage-driver", "vfs"]
    image = f"localhost/debian:{suite()}"
    dockerfile = work / "Containerfile.base"
    dockerfile.write_text(f"FROM scratch\nADD {base.name} /\n")
    run([*buildah, "bud", "--isolation", "chroot", "-t", image, "-f", dockerfile, base.parent], log)
    tree = work / "container-tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    tar = subprocess.run(["git", "archive", "HEAD"], cwd=TOP, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(tree)], input=tar, check=True)
    text = (tree / "packaging/Containerfile").read_text().replace("FROM debian:12", f"FROM {image}")
    (tree / "Containerfile.test").write_text(text)
    run([*buildah, "bud", "--isolation", "chroot", "--network", "host", "-t", "localhost/zlink", "-f", tree / "Containerfile.test", tree], log)
    name = subprocess.run([*map(str, buildah), "from", "localhost/zlink"], text=True, capture_output=True, check=True).stdout.strip()
    said = run([*buildah, "run", "--isolation", "chroot", name, "--", "zlink", "run", "--verbose", "sleep", "0.2"], log)
    if "zlink was loaded from" not in said:
        raise Failed(f"the command of the image does not work:\n{said[-2000:]}")
    subprocess.run([*map(str, buildah), "rm", name], capture_output=True, check=False)
