"""Newton's and Poisson's hypothesis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from footfall.api.advanced import DenseGroup
from footfall.api.plugin import Floats
from footfall_impacts.restitution.cones import Answer, Cones

Hypothesis = Callable[[Cones, DenseGroup, Answer], Answer]
"""Function of the contacts, the group, and the answer without restitution."""


def newton(cones: Cones, group: DenseGroup, inelastic: Answer) -> Answer:
    """Return the impulse with ``0 <= r_n perp u_n+ - e max(-u_n-, 0) >= 0`` and Coulomb's law."""
    b = group.u.copy()
    b[2::3] += newton_offset(group)
    return cones.solve(b, start=inelastic.r)


def newton_offset(group: DenseGroup) -> Floats:
    """Return the offset of Newton's hypothesis on normal velocities, shape (n,), [m/s]."""
    return group.restitution * np.minimum(group.u[2::3], 0.0)


def poisson(cones: Cones, group: DenseGroup, inelastic: Answer) -> Answer:
    """Return the impulse of two phases: compression (the inelastic impact) and restitution.

    Restitution starts from the velocity after compression. It gives back at least the part e of
    each normal impulse, and more if the point would else move into the ground:
    ``0 <= r_n - e r_n,compression perp u_n >= 0``. It has its own Coulomb friction.
    """
    compressed = np.maximum(inelastic.r[2::3], 0.0)
    velocity = group.u + group.W @ inelastic.r
    back = cones.solve(velocity, group.restitution * compressed)
    return Answer(
        inelastic.r + back.r,
        max(inelastic.residual, back.residual),
        inelastic.iterations + back.iterations,
        inelastic.solved and back.solved,
    )


HYPOTHESES: dict[str, Hypothesis] = {"newton": newton, "poisson": poisson}
