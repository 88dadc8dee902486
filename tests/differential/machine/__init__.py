# SPDX-License-Identifier: MPL-2.0
"""A machine that finds differences between two libraries with the interface of zmq.h."""
