"""Systems in the columns of a factor, against the same with whole matrices."""

import numpy as np
from tests.cases import each

from footfall.api.contact import ContactProblem, problem_from_arrays
from footfall.api.kernels import bind, kernel, table_of
from footfall_coulomb.contact import CoulombConfig
from footfall_coulomb.gauss_seidel import GaussSeidel
from footfall_coulomb.kernels.newton.dense import (
    factor_symmetric,
    is_definite,
    solve_symmetric,
)
from footfall_coulomb.kernels.newton.factor import find_fronts
from footfall_coulomb.kernels.newton.system import factor_system, solve_system, write_system
from footfall_coulomb.workspace import allocate, allocate_low_rank, low_rank, no_factor


@kernel
def solve(table, space, columns, H, x):
    """Write the system to H, and overwrite the two rows of x with answers by the same factors."""
    problem, low = problem_from_arrays(table), low_rank(space)
    if low.nodes[0] == 0 and not find_fronts(problem, low, columns):
        return False
    write_system(problem, low)
    for a in range(low.nodes[0]):
        wide, length = low.wide[a], low.length[a]
        for j in range(wide):
            row, below = low.front[a] + j * length, low.front[a] + wide * length
            for k in range(wide):
                H[low.first[a] + j, low.first[a] + k] = low.H[row + k]
            for s in range(low.start[a], low.start[a + 1]):
                b, at = low.reach[s], low.link[a, low.reach[s]]
                for k in range(low.wide[b]):
                    upper, lower = row + at + k, below + j * (length - wide) + at - wide + k
                    H[low.first[a] + j, low.first[b] + k] = low.H[upper]
                    H[low.first[b] + k, low.first[a] + j] = low.H[lower]
    if not factor_system(low):
        return False
    solve_system(low, x[0])
    solve_system(low, x[1])
    return True


@each("widths", [(6, 6, 6, 6, 6), (5, 6, 9, 6, 1)])
def test_it_is_the_unit_matrix_and_a_product(widths):
    """Five trees in a ring, which links others as it is solved, some on contacts of their own.

    Then a few contacts change, then most of them.
    """
    rng = np.random.default_rng(3)
    starts = np.concatenate([[0], np.cumsum(widths)])
    sides = [(0,), (0,), (0, 1), (1, 0), (1, 2), (2, 1), (3, 2), (3, 4), (0, 4), (2,), (2,)]
    n, columns = 3 * len(sides), int(starts[-1])
    problem = ContactProblem.from_dense(np.eye(n), np.zeros(n), np.full(len(sides), 0.5))
    problem = ContactProblem(problem.arrays, no_factor()._replace(tree_v=starts))
    low = allocate_low_rank(problem, n, n)
    work = allocate(problem, n, (1e-9, 1.0, 0.0, 0.0, 0.0), np.zeros(len(sides)))
    Z, M, at = np.zeros((n, columns)), np.zeros((n, n)), 0
    for i, trees in enumerate(sides):
        rows = slice(3 * i, 3 * i + 3)
        response = rng.standard_normal((3, 3))
        M[rows, rows] = response @ response.T + response - response.T  # friction: unsymmetric
        low.M[i] = M[rows, rows].ravel()
        for side, tree in enumerate(trees):
            wide, first = widths[tree], int(starts[tree])
            piece = Z[rows, first : first + wide] = rng.standard_normal((3, wide))
            low.Z[at : at + 3 * wide] = piece.ravel()
            low.segment[2 * i + side] = at, first, wide, wide
            at += 3 * wide
    H, b = np.zeros((columns, columns)), rng.standard_normal((2, columns))
    space = table_of(work, low, no_factor())
    solution = bind(solve, problem.table, space, like=(0, H, b))
    for changed in ([], [2, 5, 6], range(1, 10)):
        for i in changed:
            rows = slice(3 * i, 3 * i + 3)
            M[rows, rows] = (i % 4) * np.eye(3)  # some open
            low.M[i] = M[rows, rows].ravel()
        x = b.copy()
        assert solution(columns, H, x)
        whole = np.eye(columns) + Z.T @ M @ Z
        np.testing.assert_allclose(H, whole, rtol=0.0, atol=1e-13 * abs(whole).max())
        np.testing.assert_allclose(x, np.linalg.solve(whole, b.T).T, rtol=1e-9, atol=1e-12)


@kernel
def solve_dense(J, F, n):
    """Overwrite F with J^-1 F; return False if J is not definite."""
    if not factor_symmetric(J, n):
        return False
    solve_symmetric(J, F, n)
    return True


@each("n", range(1, 11))
def test_an_elimination_of_two_rows_at_once_solves_systems_of_any_size(n):
    """Only the upper triangle is given, in an array with more room."""
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, n))
    A, x = A @ A.T + np.eye(n), rng.standard_normal(n)
    J, F = np.full((13, 13), np.nan), A @ x
    J[:n, :n][np.triu_indices(n)] = A[np.triu_indices(n)]
    assert solve_dense(J, F, n)
    np.testing.assert_allclose(F, x, rtol=0.0, atol=1e-12 * np.linalg.cond(A))


@each("n", range(1, 7))
def test_one_negative_direction_is_found_wherever_it_is(n):
    for k in range(n):
        d = np.ones(n)
        assert is_definite(np.diag(d))
        d[k] = -1.0
        assert not is_definite(np.diag(d))


def test_a_contact_alone_takes_one_sweep():
    """Whether it opens, sticks or slips: 200 problems of one contact, without Newton's method."""
    rng, states = np.random.default_rng(5), set()
    for _ in range(200):
        Z = rng.standard_normal((3, 4))
        problem = ContactProblem.from_dense(Z @ Z.T, rng.standard_normal(3), np.array([0.5]))
        law = GaussSeidel(problem, CoulombConfig(acceleration="none"), np.zeros(1))
        law.first()
        r = problem.impulse
        slips = bool(np.hypot(r[0], r[1]) > (1 - 1e-6) * 0.5 * r[2])
        states.add("open" if r[2] == 0.0 else "slips" if slips else "sticks")
        assert problem.report.iterations == 1
        assert problem.report.residual <= 1e-10
    assert states == {"open", "sticks", "slips"}
