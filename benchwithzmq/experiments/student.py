# SPDX-License-Identifier: MPL-2.0
"""Student's t distribution: its quantiles, for any number of degrees of freedom."""

from __future__ import annotations

import functools
import math

INTEGRATION_STEPS = 400
BISECTIONS = 60


def inner_probability(angle: float, freedom: float) -> float:
    """Returns the probability of |t| < sqrt(freedom) * tan(angle). The density becomes a power of the cosine, integrated by Simpson."""
    log_factor = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi) / 2
    step = angle / INTEGRATION_STEPS
    total = 0.0
    for index in range(INTEGRATION_STEPS + 1):
        weight = 1 if index in (0, INTEGRATION_STEPS) else 4 if index % 2 else 2
        total += weight * math.cos(index * step) ** (freedom - 1)
    return 2 * math.exp(log_factor) * total * step / 3


@functools.cache
def half_width(confidence: float, freedom: float) -> float:
    """Returns the t with P(-t < T < t) = confidence."""
    low, high = 0.0, math.pi / 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if inner_probability(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)
