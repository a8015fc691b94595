"""Friction problems of files: NumPy's ``.npz``, Siconos' text, and FCLIB's HDF5.

``u = W r + q`` of n contacts with friction mu; rows of a contact in files: normal, tangent, tangent
(FCLIB, Acary, Brémond and Huber 2018). ``NAME.npz`` holds ``row``, ``col``, ``value`` (entries of
the Delassus matrix W), ``q``, ``mu``, and ``r`` if a solution is known.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from footfall.api.advanced import read_arrays
from footfall.api.contact import ContactProblem, ProblemSize
from footfall.api.plugin import Floats, FootfallError
from footfall_validate.results import DataError

INDEFINITE, ASYMMETRIC, SOLVED = 1e-6, 1e-2, 1e-3
"""Largest negative eigenvalue and asymmetry, relative to W's largest entry, that a file's rounding
explains, [-]; Siconos' score up to which a file's impulse is a solution, [-]."""
ORDER = [1, 2, 0]
"""Rows of a contact in files, in the order of laws: tangent, tangent, normal."""
FILES = ".npz", ".dat", ".h5", ".hdf5"
"""Ends of the names of files that are read."""


class Problem(NamedTuple):
    """A problem ``u = W r + q`` of n contacts; rows of a contact: tangent, tangent, normal.

    Attributes:
        name: name of the file.
        W: shape (3 n, 3 n), the symmetric part of the file's matrix, [1/kg].
        q: shape (3 n,), free velocity, [m/s].
        mu: shape (n,), friction, [-].
    """

    name: str
    W: Floats
    q: Floats
    mu: Floats

    def arrays(self) -> ContactProblem:
        """Return the problem as laws take it, with pairs only for blocks of W that are not zero."""
        problem = ContactProblem.from_dense(self.W, self.q, self.mu, impulsive=True)
        n = len(self.mu)
        linked = (self.W != 0.0).reshape(n, 3, n, 3).any(axis=(1, 3))
        kept, a = np.flatnonzero(linked), problem.arrays
        a.size[ProblemSize.PAIRS] = len(kept)
        a.pair_start[1:] = np.cumsum(linked.sum(axis=1))
        for pairs in (a.pair_block, a.pair_data):
            pairs[: len(kept)] = pairs[kept]
        return problem

    def away(self, r: Floats, u: Floats, rho: Floats) -> Floats:
        """Return ``r - P_K(r - rho (u + mu |u_t| n))``, shape (n, 3); rho: shape (n, 1)."""
        given, x = r.reshape(-1, 3), u.reshape(-1, 3).copy()
        x[:, 2] += self.mu * np.hypot(x[:, 0], x[:, 1])
        x = given - rho * x
        t, n = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
        onto = np.maximum(n + self.mu * t, 0.0) / (1.0 + self.mu**2)
        normal = np.where((n > 0.0) & (t <= self.mu * n), n, onto)
        part = np.divide(self.mu * normal, t, out=np.ones_like(t), where=t > self.mu * normal)
        away: Floats = given - np.column_stack([part[:, None] * x[:, :2], normal])
        return away

    def errors(self, r: Floats) -> tuple[float, float]:
        """Return Siconos' score [-] and the worst natural map of a contact [m/s]."""
        u, rho = self.W @ r + self.q, 1.0 / np.diag(self.W).reshape(-1, 3).max(axis=1)[:, None]
        scale = max(np.linalg.norm(x) for x in (self.q, r, u))
        score = np.linalg.norm(self.away(r, u, np.ones_like(rho))) / (scale or 1.0)
        natural = np.linalg.norm(self.away(r, u, rho), axis=1) / rho[:, 0]
        return float(score), float(natural.max())


def read_problems(folder: Path) -> list[Problem]:
    """Read all problems of a folder, in the order of their names.

    Raises:
        DataError: if there are none, or a file is no such problem; with the reason.
    """
    files = sorted(path for path in folder.glob("*") if path.suffix in FILES)
    if not files:
        raise DataError(f"{folder} has no problems: no file {', '.join(f'*{e}' for e in FILES)}")
    return [read(file) for file in files]


def read(file: Path) -> Problem:
    """Read a problem.

    Raises:
        DataError: if the file is no such problem; with the reason.
    """
    try:
        if not file.is_file():
            raise ValueError("is no file")
        if file.suffix == ".npz":
            return _problem(file.stem, *_arrays(file))
        if file.suffix == ".dat":
            return _problem(file.stem, *_siconos(file.read_text(encoding="ascii")))
        return _problem(file.stem, *_fclib(file))
    except ImportError as error:
        raise DataError(f'{file} needs "h5py": {FootfallError.pip("fclib")}') from error
    except Exception as error:  # whatever a damaged file makes of its reader
        why = f"no {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]
        raise DataError(f"{file}: not a friction problem: {why}") from error


