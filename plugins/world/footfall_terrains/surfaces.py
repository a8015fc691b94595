"""Analytic surfaces as height functions, and as examples for your own."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats


def hills(x: Floats, y: Floats) -> Floats:
    """Return hills of height 0.1 m, 2 m apart, around a hollow at the origin, [m]."""
    return 0.05 * (2.0 - np.cos(np.pi * x) - np.cos(np.pi * y))


def bowl(x: Floats, y: Floats) -> Floats:
    """Return a parabolic bowl, ``0.1 (x^2 + y^2)`` [m]: curvature 0.2 1/m at its bottom."""
    return 0.1 * (x * x + y * y)
