# SPDX-License-Identifier: MPL-2.0
"""The programs of the world: how each is installed, what is run, and how its cases are read. One row of PROGRAMS each."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import cases

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
JOBS = HERE / "jobs"
sys.path.insert(0, str(TOP / "tests/packages"))
import run_packages  # noqa: E402


@dataclasses.dataclass
class Program:
    """`command`: work directory -> words. `files`: work directory -> what is copied into the run's place."""
    name: str
    what: str
    version: object
    command: object
    read: object
    apt: str = ""
    prepare: object = lambda work: None
    files: object = lambda work: ()
    environment: object = lambda work: {}
    wheel: bool = False  # a Python of the shared environment, whose pyzmq has a libzmq inside
    addon: str = None  # the end of the name of a file that has, or loads by its whole path, a libzmq of its own
    limit_s: int = 180


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def said(*words, **options):
    return run(*words, capture_output=True, text=True, **options).stdout.strip()


# ---- Debian


def debian(package):
    return lambda work: said("dpkg-query", "-W", "-f=${Version}", package)


def job(name, *arguments, interpreter="/usr/bin/python3"):
    """A program of tests/world/jobs."""
    return lambda work: [interpreter, JOBS / name, *arguments]


def package_job(name):
    class Options:
        pass

    def command(work):
        options = Options()
        options.work, options.compat = work, TOP / "build/release/compat"
        return run_packages.JOBS[name][0](options)
    return command


# ---- Python


def python_of(work):
    return work / "python/bin/python"


def wheel_of(work):
    return next(work.glob("python/lib/python3*/site-packages/pyzmq.libs"))


def make_python(work):
    wanted = (HERE / "requirements.txt").read_text()
    stamp = work / "python/.done"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    run(sys.executable, "-m", "venv", "--clear", work / "python")
    run(python_of(work), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / "requirements.txt")
    stamp.write_text(wanted)


def wheel_version(name):
    code = f"import importlib.metadata as m; print(m.version('{name}'))"
    return lambda work: said(python_of(work), "-c", code)


def source_of(work, name):
    """The source distribution of an installed package, unpacked."""
    version = wheel_version(name)(work)
    place = work / "sources" / f"{name}-{version}"
    if not place.exists():
        downloads = work / "downloads" / name
        run(python_of(work), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", name, "--no-build-isolation",
            "--dest", downloads, f"{name}=={version}")
        with tarfile.open(next(downloads.glob("*.tar.gz"))) as archive:
            archive.extractall(work / "sources" / ".new", filter="data")
        os.rename(next((work / "sources/.new").iterdir()), place)
    return place


def tests_of_source(name, *inner):
    """Only the tests: the installed package is tested, not the one beside them."""
    return lambda work: [source_of(work, name) / path for path in inner]


def pytest(*selection, timeout_s=60, more=()):
    def command(work):
        return [python_of(work), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", timeout_s, "-o", "junit_family=xunit1",
                f"--junitxml={cases.REPORT}", "--color=no", *more, *selection]
    return command


def python_job(name, *arguments):
    return lambda work: [python_of(work), JOBS / name, *arguments]


def script(work, name):
    return work / "python/bin" / name


# ---- other languages


def go_module(name, path, version):
    """A module of its own that depends on the binding: its tests are run where the module cache has them."""
    def prepare(work):
        place = work / "go" / name
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "go.mod").exists():
            run("go", "mod", "init", f"world/{name}", cwd=place)
        run("go", "get", f"{path}@{version}", cwd=place)
        run("go", "test", "-mod=mod", "-c", "-o", place / "tests", path, cwd=place)
    return prepare


def go_tests(name):
    def command(work):
        return ["go", "tool", "test2json", "-t", work / "go" / name / "tests", "-test.v", "-test.timeout=170s"]
    return command


def rust_crate(name, version):
    """The crate's package, with its tests, as the registry's client unpacks it. Built once, against the system's libzmq."""
    def prepare(work):
        place = work / "cargo" / f"{name}-{version}"
        if not place.exists():
            asks = work / "cargo/asks"
            (asks / "src").mkdir(parents=True, exist_ok=True)
            (asks / "src/lib.rs").write_text("")
            (asks / "Cargo.toml").write_text(f"[package]\nname = \"asks\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n{name} = \"={version}\"\n")
            run("cargo", "fetch", "--quiet", cwd=asks)
            home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
            shutil.copytree(next(home.glob(f"registry/src/*/{name}-{version}")), place)
        run("cargo", "test", "--quiet", "--no-run", "--target-dir", work / "cargo/target", cwd=place)
    return prepare


