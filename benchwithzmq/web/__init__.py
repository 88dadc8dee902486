# SPDX-License-Identifier: MPL-2.0
"""Measures tls, ws and wss beside libraries that are not libzmq."""
