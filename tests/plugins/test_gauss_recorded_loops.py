"""The gauss laws with closed loops against the simulator that they come from.

That one eliminates loops through a damped pseudo-inverse, which ``loops = "damped"`` is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from tests.plugins.contact_cases import RECORDED, Recorded, needs_recorded_cases, state_for

from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats
from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete

pytestmark = [pytest.mark.reference, needs_recorded_cases]
DAMPED = GaussConfig(loops="damped")


@dataclass
class Closed:
    """A recorded case with loops: the contacts, then the loops' rows."""

    case: Recorded

    @property
    def J(self) -> Floats:  # noqa: N802 - the field's letter
        """Jacobian of the touching vertices in contact frames, and of the loops."""
        return np.vstack([self.case.jacobian(self.case.touching), self.case.array("J_hol")])

    def problem(self) -> ContactProblem:
        """The contact problem with an equality block."""
        case, J, dt = self.case, self.J, float(self.case.data["dt"])
        n, v = int(case.touching.sum()), case.array("nu")
        a_free = np.linalg.solve(case.inertia, case.load)
        loop_rows = int(case.data["n_holonomic_rows"])
        problem = ContactProblem.from_dense(
            J @ np.linalg.solve(case.inertia, J.T),
            J @ (v + dt * a_free),
            np.append(np.full(n, float(case.data["mu"])), 0.0),
            velocity=J @ v,
            dt=dt,
            kinds=(BlockKind.CONE,) * n + (BlockKind.EQUALITY,),
            sizes=(3,) * n + (loop_rows,),
        )
        bias = case.array("Jdot_nu").reshape(-1, 3)[case.touching] @ case.array("w_R_c")
        problem.jdot_v[:] = np.append(bias.ravel(), case.array("Jdot_nu_hol"))
        return problem

    def force(self, config: GaussConfig = DAMPED) -> Floats:
        """Forces of the mode that was recorded, [N], at vertices and loops."""
        from footfall_qp.proxqp import ProxQP, ProxQPConfig

        problem, solver = self.problem(), ProxQP(ProxQPConfig())
        if self.case.discrete:
            impulse_law = GaussDiscrete(config, solver)
            impulse_law.solve(problem, state_for(impulse_law, problem.n_blocks))
            return np.array(problem.impulse) / problem.dt
        law, force = Gauss(config, solver), np.zeros(problem.n_rows)
        law.force(problem, state_for(law, problem.n_blocks), {}, force)
        return force

    def accelerations(self, force: Floats) -> Floats:
        """M^-1 (load + J' f)."""
        return np.linalg.solve(self.case.inertia, self.case.load + self.J.T @ force)


def cases() -> list[Closed]:
    """All cases with holonomic rows."""
    every = json.loads(RECORDED.read_text())["cases"]
    found = [Closed(Recorded(i, c)) for i, c in enumerate(every) if c["n_holonomic_rows"]]
    assert len(found) == 15
    return found


def difference(closed: Closed, found: Floats) -> float:
    """Largest difference from the recording, relative to the largest acceleration or 1 m/s^2."""
    expected = closed.case.array("nudot")
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def test_damped_loops_accelerate_as_the_original() -> None:
    pytest.importorskip("footfall_qp.proxqp", reason="proxsuite is not installed")
    errors = [difference(closed, closed.accelerations(closed.force())) for closed in cases()]
    assert max(errors) <= 1e-9


def test_rank_safe_loops_are_closed_exactly_and_damped_ones_are_not() -> None:
    """The source's damping leaves the loops' accelerations open; both modes are among the cases."""
    pytest.importorskip("footfall_qp.proxqp", reason="proxsuite is not installed")
    assert {closed.case.discrete for closed in cases()} == {True, False}
    left = {}
    for rule in ("rank_safe", "damped"):
        config = GaussConfig(loops=rule)
        gaps = []
        for closed in cases():
            case, dt = closed.case, float(closed.case.data["dt"])
            J = case.array("J_hol")
            a = J @ closed.accelerations(closed.force(config)) + case.array("Jdot_nu_hol")
            target = a + J @ case.array("nu") / dt if case.discrete else a
            gaps.append(float(np.abs(target).max() * dt))
        left[rule] = max(gaps)
    assert left["rank_safe"] <= 1e-10
    assert left["damped"] > 1e-7
