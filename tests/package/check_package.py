#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Uses an installed zlink as strangers do.

Installs the build tree, configures and builds the project in consumer/ against it (both CMake packages, both pkg-config
modules, shared and static), runs every program it makes, and runs a program that was linked with the system's libzmq
through the compatibility directories of the build and the install tree, by LD_LIBRARY_PATH and by LD_PRELOAD. The same
with a copy of libzmq.so.5 that lies alone in a directory.
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, **environment):
    """Runs a command and gives what it printed; a failure ends the test with its output."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def loaded_libraries(program, **environment):
    """Real paths of the messaging libraries that the loader maps into a program."""
    output = run([program], LD_TRACE_LOADED_OBJECTS="1", **environment)
    words = [word for line in output.splitlines() for word in line.split() if word.startswith("/")]
    return {os.path.realpath(word) for word in words if "zmq" in os.path.basename(word) or "zlink" in word}


def check_consumer(options, prefix):
    """find_package and pkg-config, shared and static."""
    libraries = os.path.join(prefix, options.libdir)
    build = os.path.join(options.work, "consumer")
    run([options.cmake, "-S", os.path.join(HERE, "consumer"), "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DCMAKE_BUILD_TYPE=Release"],
        PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"))
    run([options.cmake, "--build", build])
    programs = sorted(name for name in os.listdir(build) if name.startswith("use_"))
    if len(programs) != 7:
        sys.exit(f"expected 7 programs, found {programs}")
    for name in programs:
        program = os.path.join(build, name)
        linked = loaded_libraries(program, LD_LIBRARY_PATH=libraries)
        expected = set() if "static" in name else {os.path.realpath(os.path.join(libraries, "libzlink.so"))}
        if linked != expected:
            sys.exit(f"{name} loads {linked}, expected {expected}")
        _, library, _, header = run([program], LD_LIBRARY_PATH=libraries).split()
        if library != header:
            sys.exit(f"{name} was compiled with the header of {header} and runs with {library}")
        print(f"{name}: {library}")


def check_compat(options, prefix):
    """A program of the system's libzmq runs on zlink, and only zlink's functions are used."""
    program = os.path.join(options.work, "linked_with_libzmq")
    run([options.cc, os.path.join(HERE, "consumer", "use.c"), "-o", program, "-l:libzmq.so.5"])
    if not any("libzmq" in path for path in loaded_libraries(program)):
        sys.exit("the program does not load the system's libzmq to begin with")
    installed = os.path.join(prefix, options.libdir, "zlink", "compat")
    for place, library in ((os.path.join(options.build, "compat"), os.path.join(options.build, "src", "libzlink.so")),
                           (installed, os.path.join(prefix, options.libdir, "libzlink.so"))):
        check_place(program, os.path.join(place, "libzmq.so.5"))
        check_names(place)
        check_both(options, os.path.join(place, "libzmq.so.5"), library)
    alone = os.path.join(options.work, "alone")
    os.makedirs(alone)
    copied = shutil.copy(os.path.join(installed, "libzmq.so.5"), alone)
    shutil.move(prefix, prefix + ".away")  # no other file of the installation is in its old place
    check_place(program, copied)
    # Wheels give the libzmq that they bring a name of their own.
    renamed = os.path.join(alone, "libzmq-1f4b.so.5.2.5")
    os.rename(copied, renamed)
    run([sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).zmq_ctx_new", renamed])


def check_place(program, library):
    """The program uses the library, and no other, by both ways of the loader."""
    for environment in ({"LD_LIBRARY_PATH": os.path.dirname(library)}, {"LD_PRELOAD": library}):
        loaded = loaded_libraries(program, **environment)
        if loaded != {os.path.realpath(library)}:
            sys.exit(f"with {environment} the program loads {loaded}, expected {library} alone")
        print(f"{environment}: {run([program], **environment).strip()}")


def check_names(place):
    """libzmq.so.5 and libzmq.so in one process are one library."""
    script = ("import ctypes, sys\n"
              "places = [ctypes.cast(ctypes.CDLL(path).zmq_ctx_new, ctypes.c_void_p).value for path in sys.argv[1:]]\n"
              "sys.exit(0 if len(set(places)) == 1 else f'several copies: {places}')")
    run([sys.executable, "-c", script, os.path.join(place, "libzmq.so.5"), os.path.join(place, "libzmq.so")])


def check_both(options, libzmq, libzlink):
    """libzmq.so.5 and libzlink.so.1 are two libraries. A process can have both, in the two ways there are."""
    run([sys.executable, os.path.join(HERE, "both_names.py"), libzmq, libzlink])
    program = os.path.join(options.work, "linked_with_both")
    run([options.cc, os.path.join(HERE, "consumer", "use.c"), "-o", program, "-Wl,--no-as-needed", libzlink, libzmq,
         f"-Wl,-rpath,{os.path.dirname(libzlink)}:{os.path.dirname(libzmq)}"])
    if loaded_libraries(program) != {os.path.realpath(libzmq), os.path.realpath(libzlink)}:
        sys.exit(f"the program linked with both libraries loads {loaded_libraries(program)}")
    bindings = run([program], LD_DEBUG="bindings", LD_BIND_NOW="1")
    answering = {os.path.realpath(line.split(" to ")[1].split(" [")[0]) for line in bindings.splitlines()
                 if f"binding file {program} " in line and "`zmq_" in line}
    if answering != {os.path.realpath(libzlink)}:
        sys.exit(f"the program linked with both libraries uses {answering}, not the first")


def main():
    parser = argparse.ArgumentParser()
    for option in ("cmake", "build", "config", "work", "cc", "cxx", "libdir"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    prefix = os.path.join(options.work, "prefix")
    run([options.cmake, "--install", options.build, "--config", options.config, "--prefix", prefix])
    check_consumer(options, prefix)
    check_compat(options, prefix)


if __name__ == "__main__":
    main()
