# SPDX-License-Identifier: MPL-2.0
"""Experiments: a hypothesis, two variants of the library measured interleaved, intervals, a verdict, a page."""
