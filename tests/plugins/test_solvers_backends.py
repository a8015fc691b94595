"""What is particular to single solvers, and every solver under a contact law."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tests.cases import first
from tests.plugins.solver_cases import VARIANTS, feet_problem, make_solver, manufactured

import footfall
from footfall.errors import SceneError
from footfall.interfaces.plugin import Capability
from footfall.interfaces.solver import QPProblem, QPStatus

SCENE = {"simulation.duration": 0.1, "contact.plugin": "gauss_discrete"}


MISSING = """
import sys
solvers = sys.argv[1:]
sys.modules |= dict.fromkeys(solvers)
import footfall
for solver in solvers:
    settings = {"contact.plugin": "gauss_discrete", "contact.solver.plugin": solver}
    try:
        footfall.load("cube/drop", settings)
    except footfall.FootfallError as error:
        print(error)
"""


def test_a_missing_solver_is_one_line_with_what_to_install() -> None:
    """In a process that has none of the packages."""
    solvers = ["osqp", "quadprog", "qpsolvers"]
    command = [sys.executable, "-c", MISSING, *solvers]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    for solver, said in zip(solvers, run.stdout.splitlines(), strict=True):
        assert f'needs "{solver}": pip install -e ".[{solver}]"' in said


@pytest.fixture(scope="module")
def standing() -> Any:
    """Return where iCub is after 0.1 s with the default solver."""
    pytest.importorskip("icub_models", reason="the model of iCub is not installed")
    sim = footfall.load("icub/standing", {**SCENE, "contact.solver.plugin": "proxqp"})
    for _ in range(100):
        sim.step()
    return sim.q.copy()


@pytest.mark.parametrize("variant", first(*VARIANTS, runs=4))
def test_icub_stands_on_every_solver(variant: Any, standing: Any) -> None:
    """All answers are within 1e-9 of optimal, so that the robots stay together for 0.1 s."""
    cls, keys = variant
    overrides = {
        **SCENE,
        "contact.solver.plugin": cls.name,
        **{f"contact.solver.{key}": value for key, value in keys.items()},
    }
    sim = footfall.load("icub/standing", overrides)
    for _ in range(100):
        sim.step()
        assert sim.signal("solver_failures") == 0
    # A residual of 1e-9 m/s a step, for 100 steps of 1 ms, through legs of order 1.
    np.testing.assert_allclose(sim.q, standing, atol=1e-7)


def degenerate(seed: int) -> QPProblem:
    """Many bounds through one point, rows given twice, a singular Hessian."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 20)), int(rng.integers(1, 40))
    root = rng.normal(size=(n, int(rng.integers(0, n + 1))))
    C = rng.integers(-1, 2, size=(m, n)).astype(float)
    C = np.vstack([C, C[: m // 2], np.eye(n)])
    u = np.concatenate([rng.integers(0, 2, len(C) - n).astype(float), np.ones(n)])
    return QPProblem(root @ root.T, rng.normal(size=n), C, -u, u)


@pytest.mark.parametrize("variant", VARIANTS)
def test_degenerate_problems_are_solved(variant: Any) -> None:
    solver = make_solver(variant)
    if solver.name == "proxqp" or variant[1].get("solver") == "qpoases":
        seeds = range(10)
    else:
        seeds = range(40)
    for seed in seeds:
        solution = solver.solve(degenerate(seed), None)
        assert solution.ok, (seed, solution.status, solution.message)


@pytest.mark.parametrize("shift", [1e-9, 1e-6, 1e-3])
def test_proximal_steps_of_quadprog_leave_no_trace(shift: float) -> None:
    pytest.importorskip("quadprog", reason='needs the extra "quadprog"')
    from footfall_qp.quadprog import Quadprog, QuadprogConfig

    solver = Quadprog(QuadprogConfig(shift=shift))
    for seed in range(5):
        problem, x, _ = manufactured(seed, 12, 6, 5)
        solution = solver.solve(problem, None)
        assert solution.ok
        np.testing.assert_allclose(problem.H @ solution.x, problem.H @ x, atol=1e-7)


def test_osqp_starts_from_where_it_is_told() -> None:
    pytest.importorskip("osqp", reason="osqp is not installed")
    from footfall_qp.osqp import OSQP, OSQPConfig

    solver = OSQP(OSQPConfig())
    assert Capability.WARM_START in solver.capabilities
    problem = feet_problem(3)
    cold = solver.solve(problem, None)
    moved = QPProblem(problem.H, problem.g * (1.0 + 1e-6), problem.C, problem.l, problem.u)
    assert solver.solve(moved, (cold.x, cold.z)).iterations < solver.solve(moved, None).iterations


def test_osqp_without_adaptation_takes_other_steps_to_the_same_answer() -> None:
    pytest.importorskip("osqp", reason="osqp is not installed")
    from footfall_qp.osqp import OSQP, OSQPConfig

    problem = feet_problem(0)
    fixed = OSQP(OSQPConfig(adaptation_interval=0)).solve(problem, None)
    adapted = OSQP(OSQPConfig(adaptation_interval=25)).solve(problem, None)
    assert fixed.iterations != adapted.iterations
    # Forces on flat feet are not unique, accelerations are; terms here are of order 10 to 100.
    np.testing.assert_allclose(problem.H @ fixed.x, problem.H @ adapted.x, atol=1e-6)


def test_qpoases_without_its_own_steps_calls_singular_problems_unbounded() -> None:
    """Then Footfall asks again, with proximal steps of its own."""
    pytest.importorskip("casadi", reason="casadi is not installed")
    from footfall_qp.casadi.qpoases import QPOASES, QPOASESConfig

    for seed in range(5):
        solution = QPOASES(QPOASESConfig(proximal_steps=0)).solve(feet_problem(seed), None)
        assert solution.ok


def test_an_unknown_backend_is_refused_with_those_that_are_there() -> None:
    pytest.importorskip("qpsolvers", reason="qpsolvers is not installed")
    overrides = {
        "contact.plugin": "gauss_discrete",
        "contact.solver.plugin": "qpsolvers",
        "contact.solver.backend": "dapq",
    }
    said = r"""no solver of this name, got "dapq", did you mean 'daqp'.*installed: .*daqp"""
    with pytest.raises(SceneError, match=said):
        footfall.load("cube/drop", overrides)


def test_every_available_backend_is_offered() -> None:
    qpsolvers = pytest.importorskip("qpsolvers", reason="qpsolvers is not installed")
    from footfall_qp.qpsolvers.solver import QPSolvers

    assert set(QPSolvers.backends) == set(qpsolvers.available_solvers)


def test_qpsolvers_leaves_the_portable_build_of_proxsuite() -> None:
    pytest.importorskip("qpsolvers", reason="qpsolvers is not installed")
    script = (
        "import footfall_qp.qpsolvers.solver, sys\n"
        "print([name for name in sys.modules if name.startswith('proxsuite.') and 'avx' in name])\n"
        "import footfall_qp.proxqp as s; s.ProxQP(s.ProxQPConfig())"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", script],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_start_that_diverged_is_not_taken_for_an_answer(variant: Any) -> None:
    """Beside numbers of 1e26 every residual is small; they do not come from the data."""
    problem = QPProblem(
        np.diag([1.0, 0.0]), np.array([0.0, -1.0]), np.eye(2), np.zeros(2), np.full(2, np.inf)
    )
    start = np.array([0.0, 1e26]), np.zeros(2)
    assert make_solver(variant).solve(problem, start).status is QPStatus.UNBOUNDED
