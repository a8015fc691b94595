"""CasADi's backends: each is what it says, and obeys its settings."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError
from tests.plugins.solver_cases import feet_problem

from footfall.qp import backend

pytest.importorskip("casadi", reason="casadi is not installed")


def make(**keys):  # type: ignore[no-untyped-def]
    from footfall_qp.casadi.solver import CasadiQP, CasadiQPConfig

    return CasadiQP(CasadiQPConfig(**keys))


def test_backends_agree_on_accelerations() -> None:
    for seed in range(3):
        problem = feet_problem(seed)
        gradients = []
        for name in ("qpoases", "osqp", "daqp", "piqp"):
            solution = make(solver=name).solve(problem, None)
            assert solution.ok, name
            gradients.append(problem.H @ solution.x + problem.g)
        # Each is within 1e-8 of optimal in scale; terms here are of order 10 to 100.
        for gradient in gradients[1:]:
            np.testing.assert_allclose(gradient, gradients[0], atol=1e-5)


@pytest.fixture
def unpolished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backends' answers as they are: the host makes nothing of them."""
    monkeypatch.setattr(backend, "polish", lambda problem, x, z, content: (x, z, None))


@pytest.mark.usefixtures("unpolished")
@pytest.mark.parametrize("solver", ["osqp", "daqp", "piqp"])
def test_a_limit_of_iterations_ends_the_solve(solver: str) -> None:
    for seed in range(5):
        limited = make(solver=solver, max_iterations=2).solve(feet_problem(seed), None)
        assert not limited.ok
        assert limited.residuals.scaled > 1e-9
        assert limited.iterations <= 3 * backend.ROUNDS  # DAQP counts one more than it was allowed


@pytest.mark.usefixtures("unpolished")
def test_a_limit_of_working_set_changes_ends_the_solve() -> None:
    """Where qpOASES needs more than two changes: it begins without active bounds."""
    problems = [feet_problem(seed) for seed in range(12)]
    longer = [p for p in problems if make(solver="qpoases").solve(p, None).iterations > 2]
    assert len(longer) >= 3
    for problem in longer:
        limited = make(solver="qpoases", max_iterations=2).solve(problem, None)
        assert not limited.ok
        assert limited.iterations <= 2 * backend.ROUNDS


@pytest.mark.parametrize("name", ["qrqp", "highs", "nonsense"])
def test_unfit_backends_are_not_offered(name: str) -> None:
    with pytest.raises(ValidationError, match="qpoases"):
        make(solver=name)
