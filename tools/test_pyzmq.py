#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs pyzmq's own tests on the libzmq that pyzmq comes with and on zlink, and compares test by test.

    test_pyzmq.py --build-dir BUILD [--work DIR] [--backend cython] [--backend cffi] [--only test_socket.py ...]

What passes on libzmq has to pass on zlink: each test that does not is a regression, and makes the exit code 1, unless it skips
itself because of the library's version (the system's libzmq may be older than the one whose version zlink tells). A test that
fails at first is tried again by itself, since some of them hold a race; such a test is told of too.

- cython: the wheel, which has a libzmq inside. zlink is put before it with LD_PRELOAD.
- cffi: the source distribution, built against the system's libzmq. zlink likewise.
The dynamic loader is asked which library each function was bound to, so that nobody compares libzmq with itself.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from pytest_cases import outcomes_of, selection_of

TOOLS = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = TOOLS / "pyzmq_requirements.txt"
FILE_TIMEOUT_S = 600
TEST_TIMEOUT_S = 60
SECOND_TRIES = 5
# The system's libzmq may be older than the version that zlink tells: a test may skip itself because of that alone.
SKIPPED_FOR_VERSION = re.compile(r"^skipped: .*\bremoved in libzmq", re.S)


def run(command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def wanted_version():
    return re.search(r"^pyzmq==(\S+)$", REQUIREMENTS.read_text(), re.M).group(1)


# ---- what is needed


def environment_of(backend, work):
    """The Python of an environment with pyzmq in it, made when it is not there."""
    place = work / f"venv-{backend}"
    stamp = place / ".done"
    if stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return place / "bin" / "python"
    shutil.rmtree(place, ignore_errors=True)
    print(f"== installing pyzmq {wanted_version()}, backend {backend}", flush=True)
    run([sys.executable, "-m", "venv", place])
    install = [place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]
    if backend == "cffi":
        install += ["--no-binary", "pyzmq", "--no-cache-dir"]
    run(install, env={**os.environ, "PYZMQ_BACKEND": backend, "PYZMQ_NO_BUNDLE": "1"})
    stamp.write_text(REQUIREMENTS.read_text())
    return place / "bin" / "python"


def tests_of(python, work):
    """The directory with pyzmq's tests, from its source distribution. Not the package beside them: the installed one is tested."""
    version = wanted_version()
    place = work / f"tests-{version}"
    if (place / "pytest.ini").exists():
        return place
    print("== fetching the tests", flush=True)
    run([python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:",
         "--dest", work, f"pyzmq=={version}"])
    with tarfile.open(work / f"pyzmq-{version}.tar.gz") as archive:
        for member in archive.getmembers():
            inner = member.name.split("/", 1)[-1]
            if member.isfile() and (inner.startswith("tests/") or inner == "pytest.ini") and ".." not in inner:
                target = place / inner
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())
    return place


# ---- one library


class Library:
    def __init__(self, name, preload):
        self.name = name
        self.preload = preload

    def environment(self, **more):
        chosen = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
        if self.preload:
            chosen["LD_PRELOAD"] = str(self.preload)
        return {**chosen, **more}


def bound_files(python, library, work):
    """The files that pyzmq's compiled part has its zmq functions from."""
    trace = work / "bindings"
    for old in work.glob("bindings.*"):
        old.unlink()
    run([python, "-c", "import zmq"], env=library.environment(LD_DEBUG="bindings", LD_DEBUG_OUTPUT=trace, LD_BIND_NOW="1"))
    files = set()
    for log in work.glob("bindings.*"):
        for line in log.read_text(errors="replace").splitlines():
            match = re.search(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `zmq_\w+'", line)
            if match and "/zmq/backend/" in match.group(1) and match.group(1) != match.group(2):
                files.add(os.path.realpath(match.group(2)))
        log.unlink()
    return files


def check_library(python, library, work):
    files = bound_files(python, library, work)
    if not files or (library.preload and files != {os.path.realpath(library.preload)}):
        sys.exit(f"FAILED: {library.name} was to answer, but pyzmq is bound to {sorted(files) or 'nothing'}")
    print(f"{library.name}: {', '.join(sorted(files))}", flush=True)


def run_tests(python, library, tests, selection, report, timeout_s=FILE_TIMEOUT_S):
    """Test -> outcome."""
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", TEST_TIMEOUT_S, "--timeout-method", "thread",
               "-o", "junit_family=xunit1", f"--junitxml={report}", *selection]
    try:
        done = subprocess.run([str(word) for word in command], cwd=tests, env=library.environment(), timeout=timeout_s,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        report.with_suffix(".log").write_bytes(done.stdout)
    except subprocess.TimeoutExpired as late:
        report.with_suffix(".log").write_bytes(late.stdout or b"")
    return outcomes_of(report)


# ---- the comparison


def passes_again(python, library, tests, name, reports):
    for turn in range(SECOND_TRIES):
        outcomes = run_tests(python, library, tests, [selection_of(name, tests)], reports / "again.xml", 2 * TEST_TIMEOUT_S)
        if outcomes.get(name) == "passed":
            return turn + 1
    return 0


def compare_file(python, libraries, tests, file, reports):
    """The outcomes of one file on both, and the tests that pass on the first and not on the second."""
    outcomes = [run_tests(python, library, tests, [file.relative_to(tests)], reports / f"{library.name}-{file.stem}.xml")
                for library in libraries]
    suspects = [name for name, outcome in outcomes[0].items() if outcome == "passed" and outcomes[1].get(name) != "passed"
                and not SKIPPED_FOR_VERSION.match(outcomes[1].get(name, ""))]
    counts = " ".join(f"{library.name} {list(found.values()).count('passed')}/{len(found)}"
                      for library, found in zip(libraries, outcomes))
    print(f"{file.stem:28} {counts}", flush=True)
    return outcomes, suspects


def compare(backend, options, libraries):
    python = environment_of(backend, options.work)
    tests = tests_of(python, options.work)
    reports = options.work / f"reports-{backend}"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    print(f"== {backend}", flush=True)
    for library in libraries:
        check_library(python, library, options.work)
    files = sorted(file for file in (tests / "tests").glob("test_*.py") if not options.only or file.name in options.only)
    regressions, unsteady, passed = [], [], 0
    for file in files:
        outcomes, suspects = compare_file(python, libraries, tests, file, reports)
        passed += list(outcomes[1].values()).count("passed")
        for name in suspects:
            tries = passes_again(python, libraries[1], tests, name, reports)
            passed += 1 if tries else 0
            target = unsteady if tries else regressions
            target.append(f"{name} ({outcomes[1].get(name, 'did not run')}{f', passed at try {tries + 1}' if tries else ''})")
    for title, names in (("passed at a later try", unsteady), ("REGRESSIONS", regressions)):
        if names:
            print(f"{title}:", *names, sep="\n  ")
    print(f"{backend}: {passed} tests pass on zlink, {len(regressions)} regressions", flush=True)
    return regressions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True, help="a build of zlink, with its directory compat")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/pyzmq"))
    parser.add_argument("--backend", action="append", choices=("cython", "cffi"))
    parser.add_argument("--only", action="append", metavar="FILE", help="one file of the tests, such as test_socket.py")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    preload = options.build_dir.resolve() / "compat" / "libzmq.so.5"
    if not preload.exists():
        sys.exit(f"FAILED: there is no {preload}; build zlink first")
    libraries = (Library("libzmq", None), Library("zlink", preload))
    regressions = [name for backend in options.backend or ("cython", "cffi") for name in compare(backend, options, libraries)]
    return 1 if regressions else 0


if __name__ == "__main__":
    sys.exit(main())
