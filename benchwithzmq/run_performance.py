#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Measures a series, and writes docs/PERFORMANCE.md and the numbers of the READMEs. See README.md beside this file, or --help."""

import sys

from comparison.python import use_project_environment
from performance.main import main

if __name__ == "__main__":
    use_project_environment()
    sys.exit(main(sys.argv[1:]))
