"""The linear inverted pendulum: the centre of mass that goes with zero-moment points.

A mass at constant height z above the points p on which it is carried moves by
``x'' = w^2 (x - p)``, ``w^2 = g / z`` (Kajita et al., IROS 2001). Its unstable half, the capture
point ``xi = x + x'/w``, obeys ``xi' = w (xi - p)`` and is known from the end backwards; the stable
half, ``x' = -w (x - xi)``, from the start forwards (Takenaka et al., IROS 2009). Between the
corners of a polyline p(t) both are exact: ``x = p + C e^{w t} + B e^{-w t}``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def capture_points(points: Floats, step: float, w: float) -> Floats:
    """Return the bounded capture points that end at rest over the last point.

    Args:
        points: shape (n, 2), zero-moment points at equal steps of time, straight between, [m].
        step: of time, [s].
        w: frequency of the pendulum, [1/s].

    Returns:
        shape (n, 2), [m].
    """
    found, decay = points.copy(), np.exp(-w * step)
    for k in range(len(points) - 2, -1, -1):
        lead = (points[k + 1] - points[k]) / (step * w)
        found[k] = points[k] + lead + decay * (found[k + 1] - points[k + 1] - lead)
    return found


def center_of_mass(points: Floats, captured: Floats, step: float, w: float) -> Floats:
    """Return the centre of mass that starts over the first point.

    Args:
        points: as for ``capture_points``.
        captured: its result.
        step: of time, [s].
        w: frequency of the pendulum, [1/s].

    Returns:
        shape (n, 2), [m].
    """
    found, decay = points.copy(), np.exp(-w * step)
    for k in range(len(points) - 1):
        lead = (points[k + 1] - points[k]) / (step * w)
        grows = 0.5 * (captured[k] - points[k] - lead)
        fades = found[k] - points[k] - grows
        found[k + 1] = points[k + 1] + grows / decay + fades * decay
    return found
