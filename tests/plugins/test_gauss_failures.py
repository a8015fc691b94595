"""What the gauss laws do when the QP solver fails: keep, count, then stop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.plugins.contact_cases import state_for

from footfall.errors import SolverError
from footfall.interfaces.contact import ForceLaw
from footfall.interfaces.solver import QPProblem, QPSolution, QPSolver
from footfall.problem.contact_problem import ContactProblem
from footfall.qp.verdict import checked_solution
from footfall.typing import Floats
from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete

DT = 1e-3
LAWS = [Gauss, GaussDiscrete]


class OnOff(QPSolver):
    """Solves frictionless problems of independent points exactly; fails when told to."""

    name = "onoff"

    def __init__(self) -> None:
        self.works = True

    def solve(self, problem: QPProblem, warm_start: tuple[Floats, Floats] | None) -> QPSolution:
        if not problem.is_finite():
            return QPSolution.refused(problem)
        n, m = len(problem.g), len(problem.l)
        x, z = np.zeros(n), np.zeros(m)
        if self.works:
            x[2::3] = np.maximum(-problem.g[2::3] / np.diag(problem.H)[2::3], 0.0)
        return checked_solution(problem, x, z, 1e-9, iterations=1, message="out of order")


def point_masses(n: int, weight: float = 9.81) -> ContactProblem:
    """n frictionless points of 1 kg, each its own weight, in one group."""
    free = np.tile([0.0, 0.0, -weight * DT], n)
    return ContactProblem.from_dense(
        np.eye(3 * n), free, np.zeros(n), velocity=np.zeros(3 * n), dt=DT
    )


def solve(law: Any, problem: ContactProblem, state: dict[str, Floats], warm: Floats) -> Floats:
    """The impulse; ``warm`` is what the host hands to an impulse law."""
    if isinstance(law, ForceLaw):
        force = np.full(problem.n_rows, 77.0)  # whatever was there
        law.force(problem, state, {}, force)
        return DT * force
    problem.impulse[:] = warm
    law.solve(problem, state)
    return problem.impulse.copy()


@pytest.fixture(params=LAWS, ids=[cls.name for cls in LAWS])
def setup(request: pytest.FixtureRequest) -> tuple[Any, OnOff, dict[str, Floats]]:
    solver = OnOff()
    law = request.param(GaussConfig(max_consecutive_failures=3), solver)
    return law, solver, state_for(law, 2)


def test_last_valid_solution_is_kept(setup: Any) -> None:
    law, solver, state = setup
    good = solve(law, point_masses(2), state, np.zeros(6))
    np.testing.assert_allclose(good[2::3], 9.81 * DT)
    solver.works = False
    problem = point_masses(2, weight=20.0)
    kept = solve(law, problem, state, good)
    np.testing.assert_array_equal(kept, good)
    assert problem.report.failed
    assert state["failures"][0, 0] == 1.0


def test_too_many_failures_in_a_row_stop_the_run(setup: Any) -> None:
    law, solver, state = setup
    good = solve(law, point_masses(2), state, np.zeros(6))
    solver.works = False
    for _ in range(2):
        solve(law, point_masses(2), state, good)
    with pytest.raises(SolverError, match=r"solver onoff failed 3 times.*inaccurate.*out of order"):
        solve(law, point_masses(2), state, good)


def test_a_success_starts_the_count_again(setup: Any) -> None:
    law, solver, state = setup
    impulse = np.zeros(6)
    for works in [False, False, True] * 4:
        solver.works = works
        problem = point_masses(2)
        impulse = solve(law, problem, state, impulse)
        assert problem.report.failed is (not works)
    assert state["failures"][0, 0] == 0.0


def test_the_count_lives_in_the_state(setup: Any) -> None:
    law, solver, state = setup
    solver.works = False
    for _ in range(2):
        solve(law, point_masses(2), state, np.zeros(6))
    other = type(law)(GaussConfig(max_consecutive_failures=3), solver)
    with pytest.raises(SolverError):
        solve(other, point_masses(2), state, np.zeros(6))


def test_a_force_is_kept_by_contact_and_not_for_those_that_left() -> None:
    solver = OnOff()
    law = Gauss(GaussConfig(), solver)
    state = state_for(law, 3)
    both = point_masses(2)
    both.candidate[:] = 0, 2
    solve(law, both, state, np.zeros(6))
    one = point_masses(1)
    one.candidate[:] = 2
    solve(law, one, state, np.zeros(3))
    np.testing.assert_allclose(state["force"][:, 2], [0.0, 0.0, 9.81])
    solver.works = False
    again = point_masses(2)
    again.candidate[:] = 2, 0
    kept = solve(law, again, state, np.zeros(6))
    np.testing.assert_allclose(kept[2::3], [9.81 * DT, 0.0])


@pytest.mark.parametrize("where", ["free_velocity", "velocity", "jdot_v", "W", "mu", "gap"])
def test_a_problem_that_is_not_finite_stops_the_run_at_once(setup: Any, where: str) -> None:
    law, _, state = setup
    if where == "velocity" and not isinstance(law, ForceLaw):
        pytest.skip("the velocity before the step does not matter")
    problem = point_masses(2)
    getattr(problem.arrays, where)[1] = np.nan
    with pytest.raises(SolverError, match="the contact problem is not finite"):
        solve(law, problem, state, np.zeros(6))


def spoiled(kind: str) -> ContactProblem:
    """Two points whose matrix no mechanics has, though its diagonal is as it should be."""
    problem = point_masses(2)
    W = problem.delassus()
    W[0, 3] = 3.0 * W[0, 0]
    W[3, 0] = W[0, 3] if kind == "indefinite" else 0.0
    arrays = ContactProblem.from_dense(W, problem.free_velocity, problem.mu).arrays
    for name in ("W", "pair_start", "pair_block", "pair_data"):
        getattr(problem.arrays, name)[:] = getattr(arrays, name)
    return problem


@pytest.mark.parametrize(
    ("kind", "message"),
    [("indefinite", "not positive semidefinite: eigenvalues from"), ("lopsided", "not symmetric")],
)
def test_a_matrix_that_no_mechanics_has_is_refused_by_name(
    setup: Any, kind: str, message: str
) -> None:
    law, _, state = setup
    with pytest.raises(SolverError, match=f"^{law.name}: the Delassus matrix is {message}"):
        solve(law, spoiled(kind), state, np.zeros(6))
