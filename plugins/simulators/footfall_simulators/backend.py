"""The common part of all simulators' steps: forces on bodies, and axes of floating bases."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from footfall.api.plugin import Floats
from footfall_stepper.api import Assembly, ContactDetector, Guest

MARGIN = 1e-3
"""Gap up to which declared points enter the problem, [m]: the other simulator's ground may be
slightly higher than Footfall's if it is not a plane."""


class GuestDetector(ContactDetector, Protocol):
    """A detector that finds contacts at the positions of the state."""

    def connect(self, q: Floats) -> None:
        """Learn where positions are, shape (nq,)."""


class SimulatorSteps(Guest):
    """Steps that take torques and external forces as generalized forces.

    Gains act implicitly, as in Footfall's own step: ``D + K_d + dt K`` is the damping of a joint,
    applied by the other simulator at the end of the step. The torque that the gains give at its
    start is a force.

    Attributes:
        TURNED: number of a floating base's velocities that the other simulator has along world
            axes: 3, the linear ones, or all 6. In Footfall they are along the base's own axes.
    """

    TURNED: ClassVar = 3
    detector: GuestDetector | None = None

    def __init__(self, made: Assembly) -> None:
        world = self._world = made.world
        self.q, self.v, self.v_new = np.zeros(world.nq), np.zeros(world.nv), np.zeros(world.nv)
        self._dt = made.scene.simulation.part
        topology = world.topology
        floats = np.flatnonzero(topology.floating)
        first = topology.tree_v[floats][:, None]
        self._vectors = [first + k + np.arange(3) for k in range(0, self.TURNED, 3)]
        self._quaternion = topology.tree_q[floats][:, None] + 3 + np.arange(4)
        self._joint = np.flatnonzero(topology.dof_q >= 0)

    @property
    def margin(self) -> float:
        """Gap up to which a declared point enters the problem, [m]."""
        return MARGIN

    def connect(self, q: Floats, v: Floats) -> None:
        """Store the arrays of the state."""
        self._q, self._v = q, v
        if self.detector is not None:
            self.detector.connect(q)

    def given(self) -> tuple[Floats, Floats, Floats]:
        """Return velocity and force at the start in the other's axes, and damping; (nv,) each."""
        joints = self._world.joints
        v, force = self._v.copy(), joints.tau + joints.external
        at, j = self._joint, self._world.topology.dof_q[self._joint]
        stiffness, gain = joints.stiffness[at], joints.rate_gain[at]
        force[at] -= stiffness * (self._q[j] - joints.target[at]) - gain * joints.target_rate[at]
        self._turn(self._q, "nij,nj->ni", v, force)
        return v, force, joints.damping + joints.rate_gain + self._dt * joints.stiffness

    def take(self) -> None:
        """Rotate the final velocities in ``v`` from the other simulator's axes into Footfall's."""
        self.v_new[:] = self.v
        self._turn(self._q, "nji,nj->ni", self.v_new)
        self._turn(self.q, "nji,nj->ni", self.v)

    def _turn(self, q: Floats, product: str, *velocities: Floats) -> None:
        if self._quaternion.size:
            R = rotations(q[self._quaternion])
            for each in velocities:
                for at in self._vectors:
                    each[at] = np.einsum(product, R, each[at])


def rotations(q: Floats) -> Floats:
    """Return the rotations, shape (n, 3, 3), of quaternions x y z w, shape (n, 4)."""
    x, y, z, w = q.T
    R: Floats = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
    return R.transpose(2, 0, 1)
