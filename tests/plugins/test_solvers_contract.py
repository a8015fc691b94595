"""The contract of the role ``solver``, over every registered solver and each of its backends."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from tests.cases import each
from tests.plugins.solver_cases import (
    INFEASIBLE,
    UNBOUNDED,
    VARIANTS,
    feet_problem,
    make_solver,
    manufactured,
    pyramids,
)

from footfall.interfaces.plugin import Capability
from footfall.interfaces.solver import QPProblem, QPStatus

pytestmark = pytest.mark.parametrize("variant", VARIANTS)
TOLERANCE = 1e-8
"""Ten times the accuracy that the solvers' defaults ask for, relative to the terms."""


@each("seed", range(5))
def test_strictly_convex_problem_has_the_manufactured_answer(variant: Any, seed: int) -> None:
    problem, x, z = manufactured(seed, n=12, m=9, rank=24)
    solution = make_solver(variant).solve(problem, None)
    assert solution.ok, solution
    # H is well conditioned (smallest eigenvalue about 0.1): errors are a small multiple.
    np.testing.assert_allclose(solution.x, x, atol=100 * TOLERANCE)
    np.testing.assert_allclose(solution.z, z, atol=100 * TOLERANCE)


@each("seed", range(3))
def test_unconstrained_problem_is_a_linear_system(variant: Any, seed: int) -> None:
    full, _, _ = manufactured(seed, n=6, m=3, rank=12)
    empty = np.zeros(0)
    for H in (full.H, np.eye(6)):
        problem = QPProblem(H, full.g, np.zeros((0, 6)), empty, empty)
        solution = make_solver(variant).solve(problem, None)
        assert solution.ok, solution
        np.testing.assert_allclose(
            solution.x, np.linalg.solve(H, -full.g), rtol=0, atol=100 * TOLERANCE
        )


@each("mass", [1.0, 30.0])
def test_point_mass_on_a_pyramid(variant: Any, mass: float) -> None:
    C, zero = pyramids(1, 0.5), np.zeros(5)
    problem = QPProblem(np.eye(3) / mass, np.array([0.0, 0.0, -9.81]), C, zero - np.inf, zero)
    solution = make_solver(variant).solve(problem, None)
    assert solution.ok, solution
    weight = [0.0, 0.0, 9.81 * mass]
    np.testing.assert_allclose(solution.x, weight, atol=100 * TOLERANCE * mass)


@each("part", np.linspace(0.99, 1.01, 21))
def test_point_mass_about_to_slip(variant: Any, part: float) -> None:
    """Multiplier and slack of one row vanish together: hard for interior-point methods."""
    C, zero = pyramids(1, 0.5), np.zeros(5)
    pull = part * 0.5 * 9.81
    problem = QPProblem(np.eye(3), np.array([pull, 0.0, -9.81]), C, zero - np.inf, zero)
    solution = make_solver(variant).solve(problem, None)
    assert solution.ok, solution
    # The nearest point to (-pull, 0, 9.81) of the pyramid, whose face is f_1 = -f_n / 2.
    normal = 9.81 if part <= 1.0 else (9.81 + 0.5 * pull) / 1.25
    expected = [-min(pull, 0.5 * normal), 0.0, normal]
    np.testing.assert_allclose(solution.x, expected, atol=100 * TOLERANCE)


def test_zero_hessian_is_a_linear_program(variant: Any) -> None:
    box = QPProblem(np.zeros((2, 2)), np.array([1.0, -2.0]), np.eye(2), -np.ones(2), np.ones(2))
    solution = make_solver(variant).solve(box, None)
    assert solution.ok, solution
    np.testing.assert_allclose(solution.x, [-1.0, 1.0], atol=100 * TOLERANCE)


@each("seed", range(10))
def test_singular_feet_are_solved(variant: Any, seed: int) -> None:
    problem = feet_problem(seed)
    assert np.linalg.matrix_rank(problem.H) == 12
    solution = make_solver(variant).solve(problem, None)
    assert solution.ok, solution
    assert solution.residuals.scaled <= TOLERANCE


@each("seed", range(3))
def test_singular_hessian_gives_the_unique_gradient(variant: Any, seed: int) -> None:
    problem, x, _ = manufactured(seed, n=12, m=6, rank=5)
    solution = make_solver(variant).solve(problem, None)
    assert solution.ok, solution
    # x is not unique, H x is: forces are not, accelerations are.
    np.testing.assert_allclose(problem.H @ solution.x, problem.H @ x, atol=1e3 * TOLERANCE)


@each("size", [(1e-3, 1e-3), (1e2, 1.0), (1.0, 1e3), (1e-2, 1e-4)])
def test_units_do_not_matter(variant: Any, size: tuple[float, float]) -> None:
    problem = feet_problem(4)
    scaled = dataclasses.replace(problem, H=problem.H * size[0], g=problem.g * size[1])
    solution = make_solver(variant).solve(scaled, None)
    assert solution.ok, solution


@each("name", INFEASIBLE)
def test_infeasible_is_said_in_bounded_time(variant: Any, name: str) -> None:
    start = time.process_time()
    solution = make_solver(variant).solve(INFEASIBLE[name], None)
    assert solution.status is QPStatus.INFEASIBLE
    assert time.process_time() - start < 5.0  # milliseconds, but for first imports


@each("name", UNBOUNDED)
def test_unbounded_is_said_in_bounded_time(variant: Any, name: str) -> None:
    start = time.process_time()
    solution = make_solver(variant).solve(UNBOUNDED[name], None)
    assert solution.status is QPStatus.UNBOUNDED
    assert time.process_time() - start < 5.0


