#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Measures tls, ws and wss beside libraries that are not libzmq. See README.md beside this file, or --help."""

import sys

from web.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
