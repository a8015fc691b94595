"""Planning by Gauss and Newton: a Riccati pass along a trajectory, its gains and its step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.api.plugin import Floats, SimulationError

WEAKEST = 1e-9
"""Weight of torques where the cost has none, as a part of the largest second derivative."""

SMALLEST = 1e-9
"""Second derivative by torques that counts as 0 below it."""


class Pass(NamedTuple):
    """Result of ``riccati``: the change of controls ``step + gains dx``.

    Attributes:
        step: shape (T, nu); gains: shape (T, nu, 2 nv).
    """

    step: Floats
    gains: Floats


def of_controls(found: Any, substeps: int) -> tuple[Floats, Floats]:
    """Return the Jacobians of controls from those of their steps, (T, 2 nv, 2 nv), (T, 2 nv, nu).

    Raises:
        SimulationError: if a step has none.
    """
    for (_, step), why in found.failures.items():
        raise SimulationError(f"plan: step {step}: {why}; method cem or mppi needs no derivatives")
    states, controls = found.state[0], found.control[0]
    A, B = states[::substeps].copy(), controls[::substeps].copy()
    for k in range(1, substeps):
        A = states[k::substeps] @ A
        B = states[k::substeps] @ B + controls[k::substeps]
    return A, B


def riccati(
    A: Floats, B: Floats, linear: Any, length: float, room: tuple[Floats, Floats], damping: float
) -> Pass:
    """Return the step and the gains that minimise the cost's quadratic model.

    Backwards from the end, with V the value of a state, l of residuals r with weights w:
    ``Q_u = l_u + B' V_x``, ``Q_uu = l_uu + B' V_xx B``, ``k = -Q_uu^-1 Q_u``,
    ``K = -Q_uu^-1 Q_ux`` (Li and Todorov 2004), l's second derivatives by Gauss and Newton. Torques
    at a limit that would leave it are held (Tassa, Mansard and Todorov 2014).

    Args:
        A: Jacobians of controls by the state before, see ``of_controls``.
        B: the same by the torques.
        linear: residuals after each control, see ``footfall.Cost.linear``.
        length: of a control, [s].
        room: shape (T, nu) each, torques down to the lower limit (negative) and up to the upper.
        damping: added to ``Q_uu``.
    """
    _, first, second = linear.weighed(length)
    T, n, nu = B.shape
    step, gains = np.zeros((T, nu)), np.zeros((T, nu, n))
    Vx, Vxx = np.zeros(n), np.zeros((n, n))
    for t in reversed(range(T)):
        X, U = linear.state[t], linear.control[t]
        weighed = second[t][:, None]
        Vx, Vxx = Vx + X.T @ first[t], Vxx + X.T @ (weighed * X)
        U_x = U.T @ (weighed * X)
        U_B = U_x @ B[t]
        Qu = U.T @ first[t] + B[t].T @ Vx
        Quu = U.T @ (weighed * U) + U_B + U_B.T + B[t].T @ Vxx @ B[t]
        Qux = (U_x + B[t].T @ Vxx) @ A[t]
        free = ~(((room[0][t] >= 0.0) & (Qu > 0.0)) | ((room[1][t] <= 0.0) & (Qu < 0.0)))
        if free.any():
            scale = damping + WEAKEST * max(SMALLEST, abs(np.diag(Quu)).max())
            H = Quu[np.ix_(free, free)] + scale * np.eye(int(free.sum()))
            found = -np.linalg.solve(H, np.column_stack([Qu[free], Qux[free]]))
            step[t, free], gains[t, free] = found[:, 0], found[:, 1:]
        k, K = step[t], gains[t]
        Vx = A[t].T @ Vx + K.T @ (Quu @ k + Qu) + Qux.T @ k
        Vxx = A[t].T @ Vxx @ A[t] + K.T @ Quu @ K + K.T @ Qux + Qux.T @ K
        Vxx = 0.5 * (Vxx + Vxx.T)
    return Pass(step, gains)
