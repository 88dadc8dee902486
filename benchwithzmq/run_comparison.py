#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Measures zlink, libzmq and others on the same work. See README.md beside this file, or --help."""

import sys

from comparison.main import main
from comparison.python import use_project_environment

if __name__ == "__main__":
    use_project_environment()
    sys.exit(main(sys.argv[1:]))
