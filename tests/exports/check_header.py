#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zmq.h agrees with the libzmq header of the system: every macro of that header is there with the same value, every function with the
same prototype, every struct with the same layout. What is only in ours (newer than the system's libzmq) is not compared.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# Version numbers differ by intent. AFTER_DISCONNECT was 3 in libzmq 4.3.4, a mistake that made it a combination of the
# two other bits; later releases have 4.
MAY_DIFFER = {"ZMQ_VERSION", "ZMQ_VERSION_MAJOR", "ZMQ_VERSION_MINOR", "ZMQ_VERSION_PATCH",
              "ZMQ_RECONNECT_STOP_AFTER_DISCONNECT"}
# Not values: attributes, functions.
NOT_VALUES = {"ZMQ_EXPORT", "ZMQ_MAKE_VERSION"}

LAYOUT = ["sizeof(zmq_msg_t)", "__alignof__(zmq_msg_t)"]
for struct, fields in {"zmq_pollitem_t": "socket fd events revents",
                       "zmq_poller_event_t": "socket fd user_data events"}.items():
    LAYOUT += [f"sizeof({struct})", f"__alignof__({struct})"]
    LAYOUT += [f"offsetof({struct}, {field})" for field in fields.split()]


class Header:
    """One zmq.h, seen through the compiler, drafts included."""

    def __init__(self, gcc, include):
        self.command = [gcc, "-DZMQ_BUILD_DRAFT_API"]
        # By its full path: an -I would come after the directories that an installed zlink may lie in.
        self.include = f'#include "{os.path.join(include, "zmq.h")}"\n'
        text = subprocess.run(self.command + ["-E", "-dM", "-x", "c", "-"], input=self.include, text=True,
                              capture_output=True, check=True).stdout
        # Object-like macros with a value, and those without.
        names = re.findall(r"^#define ((?:ZMQ_|E(?:FSM|NOCOMPATPROTO|TERM|MTHREAD)\b)\w*) (?=\S)", text, re.M)
        self.macros = set(names) - NOT_VALUES
        self.flags = set(re.findall(r"^#define (ZMQ_\w+) ?$", text, re.M))

    def prototypes(self, directory):
        """Function name -> prototype as GCC prints it."""
        listing = os.path.join(directory, "prototypes")
        subprocess.run(self.command + ["-fsyntax-only", "-aux-info", listing, "-x", "c", "-"], input=self.include,
                       text=True, check=True)
        found = {}
        with open(listing, encoding="utf-8") as lines:
            for line in lines:
                match = re.search(r"\*/ (extern .*\b(zmq_\w+) \(.*)", line)
                if match:
                    found[match.group(2)] = match.group(1).strip()
        return found

    def values(self, directory, expressions):
        """Expression -> printed value."""
        program = os.path.join(directory, "values")
        source = self.include + '#include <stddef.h>\n#include <stdio.h>\n'
        source += "int main(void) {\n"
        for expression in expressions:
            # A string constant prints as text, everything else as a number.
            text = expression.startswith("ZMQ_MSG_PROPERTY_")
            shown = expression if text else f"(long long)({expression})"
            source += f'    printf("%s={"%s" if text else "%lld"}\\n", "{expression}", {shown});\n'
        source += "    return 0;\n}\n"
        subprocess.run(self.command + ["-o", program, "-x", "c", "-"], input=source, text=True, check=True)
        output = subprocess.run([program], text=True, capture_output=True, check=True).stdout
        return dict(line.split("=", 1) for line in output.splitlines())


def differences(what, system, ours):
    """Prints each key of `system` that `ours` lacks or has with another value; gives their number."""
    count = 0
    for key, value in sorted(system.items()):
        if ours.get(key) != value:
            print(f"{what} {key}: the system has {value!r}, zlink {ours.get(key)!r}")
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser()
    for option in ("gcc", "ours", "system"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    ours, system = Header(options.gcc, options.ours), Header(options.gcc, options.system)

    missing = (system.macros - ours.macros) | (system.flags - ours.flags)
    for name in sorted(missing):
        print(f"macro {name} is missing")
    common = sorted(((system.macros & ours.macros) - MAY_DIFFER)) + LAYOUT
    with tempfile.TemporaryDirectory() as directory:
        wrong = differences("value of", system.values(directory, common), ours.values(directory, common))
        prototypes = system.prototypes(directory)
        wrong += differences("prototype of", prototypes, ours.prototypes(directory))
    print(f"{len(common)} values and {len(prototypes)} prototypes compared")
    return 1 if missing or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
