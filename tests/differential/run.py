#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Finds differences between libzmq and zlink. See README.md beside this file, or --help."""

import sys

from machine.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
