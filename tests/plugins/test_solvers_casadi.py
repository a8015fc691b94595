"""CasADi's backends: each is what it says, and obeys its settings."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError
from tests.plugins.solver_cases import feet_problem

pytest.importorskip("casadi", reason="casadi is not installed")


def make(**keys):  # type: ignore[no-untyped-def]
    from footfall_casadi.solver import CasadiQP, CasadiQPConfig

    return CasadiQP(CasadiQPConfig(**keys))


def test_backends_agree_on_accelerations() -> None:
    for seed in range(3):
        problem = feet_problem(seed)
        gradients = []
        for backend in ("qpoases", "osqp", "daqp", "piqp"):
            solution = make(solver=backend).solve(problem, None)
            assert solution.ok, backend
            gradients.append(problem.H @ solution.x + problem.g)
        # Each is within 1e-8 of optimal in scale; terms here are of order 10 to 100.
        for gradient in gradients[1:]:
            np.testing.assert_allclose(gradient, gradients[0], atol=1e-5)


@pytest.mark.parametrize("backend", ["osqp", "daqp", "piqp"])
def test_a_limit_of_iterations_ends_the_solve(backend: str) -> None:
    """What two iterations come to is used only if the host could make an exact answer of it."""
    for seed in range(5):
        limited = make(solver=backend, max_iterations=2).solve(feet_problem(seed), None)
        assert limited.polished or not limited.ok
        assert limited.ok == (limited.residuals.scaled <= 1e-9)


def test_a_limit_of_working_set_changes_ends_the_solve() -> None:
    """As above, where qpOASES needs more than two changes: it begins without active bounds."""
    problems = [feet_problem(seed) for seed in range(12)]
    longer = [p for p in problems if make(solver="qpoases").solve(p, None).iterations > 2]
    assert len(longer) >= 3
    for problem in longer:
        limited = make(solver="qpoases", max_iterations=2).solve(problem, None)
        assert limited.polished or not limited.ok
        assert limited.ok == (limited.residuals.scaled <= 1e-9)


@pytest.mark.parametrize("name", ["qrqp", "highs", "nonsense"])
def test_unfit_backends_are_not_offered(name: str) -> None:
    with pytest.raises(ValidationError, match="qpoases"):
        make(solver=name)
