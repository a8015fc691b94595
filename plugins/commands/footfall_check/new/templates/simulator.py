"""The simulator ``new_plugin``: a guest that makes the steps of rigid bodies."""

from __future__ import annotations

import numpy as np
from pydantic import Field
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

from footfall.api.contact import ContactProblem, LawState
from footfall.api.plugin import Capability, Floats, PluginConfig
from footfall_stepper.api import Assembly, Guest, GuestSimulator


class NewPluginConfig(PluginConfig):
    """Settings of the simulator: the keys of ``[simulator]`` in a scene."""

    tolerance: float = Field(default=1e-10, gt=0.0)
    """Largest change of an impulse in a sweep at which the sweeps end, [N s]."""
    max_sweeps: int = Field(default=500, ge=1)
    """Largest number of sweeps per step."""


class Steps(Guest):
    """The steps: REPLACE THE BODY OF ``step`` by a call of your simulator.

    Semi-implicit Euler: momentum first, then positions, ``V+ = V + M^-1 (dt F + J' r)``. V: of each
    body the velocity of its mass centre and its spin, axes of the body at the start of the step.
    The impulses r obey Signorini and Coulomb at the velocity of the end, see ``sweep``.
    """

    name = "new_plugin"
    margin = 0.01  # points up to this gap take part, [m]

    def __init__(self, made: Assembly, config: NewPluginConfig) -> None:
        self.config, self._world = config, made.world
        nq, nv = made.world.nq, made.world.nv
        self.q, self.v, self.v_new = np.zeros(nq), np.zeros(nv), np.zeros(nv)
        masses = zip(made.world.topology.mass, made.world.topology.inertia, strict=True)
        self._M = block_diag(*(part for m, inertia in masses for part in (m * np.eye(3), inertia)))

    def connect(self, q: Floats, v: Floats) -> None:
        """Learn where the state is: position and quaternion, and velocity, of each body."""
        self._q, self._v = q.reshape(-1, 7), v.reshape(-1, 6)

    def step(self, problem: ContactProblem, state: LawState) -> None:
        """Make one step: write ``problem.impulse``, ``q``, ``v`` and ``v_new``."""
        world, dt = self._world, problem.dt
        com, R = world.topology.com, Rotation.from_quat(self._q[:, 3:])
        force, V = world.joints.external.reshape(-1, 6).copy(), self._v.copy()
        V[:, :3] += np.cross(V[:, 3:], com)
        force[:, 3:] -= np.cross(com, force[:, :3])
        force[:, :3] += world.topology.mass[:, None] * R.inv().apply(world.topology.gravity)
        P = self._M @ V.ravel() + dt * force.ravel()
        J = self._jacobian(problem, R.as_matrix(), com)
        problem.write_offset()  # an open point may close its gap within the step
        W, b = J @ np.linalg.solve(self._M, J.T), J @ np.linalg.solve(self._M, P) + problem.offset
        r, sweeps, change = problem.impulse, 0, np.inf  # begins with those of the last step
        while change > self.config.tolerance and sweeps < self.config.max_sweeps:
            change, sweeps = sweep(W, b, problem.mu, r), sweeps + 1
        problem.report.write(sweeps, change)
        P += J.T @ r
        V = np.linalg.solve(self._M, P).reshape(-1, 6)
        turn = Rotation.from_rotvec(dt * V[:, 3:])
        # Momentum is conserved: the same in the axes of the body at the end.
        end = np.stack([turn.inv().apply(part) for part in P.reshape(-1, 2, 3).swapaxes(0, 1)], 1)
        end = np.linalg.solve(self._M, end.ravel()).reshape(-1, 6)
        for out, found in (self.v_new, V), (self.v, end):
            out[:] = np.hstack([found[:, :3] - np.cross(found[:, 3:], com), found[:, 3:]]).ravel()
        centre = self._q[:, :3] + R.apply(com + dt * V[:, :3])
        self.q[:] = np.hstack([centre - (R * turn).apply(com), (R * turn).as_quat()]).ravel()

    def _jacobian(self, problem: ContactProblem, R: Floats, com: Floats) -> Floats:
        """Return J, shape (3 contacts, 6 bodies): two tangents and the normal of each contact."""
        J = np.zeros((problem.n_rows, len(self._M)))
        sides = self._world.sides.link  # the two bodies of each contact; -1: the ground
        for c, frame in enumerate(problem.frame):
            for body, sign in zip(sides[c], (-1.0, 1.0), strict=True):
                if body >= 0:
                    away = problem.arrays.position[c] - self._q[body, :3]
                    axes = sign * frame @ R[body]
                    turns = np.cross(R[body].T @ away - com[body], axes)
                    J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] = np.hstack([axes, turns])
        return J


def sweep(W: Floats, b: Floats, mu: Floats, r: Floats) -> float:
    """Update each contact's impulse in place (projected Gauss-Seidel); return the largest change.

    ``u = W r + b``, ``0 <= r_n  perp  u_n >= 0``, and ``|r_t| <= mu r_n``, against u_t if it slips.
    """
    before = r.copy()
    for c in range(len(mu)):
        at = slice(3 * c, 3 * c + 3)
        sizes = W[at, at].diagonal()
        r[at] -= (W[at] @ r + b[at]) / np.array([*2 * [sizes[:2].max()], sizes[2]])
        r[at.stop - 1] = max(r[at.stop - 1], 0.0)
        bound, size = mu[c] * r[at.stop - 1], np.hypot(*r[at][:2])
        r[at.start : at.stop - 1] *= bound / size if size > bound else 1.0
    return float(np.abs(r - before).max(initial=0.0))


class NewPlugin(GuestSimulator):
    """The simulator, by which ``[simulator] plugin`` names it."""

    name = "new_plugin"
    Config = NewPluginConfig
    config: NewPluginConfig

    def guest(self, made: Assembly) -> Steps:
        """Translate a scene; refuse by its key whatever the steps do not support."""
        error = made.scene.error
        for body in made.world.bodies:
            if body.tree is not None or body.loops or made.world.moments:
                why = "knows neither joints nor loops nor moments of friction"
                raise error(f'simulator "{self.name}" {why}', "bodies", body.name)
        if Capability.MOVING_GROUND in made.physics.terrain.capabilities:
            raise error(f'simulator "{self.name}" knows no moving ground', "world", "terrain")
        return Steps(made, self.config)
