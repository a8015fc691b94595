"""De Saxce's fixed point over the QP of the friction pyramids.

The QP's answer has ``u_n >= h(u_t)`` with ``h(u_t) = mu max_k -v_k . u_t`` over the polygon's
corners v_k (``mu |u_t|`` for the exact cone): sliding points are lifted. De Saxce's change of
variable removes this lift: the QP is solved for ``u + s n``. If ``s = h(u_t)``, its answer meets
Signorini's condition and Coulomb's law over the pyramid, ``0 <= r_n  perp  u_n >= 0`` with the most
dissipating r_t. So s is a fixed point of ``s -> h(u_t(s))``.

De Saxce, Feng, "The bipotential method", Mathematical and Computer Modelling 28 (1998); Acary,
Cadoux, Lemarechal, Malick, "A formulation of the linear discrete Coulomb friction problem via
convex optimization", ZAMM 91 (2011), for the fixed point over a convex problem.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.contact import ContactProblem, LawState
from footfall.api.plugin import Floats, Ints
from footfall.api.solver import QPSolver
from footfall_gauss.group_qp import GroupQP, Settled
from footfall_gauss.pyramid import corners
from footfall_gauss.secant import Secants


class FixedPoint:
    """Iteration over QPs until the shift s equals ``h(u_t)`` of the answer.

    For one point, ``ds_new/ds = mu^2 / (1 + mu^2)``: plain iteration converges, but slowly for a
    large mu. Secants over the last answers (Anderson's acceleration) need only a few solves.
    """

    def __init__(self, solver: QPSolver, sides: int, tolerance: float, max_iterations: int) -> None:
        self._solver, self._corners = solver, corners(sides)
        self._tolerance, self._max_iterations = tolerance, max_iterations

    def __call__(
        self, work: GroupQP, problem: ContactProblem, contacts: Ints, state: LawState
    ) -> Settled:
        """Solve one group from its warm start; ``state`` keeps the shift of each contact.

        Returns:
            the answer with the smallest residual ``|s - h(u_t)|``, [m/s], which is the error of the
            normal velocity; and the number of QPs.
        """
        qp, kept = work.qp, state["shift"]
        mu, candidate = problem.mu[contacts], problem.candidate[contacts]
        secants = Secants(np.maximum(kept[candidate, 0], 0.0))
        best: Settled | None = None
        best_shift = secants.x
        x, z, g = work.arrays.x, work.arrays.z, qp.g.copy()
        for count in range(1, self._max_iterations + 1):
            s = secants.x
            g[2::3] = qp.g[2::3] + s
            solution = self._solver.solve(replace(qp, g=g), (x, z))
            if not solution.ok:
                best = best or Settled(solution.x, solution, np.inf, count)
                break
            x, z = solution.x, solution.z
            wanted = self._lift(qp.H @ x + qp.g, mu)
            residual = float(np.abs(wanted - s).max())
            if best is None or residual < best.residual:
                best, best_shift = Settled(x, solution, residual, count), s
            if residual <= self._tolerance:
                break
            secants.advance(wanted)
        assert best is not None
        kept[candidate, 0] = best_shift
        if best.solution.ok and (qp.g[2::3] >= 0.0).all():
            # No point approaches the ground: with a solver's 1e-12 N s the core would count a
            # flying body as one in contact.
            best = replace(best, x=np.zeros_like(x))
        return replace(best, iterations=count)

    def _lift(self, u: Floats, mu: Floats) -> Floats:
        """Return ``mu max_k -v_k . u_t``, shape (n,), for velocities of shape (3 n,)."""
        along = u.reshape(-1, 3)[:, :2] @ self._corners.T
        return np.asarray(mu * np.maximum(-along.min(axis=1), 0.0))
