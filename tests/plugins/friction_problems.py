"""The recorded friction problems of Siconos, in the order of rows that Footfall uses."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

FILE = Path(__file__).parents[2].parent / "shared" / "reference" / "fc3d_problems.json"
ABSENT = "the recorded problems are not beside the project"


class FrictionProblem(NamedTuple):
    """Contacts ``u = W r + q``, and the certified velocity."""

    name: str
    W: np.ndarray
    q: np.ndarray
    mu: np.ndarray
    u: np.ndarray

    def residual(self, r):
        """Return the worst natural-map residual over the contacts, [m/s], written out here."""
        worst, u = 0.0, self.W @ r + self.q
        for i, coefficient in enumerate(self.mu):
            at = slice(3 * i, 3 * i + 3)
            rho = 1.0 / np.diag(self.W)[at].max()
            x = r[at] - rho * u[at]
            x[2] -= rho * coefficient * np.hypot(*u[at][:2])
            worst = max(worst, np.linalg.norm(r[at] - onto_cone(x, coefficient)) / rho)
        return worst


def onto_cone(x, mu):
    """Return the nearest point of ``|x_t| <= mu x_n``."""
    size = np.hypot(x[0], x[1])
    if size <= mu * x[2]:
        return x
    if mu * size <= -x[2]:
        return np.zeros(3)
    n = (x[2] + mu * size) / (1.0 + mu**2)
    return np.array([*(mu * n * x[:2] / size), n])


def recorded():
    """Return the problems of the file; none where it is absent."""
    if not FILE.exists():
        return []
    found = []
    for problem in json.loads(FILE.read_text())["problems"]:
        # Theirs: normal, tangent, tangent; ours: tangent, tangent, normal.
        rows = np.concatenate([[3 * i + 1, 3 * i + 2, 3 * i] for i in range(problem["nc"])])
        W, q, u = (np.array(problem[key]) for key in ("M", "q", "u"))
        mu = np.array(problem["mu"])
        found.append(FrictionProblem(problem["name"], W[np.ix_(rows, rows)], q[rows], mu, u[rows]))
    return found