def _problem(name: str, W: Floats, q: Floats, mu: Floats, r: Floats | None = None) -> Problem:
    """Check a problem with rows normal, tangent, tangent, and bring them into the laws' order."""
    W, q, mu = (x.astype(float, casting="same_kind") for x in (W, q, mu))
    if not (mu.ndim == 1 and len(mu) and W.shape == (3 * len(mu),) * 2 and q.shape == W.shape[:1]):
        raise ValueError(f"W {W.shape} and q {q.shape} do not fit mu {mu.shape}")
    if not all(np.isfinite(x).all() for x in (W, q, mu)) or (mu < 0.0).any():
        raise ValueError("W or q is not finite, or mu is not a number >= 0")
    if (np.diag(W).reshape(-1, 3).max(axis=1) <= 0.0).any():
        raise ValueError("a contact has no positive diagonal entry in W")
    if (aside := abs(W - W.T).max() / abs(W).max()) > ASYMMETRIC:
        raise ValueError(f"W is no Delassus matrix: asymmetric by {aside:.1g} of its largest entry")
    try:
        np.linalg.cholesky(0.5 * (W + W.T) + INDEFINITE * abs(W).max() * np.eye(len(W)))
    except np.linalg.LinAlgError as error:
        raise ValueError("W is no Delassus matrix: it is indefinite") from error
    order = np.arange(len(q)).reshape(-1, 3)[:, ORDER].ravel()
    made = Problem(name, (0.5 * (W + W.T))[np.ix_(order, order)], q[order], mu)
    given = Problem(name, 0.5 * (W + W.T), q, mu)
    if r is not None and given.errors(r)[0] < SOLVED < made.errors(r[order])[0]:
        raise ValueError("its solution says: rows are tangent, tangent, normal; reorder them")
    return made


def _arrays(file: Path) -> tuple[Floats, ...]:
    found = read_arrays(file)
    row, col, value, q, mu = (found[key] for key in ("row", "col", "value", "q", "mu"))
    W = coo_array((value, (row, col)), shape=(len(q), len(q))).toarray()
    return (W, q, mu, found["r"]) if "r" in found else (W, q, mu)


def _siconos(text: str) -> tuple[Floats, ...]:
    """Parse dimension, contacts, W, q, mu; entries of W and its blocks go down the columns."""
    words = iter(text.split())

    def take(n: int, kind: Any = float) -> Any:
        found = np.array(list(islice(words, int(n))), kind)
        if len(found) < n:
            raise ValueError("the file ends early")
        return found

    dimension, contacts, by_blocks, rows, columns = take(5, int)
    if (dimension, rows, columns) != (3, 3 * contacts, 3 * contacts) or by_blocks not in (0, 1):
        said = f"storage {by_blocks}, {rows} x {columns}, {contacts} contacts of {dimension} rows"
        raise ValueError(f"{said}; read are 0 (dense) and 1 (blocks) of 3 rows")
    W = np.zeros((rows, rows))
    if not by_blocks:
        take(2)
        W[:] = take(rows * rows).reshape(rows, rows).T
        return W, take(rows), take(contacts)
    _, down, across = take(3, int)
    ends = [[0, *take(n, int)] for n in (down, across)]
    starts, places = (take(n, int) for n in take(2, int))
    for i in range(down):
        for k in range(starts[i], starts[i + 1]):
            take(1)
            j = places[k]
            block = W[ends[0][i] : ends[0][i + 1], ends[1][j] : ends[1][j + 1]]
            block[:] = take(block.size).reshape(block.shape[::-1]).T
    return W, take(rows), take(contacts)


def _fclib(file: Path) -> tuple[Floats, ...]:
    """Read a local problem of FCLIB; links to elsewhere and filters of data are not followed."""
    import h5py

    with h5py.File(file, "r") as opened:
        if "fclib_local" not in opened:
            raise ValueError("no fclib_local: condense global problems to local ones")

        def get(name: str) -> Any:
            found = opened
            for part in name.split("/"):
                if not isinstance(found.get(part, getlink=True), h5py.HardLink):
                    raise KeyError(name)
                found = found[part]
            plan = found.id.get_create_plist()
            if plan.get_nfilters() or plan.get_external_count() or found.is_virtual:
                raise ValueError(f"{name} has filters or lies in another file")
            return np.asarray(found).reshape(-1)

        x, p, i = (get(f"fclib_local/W/{part}") for part in "xpi")
        stored, n = int(get("fclib_local/W/nz")[0]), int(get("fclib_local/W/n")[0])
        if stored >= 0:
            W = coo_array((x, (i, p)), shape=(n, n))
        else:
            W = (csc_array if stored == -1 else csr_array)((x, i, p), shape=(n, n))
        vectors = [get(f"fclib_local/vectors/{part}") for part in ("q", "mu")]
        solution = [get("solution/r")] if "solution" in opened else []
    return (W.toarray(), *vectors, *solution)
