"""What ProxQP needs to be told, and is."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.solver_cases import feet_problem, manufactured, pyramids, two_feet

from footfall.interfaces.solver import QPProblem

# Asked without importing it: the import would choose the build.
pytestmark = pytest.mark.skipif(find_spec("proxsuite") is None, reason="proxsuite is missing")


def run(script: str) -> str:
    """Run a script in a fresh process with warnings shown; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_portable_build_is_loaded_and_is_what_others_get() -> None:
    printed = run(
        "import footfall.qp.portable_proxsuite as p, sys; a = p.load_proxqp(); import proxsuite\n"
        "assert proxsuite.proxqp.dense.QP is a.dense.QP\n"
        "print(sorted(n for n in sys.modules if n.startswith('proxsuite.')))"
    )
    assert "proxsuite.proxsuite_pywrap'" in printed
    assert "avx" not in printed
    assert "instructionset" not in printed
    assert "Warning" not in printed


def test_another_build_that_was_there_first_is_used_with_a_warning() -> None:
    printed = run(
        "import proxsuite, sys\n"
        "first = 'proxsuite.proxsuite_pywrap' in sys.modules\n"
        "import footfall.qp.portable_proxsuite as p; p.load_proxqp(); print('portable', first)"
    )
    portable = "portable True" in printed  # processors without AVX
    assert ("RuntimeWarning" in printed) == (not portable)


def make(**keys: float):  # type: ignore[no-untyped-def]
    from footfall_qp.proxqp import ProxQP, ProxQPConfig

    return ProxQP(ProxQPConfig(**keys))


@each("hessian", [1e-4, 1e-2, 1.0, 1e2])
@each("gradient", [1e-8, 1e-3, 1e-1, 1.0, 1e3])
def test_no_scale_is_called_infeasible(hessian: float, gradient: float) -> None:
    solver = make()
    for seed in range(6):
        problem = feet_problem(seed)
        scaled = QPProblem(
            problem.H * hessian, problem.g * gradient, problem.C, problem.l, problem.u
        )
        solution = solver.solve(scaled, None)
        assert solution.ok, solution.message


def test_lightly_loaded_feet_are_not_called_infeasible() -> None:
    """With ProxQP's default thresholds 45 of 600 such problems are."""
    solver = make()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        problem = feet_problem(seed)
        g = problem.H @ (rng.normal(size=24) * np.tile([1.0, 1.0, 0.1], 8))
        C = pyramids(8, [0.0, 0.1, 0.8, 10.0][seed % 4])
        solution = solver.solve(QPProblem(problem.H, g, C, problem.l, problem.u), None)
        assert solution.ok, (seed, solution.message)


def test_multipliers_on_their_way_to_zero_are_waited_for() -> None:
    """Along a slow drift ProxQP alone is content with complementarity off by up to 5e-7."""
    solver = make(eps_abs=1e-9)
    problem, warm = feet_problem(0), None
    for step in range(200):
        shift = 0.3 * np.sin(0.05 * step + np.arange(24))
        g = problem.g + problem.H @ shift
        moved = QPProblem(problem.H, g, problem.C, problem.l, problem.u)
        solution = solver.solve(moved, warm)
        assert solution.ok
        assert solution.residuals.scaled <= 1e-8
        warm = (solution.x, solution.z)


def test_a_warm_start_that_resumed_rounds_cannot_use() -> None:
    """A tumbling cube on one corner: ProxQP, merely resumed from its answer, ends in NaN."""
    H = np.array(
        [
            [3.4144788381988604, 1.2820991160669493, -1.8416483291723675],
            [1.2820991160669493, 4.711814210494092, 1.1321753709317672],
            [-1.8416483291723675, 1.1321753709317672, 3.8737069512890523],
        ]
    )
    g = np.array([-0.5545729751747621, 0.00893488511734074, 0.2793602790546458])
    x = np.array([0.00546896247168181, -0.00546896247168916, 0.01093792494337832])
    z = np.array([0.556735133828701, 0.0, 0.0, 0.008961404819763, 0.0])
    problem = QPProblem(H, g, pyramids(1, 0.5), np.full(5, -np.inf), np.zeros(5))
    warm, cold = make().solve(problem, (x, z)), make().solve(problem, None)
    assert warm.ok
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-11)


def test_a_warm_start_far_away_is_left_aside_if_it_leads_nowhere() -> None:
    solver = make()
    for seed in range(10):
        problem = feet_problem(seed)
        rng = np.random.default_rng(seed)
        for size in (1e3, 1e8, 1e12):
            far = (size * rng.normal(size=24), size * rng.uniform(size=40))
            assert solver.solve(problem, far).ok


@each("seed", range(12))
def test_variables_in_units_far_apart_are_solved(seed: int) -> None:
    """With variables of 1e-4 to 1e4 times their size, most are not without the preconditioner."""
    problem, x, _ = manufactured(seed, n=12, m=20, rank=12)
    unit = 10.0 ** np.random.default_rng(seed).uniform(-4.0, 4.0, 12)
    scaled = QPProblem(
        unit[:, None] * problem.H * unit, unit * problem.g, problem.C * unit, problem.l, problem.u
    )
    solution = make().solve(scaled, None)
    assert solution.ok
    np.testing.assert_allclose(unit * solution.x, x, atol=1e-6 * np.abs(x).max())


def many_sides(seed: int, sides: int = 16) -> QPProblem:
    """A foot that is pushed sideways, with pyramids of many sides, nearly parallel next to next."""
    rng = np.random.default_rng(seed)
    H = two_feet(rng)[:12, :12]
    g = -H @ (3.0 * rng.normal(size=12) + np.tile([0.0, 0.0, 2.0], 4))
    angles = 2.0 * np.pi * np.arange(sides) / sides
    one = np.column_stack([np.cos(angles), np.sin(angles), np.full(sides, -0.5)])
    m = 4 * sides
    return QPProblem(H, g, np.kron(np.eye(4), one), np.full(m, -np.inf), np.zeros(m))


def test_what_rounds_leave_too_coarse_is_polished() -> None:
    """Of 100 such problems ProxQP, left alone, ends above 1e-9 on a few."""
    solver = make()
    answers = [solver.solve(many_sides(seed), None) for seed in range(100)]
    assert max(answer.residuals.scaled for answer in answers) <= 1e-9
    assert any(answer.polished for answer in answers)


def test_accuracy_is_what_is_asked_for() -> None:
    problem = feet_problem(1)
    coarse = make(eps_abs=1e-4).solve(problem, None)
    fine = make(eps_abs=1e-12).solve(problem, None)
    assert fine.ok
    assert coarse.ok
    assert fine.residuals.scaled <= 1e-11 < coarse.residuals.scaled <= 1e-3


def test_a_limit_of_iterations_ends_the_solve() -> None:
    solution = make(max_iterations=1, max_inner_iterations=1).solve(feet_problem(2), None)
    assert not solution.ok
    assert solution.message == "PROXQP_MAX_ITER_REACHED"