def cargo_tests(directory):
    """The homes of cargo and rustup are named, since a run has a home of its own."""
    def command(work):
        home = pathlib.Path.home()
        return ["env", f"CARGO_HOME={os.environ.get('CARGO_HOME', home / '.cargo')}", f"RUSTUP_HOME={os.environ.get('RUSTUP_HOME', home / '.rustup')}",
                "cargo", "test", "--offline", "--no-fail-fast", "--target-dir", work / "cargo/target",
                "--manifest-path", work / "cargo" / directory / "Cargo.toml", "--tests"]
    return command


def node_package(*names):
    def prepare(work):
        place = work / "node"
        place.mkdir(exist_ok=True)
        run("npm", "install", "--silent", "--no-audit", "--no-fund", *names, cwd=place)
    return prepare


def haskell_job(work):
    place = work / "haskell"
    place.mkdir(exist_ok=True)
    run("ghc", "-v0", "-threaded", "-outputdir", place, "-o", place / "job", JOBS / "haskell_job.hs")


PYTHON = [
    Program("ipykernel", "tests of its source distribution", wheel_version("ipykernel"), pytest("tests", more=("-o", "asyncio_mode=auto")),
            cases.of_pytest, prepare=make_python, files=tests_of_source("ipykernel", "tests", "pyproject.toml"), wheel=True, limit_s=400),
    Program("jupyter-client", "tests of its source distribution", wheel_version("jupyter_client"),
            pytest("tests", timeout_s=100, more=("--timeout-method=signal",)), cases.of_pytest,
            prepare=make_python, files=tests_of_source("jupyter_client", "tests", "pyproject.toml"), wheel=True, limit_s=400),
    Program("ipyparallel", "tests of its package that need no batch system", wheel_version("ipyparallel"),
            pytest("ipyparallel/tests", more=("--ignore=ipyparallel/tests/test_slurm.py", "--ignore=ipyparallel/tests/test_ssh.py",
                                              "-o", "asyncio_mode=auto")),
            cases.of_pytest, prepare=make_python, files=tests_of_source("ipyparallel", "ipyparallel"), wheel=True, limit_s=600),
    Program("aiozmq", "tests of its source distribution", wheel_version("aiozmq"), pytest("tests", "-o", "python_files=*_test.py", "-o", "python_functions=test*", "--continue-on-collection-errors"),
            cases.of_pytest, prepare=make_python, files=tests_of_source("aiozmq", "tests"), wheel=True, limit_s=300),
    Program("txZMQ", "tests of its package", wheel_version("txZMQ"), pytest("txzmq/test"), cases.of_pytest, prepare=make_python,
            files=tests_of_source("txZMQ", "txzmq"), wheel=True),
    Program("pyzmq", "tests of its source distribution (all backends: make test-pyzmq)", wheel_version("pyzmq"), pytest("tests"), cases.of_pytest,
            prepare=make_python, files=tests_of_source("pyzmq", "tests", "pytest.ini"), wheel=True, limit_s=400),
    Program("nbclient", "tests of its source distribution", wheel_version("nbclient"), pytest("tests"), cases.of_pytest, prepare=make_python,
            files=tests_of_source("nbclient", "tests", "pyproject.toml"), wheel=True, limit_s=300),
    *(Program(name, what, wheel_version(name), python_job(f"{name}_job.py"), cases.of_lines, prepare=make_python, wheel=True)
      for name, what in (("zerorpc", "calls, streams, errors, 300 calls at once, a lost server; tcp and ipc"),
                         ("nbconvert", "notebooks of 11 cells executed in three kernels, and a kernel that dies"),
                         ("circus", "a daemon of two watchers led by circusctl"),
                         ("locust", "a master and two workers, 20 users for six seconds"))),
    Program("parsl-perf", "its benchmark: 6100 tasks to a pool of workers", wheel_version("parsl"), python_job("parsl_perf_job.py"), cases.of_lines,
            prepare=make_python, wheel=True),
    Program("pyleco", "tests of its source distribution", wheel_version("pyleco"), pytest("tests"), cases.of_pytest, prepare=make_python,
            files=tests_of_source("pyleco", "tests", "pyproject.toml"), wheel=True),
    Program("parsl", "its tests with the executor that speaks ZeroMQ to a local pool of workers", wheel_version("parsl"),
            pytest("parsl/tests/test_python_apps", "parsl/tests/test_bash_apps", "parsl/tests/test_error_handling",
                   more=("--config", "parsl/tests/configs/htex_local.py", "-k", "not cleannet")),
            cases.of_pytest, prepare=make_python, files=tests_of_source("parsl", "parsl"), wheel=True, limit_s=300),
]

