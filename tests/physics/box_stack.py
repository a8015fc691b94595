"""A stack of cubes from closed forms, stepped with a contact law on arrays: no robot, no engine.

Cube k touches the top of cube k - 1, and cube 0 the ground, with its four lower corners; frame,
gap and Jacobian are those of the corner in the lower cube's frame, exact for any pose.
"""

import numpy as np

from footfall.problem.arrays import ProblemSize
from footfall.problem.contact_problem import ContactProblem

G = 9.81
LENGTH = 0.1
"""Edge of a cube, [m]."""
CORNERS = 0.5 * LENGTH * np.array([(x, y, -1.0) for x in (-1, 1) for y in (-1, 1)])
TOUCH = 1e-5
"""Gap up to which a point is hit by the restitution of every step, [m]."""


def turn_by(vectors):
    """Return the rotation matrices of rotation vectors [rad], (n, 3, 3)."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    K = np.zeros((len(vectors), 3, 3))
    x, y, z = vectors.T
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -z, y, -x
    K -= K.transpose(0, 2, 1)
    first = np.sinc(angle / np.pi)
    second = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    return np.eye(3) + first * K + second * K @ K


class BoxStack:
    """Cubes on each other, at rest, each set down up to 2 mm beside the one below it.

    Attributes:
        x, R: centres (n, 3) and orientations (n, 3, 3).
        v: linear and angular velocities along world axes, (n, 6).
        problem: of the last step.
        drift: the largest way that a centre has come from where ``settle`` left it so far, [m].
        sweeps: of all steps so far.
        worst: largest residual that the law reported, [m/s].
    """

    def __init__(self, law, cubes=10, *, mass=1.0, mu=0.5, dt=1e-3, gap=0.0, e=0.0, baumgarte=0.0):
        """Make a stack with the given gaps between cubes [m], less than 0 if they overlap.

        Args:
            law: solves each step.
            cubes: their number.
            mass: of each, [kg].
            mu: coefficient of friction.
            dt: time step, [s].
            gap: between neighbours, [m].
            e: restitution that every step applies to what touches, ``u_n+ = -e u_n-``.
            baumgarte: part of the penetration that every step removes by velocity.
        """
        rng = np.random.default_rng(0)
        self.law, self.n, self.dt, self.e, self.baumgarte = law, cubes, dt, e, baumgarte
        self.x = np.zeros((cubes, 3))
        self.x[:, :2] = rng.uniform(-2e-3, 2e-3, (cubes, 2)).cumsum(axis=0)
        self.x[:, 2] = LENGTH * (np.arange(cubes) + 0.5) + gap * (np.arange(cubes) + 1.0)
        self.R = np.tile(np.eye(3), (cubes, 1, 1))
        self.v = np.zeros((cubes, 6))
        self._forget()
        weight = np.repeat([1.0 / mass, 6.0 / (mass * LENGTH**2)], 3)
        self._weight = np.tile(weight, cubes)
        self._fall = np.tile([0.0, 0.0, -G * dt, 0.0, 0.0, 0.0], cubes)
        rows = 12 * cubes
        self.problem = ContactProblem.from_dense(
            np.eye(rows), np.zeros(rows), np.full(4 * cubes, mu), dt=dt
        )
        self._pair_neighbours()

    def _pair_neighbours(self):
        """Leave pairs only between contacts that share a cube."""
        level, arrays = np.arange(4 * self.n) // 4, self.problem.arrays
        i, j = np.nonzero(np.abs(level[:, None] - level) <= 1)
        arrays.pair_start[1:] = np.cumsum(np.bincount(i))
        arrays.pair_block[: len(j)], arrays.pair_data[: len(j)] = j, 9 * np.arange(len(j))
        arrays.size[ProblemSize.PAIRS], self._i, self._j = len(j), i, j

    def _contacts(self):
        """Return the Jacobian, (12 n, 6 n), and the gaps, (4 n,)."""
        n = self.n
        J, gap = np.zeros((n, 4, 3, n, 6)), np.zeros((n, 4))
        for k in range(n):
            arm = CORNERS @ self.R[k].T
            point = self.x[k] + arm
            E, top = (np.eye(3), np.zeros(3)) if k == 0 else (self.R[k - 1].T, self.x[k - 1])
            gap[k] = (point - top) @ E[2] - (0.5 * LENGTH if k else 0.0)
            J[k, :, :, k, :3] = E
            J[k, :, :, k, 3:] = np.cross(arm[:, None, :], E[None])
            if k:
                below = point - top
                J[k, :, :, k - 1, :3] = -E
                J[k, :, :, k - 1, 3:] = -np.cross(below[:, None, :], E[None])
        return J.reshape(12 * n, 6 * n), gap.ravel()

    def step(self):
        """Make one step of semi-implicit Euler; positions also follow the law's split impulse."""
        J, gap = self._contacts()
        problem, arrays, v = self.problem, self.problem.arrays, self.v.ravel()
        W = ((J * self._weight) @ J.T).reshape(4 * self.n, 3, 4 * self.n, 3)
        pairs = W[self._i, :, self._j, :].ravel()
        arrays.W[: len(pairs)] = pairs
        free = v + self._fall
        problem.gap[:], problem.velocity[:], problem.free_velocity[:] = gap, J @ v, J @ free
        deep = np.flatnonzero(gap < 0.0)
        problem.free_velocity[3 * deep + 2] += self.baumgarte * gap[deep] / self.dt
        if self.e:
            hit = 3 * np.flatnonzero(gap <= TOUCH) + 2
            problem.free_velocity[hit] += self.e * problem.velocity[hit]
        self.law.solve(problem, {})
        new = free + self._weight * (J.T @ problem.impulse)
        shift = (new + self._weight * (J.T @ problem.correction)).reshape(-1, 6) * self.dt
        self.v = new.reshape(-1, 6)
        self.x = self.x + shift[:, :3]
        self.R = turn_by(shift[:, 3:]) @ self.R
        self.drift = max(self.drift, float(np.linalg.norm(self.x - self.start, axis=1).max()))
        self.sweeps += problem.report.iterations
        self.worst = max(self.worst, problem.report.residual)

    def settle(self, steps):
        """Make steps and start counting after them; return the stack."""
        self.run(steps)
        self._forget()
        return self

    def _forget(self):
        self.start, self.drift, self.sweeps, self.worst = self.x.copy(), 0.0, 0.0, 0.0

    def run(self, steps):
        """Make steps; return the stack."""
        for _ in range(steps):
            self.step()
        return self
