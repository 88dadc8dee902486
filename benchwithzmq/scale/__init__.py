# SPDX-License-Identifier: MPL-2.0
"""Scale and real deployments: the cells, the programs that measure them (program/), and the report."""