PACKAGES = [
    Program(name, "the job of tests/packages", debian(package), package_job(name), cases.of_package, apt=apt)
    for name, package, apt in (
        ("python3-zmq", "python3-zmq", "python3-zmq"),
        ("czmq", "libczmq4", "gcc libczmq-dev libzmq3-dev"),
        ("cppzmq", "cppzmq-dev", "g++ cppzmq-dev libzmq3-dev"),
        ("ruby-ffi-rzmq", "ruby-ffi-rzmq", "ruby-ffi-rzmq"),
        ("libzmq-java", "libzmq-java", "libzmq-java"),
        ("octave-zeromq", "octave-zeromq", "octave-zeromq"),
    )
]

JOBS_OF_DEBIAN = [
    Program("czmq-selftest", "the tests of its classes that its library has in it", debian("libczmq4"), job("czmq_selftest.py"), cases.of_lines,
            apt="libczmq4 libczmq-dev binutils", limit_s=300),
    Program("monero", "monerod --regtest: blocks over its PUB socket, JSON-RPC over its ROUTER", debian("monero"), job("monero_job.py"),
            cases.of_lines, apt="monero python3-zmq"),
    Program("ffmpeg", "commands to the filter zmq, a video stream over the protocol zmq", debian("ffmpeg"), job("ffmpeg_job.py"),
            cases.of_lines, apt="ffmpeg python3-zmq"),
    Program("uwsgi", "requests logged over a PUSH socket by its zeromq logger", debian("uwsgi-core"), job("uwsgi_job.py"), cases.of_lines,
            apt="uwsgi-core uwsgi-plugin-python3 python3-zmq"),
    Program("rsyslog", "500 lines from omczmq to imczmq", debian("rsyslog-czmq"), job("rsyslog_job.py"), cases.of_lines, apt="rsyslog rsyslog-czmq"),
    Program("pushpin", "with condure: requests through it, a stream and a long poll fed over ZeroMQ and HTTP", debian("pushpin"), job("pushpin_job.py"),
            cases.of_lines, apt="pushpin condure zurl python3-zmq"),
    Program("mongrel2", "requests answered by a handler over PUSH and SUB", debian("mongrel2-core"), job("mongrel2_job.py"), cases.of_lines,
            apt="mongrel2-core python3-zmq"),
    Program("xeus-python", "cells executed by its kernel", debian("xpython"), job("xpython_job.py"), cases.of_lines, apt="xpython jupyter-client python3-ipython"),
    Program("pmacct", "2000 packets of the loopback interface handed from its core to a plugin over ZeroMQ", debian("pmacct"), job("pmacct_job.py"), cases.of_lines, apt="pmacct"),
    Program("pbdzmq", "the tests of its package, requests between two R processes", debian("r-cran-pbdzmq"), job("r_job.py"), cases.of_lines,
            apt="r-base-core r-cran-pbdzmq", addon="pbdZMQ.so"),
    Program("perl-zmq-ffi", "a job of its patterns", debian("libzmq-ffi-perl"), job("perl_job.pl", interpreter="/usr/bin/perl"), cases.of_lines,
            apt="libzmq-ffi-perl"),
    Program("message-passing", "lines from one process to another, PUSH/PULL and PUB/SUB", debian("libmessage-passing-zeromq-perl"),
            job("message_passing_job.py"), cases.of_lines, apt="libmessage-passing-zeromq-perl"),
    Program("php-zmq", "a job of its patterns", debian("php8.2-zmq"), job("php_job.php", interpreter="/usr/bin/php"), cases.of_lines,
            apt="php8.2-zmq php8.2-cli"),
    Program("haskell-zeromq4", "a job of its patterns", debian("libghc-zeromq4-haskell-dev"), lambda work: [work / "haskell/job"], cases.of_lines,
            apt="ghc libghc-zeromq4-haskell-dev libghc-async-dev", prepare=haskell_job),
]

LANGUAGES = [
    Program("pebbe-zmq4", "its go test", lambda work: said("go", "list", "-m", "-f", "{{.Version}}", "github.com/pebbe/zmq4", cwd=work / "go/zmq4"),
            go_tests("zmq4"), cases.of_go, apt="libzmq3-dev", prepare=go_module("zmq4", "github.com/pebbe/zmq4", "v1.4.0"), limit_s=200),
    Program("rust-zmq", "its cargo test (0.10 brings a libzmq of its own)", lambda work: "0.9.2", cargo_tests("zmq-0.9.2"), cases.of_cargo, apt="libzmq3-dev",
            prepare=rust_crate("zmq", "0.9.2"), limit_s=200),
    Program("node-zeromq", "a job of every pattern", lambda work: said("node", "-p", "require('zeromq/package.json').version", cwd=work / "node"),
            lambda work: ["node", JOBS / "node_job.js"], cases.of_lines, prepare=node_package("zeromq@6.8.0"),
            environment=lambda work: {"NODE_PATH": str(work / "node/node_modules")}, addon="addon.node"),
]

PROGRAMS = PYTHON + PACKAGES + JOBS_OF_DEBIAN + LANGUAGES
