# SPDX-License-Identifier: MPL-2.0
"""The comparison of messaging libraries: options, measuring, caching, and the report in JSON, Markdown and plots."""
