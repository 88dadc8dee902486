# SPDX-License-Identifier: MPL-2.0
"""The measures of tools/check_house.py."""
