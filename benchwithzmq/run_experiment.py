#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Measures one change of zlink against the library without it, and writes down the verdict. See README.md, or --help."""

import sys

from experiments.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
