"""The whole-body QP: accelerations and wrenches that fulfil the tasks best within the feet's cones.

The unknowns are ``x = (nudot, y)`` with ``y`` the wrenches on the feet (``Foothold``)::

    min  sum of  w |A x - b|^2     over tasks
    s.t. base rows of  M nudot + h = J' y        no force on the base (h: minus known forces)
         J nudot + Jdot nu = 0                   supporting feet do not move
         cones of the feet, and  |tau| <= limit

The equalities are eliminated: with ``E' P = Q R`` (columns of E' pivoted, to find dependent rows)
``x = x_p + Z z``, Z the columns of Q beyond the rank of R. The torques
``tau = (M + motor inertia) nudot + h + D s_dot - J' y``, joint rows, with the viscous friction D,
are affine in x. Their limits are added only if the answer without them violates one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dgeqp3, dorgqr, dtrtrs

from footfall.api.device import BodySignals, FrameSignals
from footfall.api.plugin import Floats
from footfall.api.solver import QPProblem, QPSolution, QPSolver
from footfall_controllers.balance.foothold import Foothold

RANK = 1e-10
"""Pivots of the equalities below this fraction of the largest count as zero."""
NEAR = 4.0
"""Limits up to this multiple of the largest torque get rows, if any limit is violated."""


class Contact:
    """A supporting foot at one instant.

    Attributes:
        point: shape (3,), point of action of its wrench ``y``, [m], world frame.
        axes: shape (3, 3), tangents and normal as columns, world axes.
        J: shape (size, nv), Jacobian of that point and of rotation, along ``axes``.
        jdot_nu: shape (size,), its acceleration for zero nudot.
        rows: rows of its cone.
    """

    __slots__ = ("J", "axes", "jdot_nu", "point", "rows", "size")

    def __init__(self, foot: FrameSignals, hold: Foothold) -> None:
        pose, jacobian, bias, w = foot.pose, foot.jacobian, foot.jdot_nu, foot.velocity[3:]
        R = pose[:3, :3]
        flat = hold.size == 6
        self.axes = R @ hold.axes if flat else hold.axes
        arm = hold.arm(R)
        cross = skew(arm)
        self.point = pose[:3, 3] + arm
        T = self.axes.T
        self.J = np.empty((hold.size, jacobian.shape[1]))
        self.J[:3] = T @ (jacobian[:3] - cross @ jacobian[3:])
        self.jdot_nu = np.empty(hold.size)
        self.jdot_nu[:3] = T @ (bias[:3] - cross @ bias[3:] + w * (w @ arm) - arm * (w @ w))
        if flat:
            self.J[3:] = T @ jacobian[3:]
            self.jdot_nu[3:] = T @ bias[3:]
        self.rows, self.size = hold.rows, hold.size

    def momentum_rate(self, com: Floats) -> Floats:
        """Return (6, size): rate of linear and of angular momentum about ``com`` per ``y``."""
        out = np.zeros((6, self.size))
        out[:3, :3] = self.axes
        out[3:, :3] = skew(self.point - com) @ self.axes
        if self.size == 6:
            out[3:, 3:] = self.axes
        return out


class WholeBodyQP:
    """The tasks of one instant, solved for the torques.

    Args:
        signals: signals of the body.
        contacts: supporting feet.
        load: shape (n_contacts,), largest normal force, [N]; inf: no limit.
        known: shape (nv,), external forces other than those on the feet, [N, N m].
    """

    def __init__(
        self,
        signals: BodySignals,
        contacts: Sequence[Contact],
        load: Sequence[float],
        known: Floats | float = 0.0,
    ) -> None:
        self.signals, self.contacts, self.load = signals, contacts, load
        self.nv = len(signals.nu)
        self.J = np.vstack([contact.J for contact in contacts])
        self.size = self.nv + len(self.J)
        self.h = signals.bias_force - known
        self.bias = self.h[6:] + signals.joint_damping @ signals.nu[6:]
        self.H = np.zeros((self.size, self.size))
        self.g = np.zeros(self.size)

    def want(self, columns: slice, A: Floats, b: Floats, weight: float | Floats) -> None:
        """Add the task ``weight |A x - b|^2`` of some columns of x; one weight or one per row."""
        weighted = A.T * weight
        self.H[columns, columns] += weighted @ A
        self.g[columns] -= weighted @ b

    def want_directly(self, columns: slice, b: Floats | float, weight: float) -> None:
        """Add the task ``weight |x - b|^2`` of some columns of x."""
        index = np.arange(self.size)[columns]
        self.H[index, index] += weight
        self.g[columns] -= weight * b

    def solve(self, solver: QPSolver, limits: Floats) -> tuple[Floats, QPSolution]:
        """Return the joints' torques (n_joints,) and the solver's solution.

        Args:
            solver: QP solver.
            limits: shape (n_joints,), largest torques; inf: no limit.
        """
        x_p, Z = self._eliminate()
        C, u = self._cones()
        HZ = self.H @ Z
        H, g = Z.T @ HZ, Z.T @ self.g + HZ.T @ x_p
        C, u = C @ Z[self.nv :], u - C @ x_p[self.nv :]
        problem = QPProblem(0.5 * (H + H.T), g, C, np.full(len(u), -np.inf), u)
        solution = solver.solve(problem, None)
        tau = self._torques(x_p + Z @ solution.x)
        if not solution.ok or (np.abs(tau) <= limits).all():
            return tau, solution
        near = np.flatnonzero(limits < NEAR * np.abs(tau).max())
        T, t = self._torque_map(near)
        lower, upper = -limits[near] - t - T @ x_p, limits[near] - t - T @ x_p
        bounded = QPProblem(
            problem.H,
            problem.g,
            np.vstack([problem.C, T @ Z]),
            np.concatenate([problem.l, lower]),
            np.concatenate([problem.u, upper]),
        )
        solution = solver.solve(bounded, None)
        return self._torques(x_p + Z @ solution.x), solution

    def _eliminate(self) -> tuple[Floats, Floats]:
        """Return x_p (n,), a solution of the equalities, and Z (n, n - rank), their null space."""
        s, m, nv = self.signals, 6 + len(self.J), self.nv
        E = np.zeros((self.size, m), order="F")
        E[:nv, :6], E[nv:, :6] = s.mass_matrix[:, :6], -self.J[:, :6]
        E[:nv, 6:] = self.J.T
        e = np.concatenate([-self.h[:6], *(-contact.jdot_nu for contact in self.contacts)])
        packed, pivots, tau, _, _ = dgeqp3(E)
        diagonal = np.abs(np.diag(packed))
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0]))
        full = np.zeros((self.size, self.size), order="F")
        full[:, :rank] = packed[:, :rank]
        Q = dorgqr(full, tau[:rank])[0]
        y, _ = dtrtrs(packed[:rank, :rank], e[pivots[:rank] - 1], trans=1)
        return Q[:, :rank] @ y, Q[:, rank:]

    def _cones(self) -> tuple[Floats, Floats]:
        """Return C, u of ``C y <= u``."""
        m = sum(len(contact.rows) for contact in self.contacts)
        C = np.zeros((m + len(self.contacts), len(self.J)))
        u = np.zeros(len(C))
        row = column = 0
        for k, contact in enumerate(self.contacts):
            end = column + contact.size
            C[row : row + len(contact.rows), column:end] = contact.rows
            C[m + k, column + 2] = 1.0
            u[m + k] = self.load[k]
            row, column = row + len(contact.rows), end
        return C, u

    def _torques(self, x: Floats) -> Floats:
        s, nudot = self.signals, x[: self.nv]
        force = s.mass_matrix[6:] @ nudot + s.motor_inertia[6:] @ nudot
        return force + self.bias - self.J[:, 6:].T @ x[self.nv :]

    def _torque_map(self, joints: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return T, t of ``tau = T x + t`` for some joints."""
        s, rows = self.signals, 6 + joints
        inertia = s.mass_matrix[rows] + s.motor_inertia[rows]
        return np.hstack([inertia, -self.J[:, rows].T]), self.bias[joints]


def skew(a: Floats) -> Floats:
    """Return the matrix of ``a x``, (3, 3)."""
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
