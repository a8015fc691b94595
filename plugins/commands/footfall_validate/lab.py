"""Composes the simulators of a check, and keeps statistics of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall import load
from footfall.api.plugin import Floats, FootfallError
from footfall.api.world import Continuous
from footfall_stepper.api import Body, StepperSimulator, stepped
from footfall_validate.claims import moments, restitution, tilted
from footfall_validate.combination import Combination, overrides_of
from footfall_validate.rotations import rotation_matrix

G = 9.81
"""Gravity, [m/s^2]."""
DOWN: Floats = np.array([0.0, 0.0, -G])
UP: Floats = np.array([0.0, 0.0, 1.0])
APPROXIMATE = 1e-6
"""Accuracy expected of laws that declare no residual, [m/s]; as in the conformance kit."""


class Refused(FootfallError):  # noqa: N818 - a finding, not a failure
    """The laws do not declare a feature that a simulation needs."""


class Lab:
    """Composes the simulators of one check from one combination of laws.

    Attributes:
        laws: the combination.
    """

    def __init__(self, laws: Combination) -> None:
        self.laws = laws
        self._law = laws.contact.make()
        self._made: list[StepperSimulator] = []

    def simulator(
        self,
        bodies: Body | Sequence[Body],
        *,
        mu: float = 0.5,
        e: float | None = None,
        normal: npt.ArrayLike = UP,
        gravity: npt.ArrayLike = DOWN,
        dt: float = 1e-3,
        units: Mapping[str, float] | None = None,
    ) -> StepperSimulator:
        """Compose a simulator of bodies on a plane through the origin.

        Args:
            bodies: one or several.
            mu: coefficient of friction.
            e: coefficient of restitution; None: the ground sets none.
            normal: normal of the plane, (3,).
            gravity: (3,), [m/s^2].
            dt: time step, [s].
            units: table ``[units]`` of a scene that the numbers are in.

        Raises:
            Refused: if the laws do not declare a feature; a scene with it would be rejected too.
        """
        self._refuse(e, np.asarray(normal, float))
        listed = [bodies] if isinstance(bodies, Body) else list(bodies)
        n = tuple(float(x) for x in np.asarray(normal, float))
        ground = {"normal": n, "friction": mu, "restitution": e}
        sim = self.laws.simulator(listed, np.array(gravity, float), dt, units, **ground)
        self._made.append(sim)
        return sim

    def scene(self, name: str, **changes: Any) -> StepperSimulator:
        """Load a bundled scene that has torsional or rolling friction, with changed keys.

        Raises:
            Refused: if the laws do not declare such friction.
        """
        if moments(self.laws):
            raise Refused("torsional and rolling friction are rejected")
        names = self.laws.names
        plugins = overrides_of(names.contact)
        if self.laws.elsewhere is None:
            plugins |= {"impact.plugin": names.impact, "integrator.plugin": names.integrator}
        sim = stepped(load(name, plugins | changes))
        self._made.append(sim)
        return sim

    def _refuse(self, e: float | None, normal: Floats) -> None:
        """Reject settings that a scene file would be rejected for."""
        if e and not self.laws.restitutes:
            raise Refused(f"restitution of {e:g} is rejected: {restitution(self.laws)}")
        reason = tilted(self.laws)
        if reason and not np.allclose(normal, UP):
            raise Refused(f"tilted ground is rejected: {reason}")

    def rest_depth(self, force: float) -> float:
        """Return the depth of a point at rest under a normal force [N], [m]; 0 for rigid laws."""
        return float(self._law.rest_depth(force))

    @property
    def accuracy(self) -> float:
        """Allowed speed of a body at rest, [m/s]: creep, plus residual or 1e-6."""
        bound = self.laws.contact.claims.residual
        return self.laws.creep + (APPROXIMATE if bound is None else bound)

    @property
    def steps(self) -> int:
        """Number of steps of all simulators."""
        return sum(sim.stepper.monitor.steps for sim in self._made)

    @property
    def residual(self) -> float | None:
        """Largest natural-map residual of all steps, [m/s]; None if no step has impulses."""
        if not self._made or issubclass(self.laws.integrator.cls, Continuous):
            return None
        return max(sim.stepper.monitor.worst_residual / sim.world.metre for sim in self._made)


def steps(sim: StepperSimulator, n: int) -> None:
    """Make n steps."""
    for _ in range(n):
        sim.step()


def world_velocity(sim: StepperSimulator, index: int = 0) -> Floats:
    """Return linear and angular velocity of a floating base along world axes, (6,)."""
    q, v = sim.q[sim.world.q_slice(index)], sim.v[sim.world.v_slice(index)]
    R = rotation_matrix(q[3:7])
    return np.concatenate([R @ v[:3], R @ v[3:6]])
