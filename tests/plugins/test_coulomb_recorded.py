"""The coulomb law on the friction problems of Siconos, singular ones included."""

import json
from pathlib import Path

import numpy as np
import pytest

from footfall.problem.contact_problem import ContactProblem
from footfall_coulomb.contact import Coulomb, CoulombConfig

FILE = Path(__file__).parents[2].parent / "shared" / "reference" / "fc3d_problems.json"
pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(
        not FILE.exists(), reason="the recorded problems are not beside the project"
    ),
]
NAMES = (
    [problem["name"] for problem in json.loads(FILE.read_text())["problems"]]
    if FILE.exists()
    else []
)


def load(name):
    """Return W, free velocity, mu and the certified velocity, rows in our order."""
    (found,) = (p for p in json.loads(FILE.read_text())["problems"] if p["name"] == name)
    # Theirs: normal, tangent, tangent; ours: tangent, tangent, normal.
    rows = np.concatenate([[3 * i + 1, 3 * i + 2, 3 * i] for i in range(found["nc"])])
    W = np.array(found["M"])[np.ix_(rows, rows)]
    return W, np.array(found["q"])[rows], np.array(found["mu"]), np.array(found["u"])[rows]


def natural_map(W, r, u, mu):
    """Return the worst natural-map residual over the contacts, [m/s], written out here."""
    worst = 0.0
    for i, coefficient in enumerate(mu):
        at = slice(3 * i, 3 * i + 3)
        rho = 1.0 / np.diag(W)[at].max()
        shifted = u[at] + np.array([0.0, 0.0, coefficient * np.hypot(*u[at][:2])])
        x = r[at] - rho * shifted
        size = np.hypot(x[0], x[1])
        if size <= coefficient * x[2]:
            projected = x
        elif coefficient * size <= -x[2]:
            projected = np.zeros(3)
        else:
            n = (x[2] + coefficient * size) / (1.0 + coefficient**2)
            projected = np.array([*(coefficient * n * x[:2] / size), n])
        worst = max(worst, np.linalg.norm(r[at] - projected) / rho)
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_problem_is_solved(name):
    W, free, mu, certified = load(name)
    problem = ContactProblem.from_dense(W, free, mu)
    Coulomb(CoulombConfig()).solve(problem, {})
    u = W @ problem.impulse + free
    assert natural_map(W, np.array(problem.impulse), u, mu) <= 1e-9
    # Velocities are unique for a given choice of sliding directions; impulses need not be.
    scale = max(1.0, np.abs(free).max())
    assert problem.arrays.report[1] <= 1e-9
    if np.linalg.matrix_rank(W) == len(W):
        np.testing.assert_allclose(u, certified, atol=1e-6 * scale)
