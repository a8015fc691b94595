"""Newton's and Poisson's hypothesis, for a part s of the coefficients of restitution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.api.contact import DenseGroup
from footfall.api.plugin import Floats
from footfall_impacts.restitution.cones import Answer, Cones

Hypothesis = Callable[[Cones, DenseGroup, float, Answer], Answer]
"""Takes the contacts, the group, s, and the inelastic answer (s = 0)."""


def newton(cones: Cones, group: DenseGroup, s: float, inelastic: Answer) -> Answer:
    """Return the impulse with ``0 <= r_n perp u_n+ - s e max(-u_n-, 0) >= 0`` and Coulomb's law."""
    b = group.u.copy()
    b[2::3] += newton_offset(group, s)
    return cones.solve(b, start=inelastic.r)


def newton_offset(group: DenseGroup, s: float) -> Floats:
    """Return what Newton's hypothesis adds to normal velocities, shape (n,), [m/s]."""
    return s * group.restitution * np.minimum(group.u[2::3], 0.0)


def poisson(cones: Cones, group: DenseGroup, s: float, inelastic: Answer) -> Answer:
    """Return the impulse of a phase of compression, the inelastic impact, and one of restitution.

    The second starts from the velocity after the first and gives back at least the part s e of
    each normal impulse, more where a point would go on into the ground otherwise:
    ``0 <= r_n - s e r_n,compression perp u_n >= 0``, with Coulomb's law of its own.
    """
    compressed = np.maximum(inelastic.r[2::3], 0.0)
    velocity = group.u + group.W @ inelastic.r
    back = cones.solve(velocity, s * group.restitution * compressed)
    return Answer(
        inelastic.r + back.r,
        max(inelastic.residual, back.residual),
        inelastic.iterations + back.iterations,
        inelastic.solved and back.solved,
    )


HYPOTHESES: dict[str, Hypothesis] = {"newton": newton, "poisson": poisson}
