"""Impedance and reference acceleration of MuJoCo's constraints, from solref and solimp.

The equations are those of the chapter "Computation" of MuJoCo's documentation and of its section on
solver parameters (E. Todorov, "Convex and analytically-invertible dynamics with contacts and
constraints: theory and implementation in MuJoCo", ICRA 2014).
"""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats

LEAST, MOST = 1e-4, 0.9999
"""Bounds of an impedance, [-]."""


def impedance(depth: Floats, solimp: Floats) -> Floats:
    """Return d(r), which goes from d0 at no violation to d_width at a violation of width or more.

    ``d = d0 + y(|r| / width) (d_width - d0)`` with the sigmoid y that is ``x^p / mid^(p - 1)`` up
    to the midpoint and ``1 - (1 - x)^p / (1 - mid)^(p - 1)`` beyond it.

    Args:
        depth: shape (n,), violation r, [m or rad].
        solimp: shape (5,): d0, d_width, width [m or rad], midpoint, power.
    """
    first, last = np.clip(solimp[:2], LEAST, MOST)
    width, middle, power = solimp[2:]
    x = np.minimum(np.abs(depth) / width, 1.0)
    rising = x**power / middle ** (power - 1.0)
    ending = 1.0 - (1.0 - x) ** power / (1.0 - middle) ** (power - 1.0)
    return np.asarray(first + np.where(x <= middle, rising, ending) * (last - first))


def reference(solref: Floats, solimp: Floats, dt: float) -> tuple[float, float]:
    """Return k and b of the reference acceleration ``a = -b v - k d(r) r``, [1/s^2] and [1/s].

    For a time constant tau and a damping ratio zeta, ``b = 2 / (d_width tau)`` and
    ``k = 1 / (d_width tau zeta)^2``; tau is at least two steps. For two numbers that are not
    positive, -stiffness and -damping, ``k = stiffness / d_width^2`` and ``b = damping / d_width``.

    Args:
        solref: shape (2,).
        solimp: shape (5,).
        dt: length of the step, [s].
    """
    last = float(np.clip(solimp[1], LEAST, MOST))
    if solref[0] > 0.0:
        tau = max(float(solref[0]), 2.0 * dt)
        return 1.0 / (last * tau * float(solref[1])) ** 2, 2.0 / (last * tau)
    return -float(solref[0]) / last**2, -float(solref[1]) / last


def rest_depth(acceleration: float, solref: Floats, solimp: Floats) -> float:
    """Return the depth r at which ``k d(r)^2 r / (1 - d(r))`` is an acceleration, [m].

    At this depth a contact at rest carries the force f with ``A f`` equal to the acceleration, A
    its inverse weight: at rest ``R f = k d r``, ``R = (1 - d) / d A``. Found by bisection.

    Args:
        acceleration: A f, [m/s^2].
        solref: shape (2,).
        solimp: shape (5,).
    """
    k, _ = reference(solref, solimp, 0.0)
    if not (k > 0.0 and acceleration > 0.0):
        return 0.0
    low, high = 0.0, acceleration / k / LEAST**2
    for _ in range(200):
        middle = 0.5 * (low + high)
        d = float(impedance(np.array([middle]), solimp)[0])
        low, high = (
            (middle, high) if k * d * d * middle < acceleration * (1.0 - d) else (low, middle)
        )
    return 0.5 * (low + high)
