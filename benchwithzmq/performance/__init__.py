# SPDX-License-Identifier: MPL-2.0
"""The pages about performance, the series of measurements that they are made from, and the numbers in the READMEs."""
