"""The gauss laws against the real contact function of the simulator that they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.plugins.contact_cases import Recorded, needs_recorded_cases, recorded_cases, state_for
from tests.plugins.solver_cases import VARIANTS, make_solver

from footfall.typing import Floats

pytestmark = [pytest.mark.reference, needs_recorded_cases]


def contact_force(case: Recorded, solver: Any) -> Floats:
    """The law's forces at the touching vertices, [N]."""
    from footfall_gauss.contact import Gauss, GaussConfig, GaussDiscrete

    if not case.touching.any():
        return np.zeros(0)
    problem = case.problem(case.touching)
    if case.discrete:
        impulse_law = GaussDiscrete(GaussConfig(), solver)
        impulse_law.solve(problem, state_for(impulse_law, problem.n_blocks))
        return np.array(problem.impulse) / problem.dt
    law, force = Gauss(GaussConfig(), solver), np.zeros(problem.n_rows)
    law.force(problem, state_for(law, problem.n_blocks), {}, force)
    return force


def error(case: Recorded, solver: Any) -> float:
    """Largest error of the accelerations, relative to the largest acceleration or 1 m/s^2."""
    expected = case.array("nudot")
    found = case.accelerations(contact_force(case, solver))
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("discrete", [False, True], ids=["gauss", "gauss_discrete"])
def test_accelerations_are_those_of_the_original(discrete: bool) -> None:
    pytest.importorskip("footfall_qp.proxqp", reason="proxsuite is not installed")
    from footfall_qp.proxqp import ProxQP, ProxQPConfig

    solver = ProxQP(ProxQPConfig())
    errors = [error(case, solver) for case in recorded_cases() if case.discrete is discrete]
    assert len(errors) >= 20
    assert max(errors) <= 1e-9


def test_velocities_are_those_of_the_original() -> None:
    pytest.importorskip("footfall_qp.proxqp", reason="proxsuite is not installed")
    from footfall_qp.proxqp import ProxQP, ProxQPConfig

    solver = ProxQP(ProxQPConfig())
    for case in recorded_cases():
        change = case.accelerations(contact_force(case, solver)) - case.array("nudot")
        assert np.abs(change * case.data["dt"]).max() <= 1e-9, case.index


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_solver_will_do(variant: Any) -> None:
    solver = make_solver(variant)
    # Solvers are asked for 1e-9 of the QP; feet as stiff as these multiply it by up to 1e3.
    assert max(error(case, solver) for case in recorded_cases()) <= 1e-6


def test_hessian_and_gradient_are_those_of_the_original() -> None:
    """What the problem is built from, so that agreement is not by luck."""
    for case in recorded_cases():
        recorded = case.data["contact_qp"]
        if not recorded or not case.touching.all():
            continue
        problem = case.problem(case.touching)
        H, g = np.array(recorded["H"], float), np.array(recorded["g"], float)
        np.testing.assert_allclose(problem.delassus(), H, rtol=1e-10, atol=1e-10)
        gradient = (problem.free_velocity - problem.velocity) / problem.dt + problem.jdot_v
        if case.discrete:
            gradient = gradient + problem.velocity / problem.dt
        # The difference of two velocities over dt loses three digits.
        np.testing.assert_allclose(gradient, g, rtol=1e-9, atol=1e-9 * np.abs(g).max())