def test_an_indefinite_hessian_is_no_solved_problem(variant: Any) -> None:
    """A Hessian with a negative eigenvalue ends as a failed solve, not in an error of a library."""
    H = np.diag([1.0, -1.0])
    problem = QPProblem(H, np.array([0.0, -1.0]), np.eye(2), np.full(2, -1.0), np.full(2, 1.0))
    solution = make_solver(variant).solve(problem, None)
    # A solver that does not look at H may end in a stationary point: then the host finds it exact.
    assert not solution.ok or solution.residuals.worst <= 1e-6


@each("field", ["H", "g", "C", "l", "u"])
@each("value", [np.nan, np.inf, -np.inf])
def test_input_that_is_not_finite_is_invalid_at_once(
    variant: Any, field: str, value: float
) -> None:
    if (field, value) in {("l", -np.inf), ("u", np.inf)}:
        return  # no bound: valid
    problem = feet_problem(0)
    bad = getattr(problem, field).copy()
    bad.flat[3] = value
    solver = make_solver(variant)
    solver.solve(problem, None)
    start = time.process_time()
    solution = solver.solve(dataclasses.replace(problem, **{field: bad}), None)
    assert time.process_time() - start < 0.1
    assert solution.status is QPStatus.INVALID
    assert not solution.ok


def test_crossed_bounds_are_invalid(variant: Any) -> None:
    problem, _, _ = manufactured(0, n=4, m=3, rank=8)
    crossed = dataclasses.replace(problem, l=problem.u + 1.0)
    assert make_solver(variant).solve(crossed, None).status is QPStatus.INVALID


def test_residuals_are_the_hosts(variant: Any) -> None:
    problem = feet_problem(1)
    solution = make_solver(variant).solve(problem, None)
    assert solution.residuals == problem.residuals(solution.x, solution.z)


def test_warm_start_is_no_worse(variant: Any) -> None:
    solver = make_solver(variant)
    for seed in range(5):
        problem = feet_problem(seed)
        cold = solver.solve(problem, None)
        warm = solver.solve(problem, (cold.x, cold.z))
        assert warm.ok
        assert warm.iterations <= cold.iterations
        if Capability.WARM_START in solver.capabilities:
            assert warm.iterations <= 1


def test_warm_start_from_elsewhere_leads_to_the_same_answer(variant: Any) -> None:
    problem, x, _ = manufactured(2, n=12, m=9, rank=24)
    rng = np.random.default_rng(0)
    solver = make_solver(variant)
    for start in (rng.normal(size=12), np.full(12, np.nan)):
        solution = solver.solve(problem, (start, np.full(9, 3.0)))
        assert solution.ok, solution
        np.testing.assert_allclose(solution.x, x, atol=100 * TOLERANCE)


def test_arguments_are_left_alone(variant: Any) -> None:
    problem = feet_problem(2)
    x, z = np.ones(24), np.ones(40)
    arrays = [problem.H, problem.g, problem.C, problem.l, problem.u, x, z]
    before = [array.copy() for array in arrays]
    make_solver(variant).solve(problem, (x, z))
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_an_answer_is_not_changed_by_the_next_solve(variant: Any) -> None:
    solver = make_solver(variant)
    first = solver.solve(feet_problem(0), None)
    x, z = first.x.copy(), first.z.copy()
    solver.solve(feet_problem(1), None)
    np.testing.assert_array_equal(first.x, x)
    np.testing.assert_array_equal(first.z, z)


def test_nothing_is_printed(variant: Any, capfd: pytest.CaptureFixture[str]) -> None:
    solver = make_solver(variant)
    full, _, _ = manufactured(0, n=4, m=3, rank=8)
    free = QPProblem(full.H, full.g, np.zeros((0, 4)), np.zeros(0), np.zeros(0))
    for problem in (feet_problem(0), *INFEASIBLE.values(), *UNBOUNDED.values(), free):
        solver.solve(problem, None)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_same_call_gives_the_same_bits_after_other_solves(variant: Any) -> None:
    used = make_solver(variant)
    warm = (np.linspace(-1.0, 1.0, 24), np.linspace(0.0, 1.0, 40))
    for seed in range(5):
        problem = feet_problem(seed)
        for start in (None, warm):
            fresh = make_solver(variant).solve(problem, start)
            again = used.solve(problem, start)
            assert again.x.tobytes() == fresh.x.tobytes()
            assert again.z.tobytes() == fresh.z.tobytes()
            used.solve(next(iter(UNBOUNDED.values())), None)
            used.solve(feet_problem(seed + 50), again and (again.x, again.z))


def digest(variant: Any) -> str:
    """Hash answers to several problems, each from a different place in memory."""
    solver, sha = make_solver(variant), hashlib.sha256()
    kept = []
    for seed in range(8):
        kept.append(bytearray(8 * seed + 8))
        solution = solver.solve(feet_problem(seed), (np.ones(24), np.ones(40)))
        sha.update(solution.x.tobytes() + solution.z.tobytes())
    return sha.hexdigest()


ANSWERS = """
import json, sys
from tests.plugins.solver_cases import VARIANTS
from tests.plugins.test_solvers_contract import digest
keep = [bytearray(24 * i) for i in range(int(sys.argv[1]))]
print(json.dumps({one.id: digest(one.values[0]) for one in VARIANTS if not one.marks}))
"""
"""A program that prints what each solver answers, after as many allocations as it is told."""


@pytest.fixture(scope="module")
def elsewhere() -> list[dict[str, str]]:
    """What each solver answers in two new processes, whose memory is laid out differently."""
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", ANSWERS, allocations],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for allocations in ("1", "1001")
    ]


def test_same_bits_in_fresh_processes(
    variant: Any, request: pytest.FixtureRequest, elsewhere: list[dict[str, str]]
) -> None:
    name = request.node.callspec.id
    assert [answers[name] for answers in elsewhere] == [digest(variant)] * 2
