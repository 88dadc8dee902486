# SPDX-License-Identifier: MPL-2.0
"""The page about performance, from the results of comparisons and of the scale benchmark."""
