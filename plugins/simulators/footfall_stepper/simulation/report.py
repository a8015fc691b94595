"""Figures of a run that are read from the monitor of its steps."""

from __future__ import annotations

import numpy as np

from footfall_stepper.world.step_arrays import Monitor


def median_residual(monitor: Monitor) -> float:
    """Return the median natural-map residual from its histogram: the upper edge of its bin."""
    counts = np.cumsum(monitor.histogram)
    if counts[-1] == 0.0:
        return 0.0
    bin_ = int(np.searchsorted(counts, 0.5 * counts[-1]))
    return 0.0 if bin_ == 0 else float(10.0 ** ((bin_ + 1) / 10.0 - 20.0))
